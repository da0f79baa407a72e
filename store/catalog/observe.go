package catalog

import "context"

// Version is what tells one state of a record from another.
type Version struct {
	UID              string
	Tag              string   // the entity tag, without the quotes
	SyncID           string   // of a registration; of a subscription, the id that it was last brought to
	ReleasedSyncID   string   // of a registration
	CanaryNamespaces []string // of a registration
	Revision         int64    // of a registration or a subscription: the store's, at which it was written
}

// Change is a client write that was done, as the transaction itself had it.
type Change struct {
	ID           ID
	Before       *Version // nil: there was none
	After        *Version // nil: there is none any more
	RoleBindings []string // those that went with a namespace
}

// observer is the key of an observer in a context.
type observer struct{}

// Observe gives a context in which fn is called with each client write that a [Repository] has done, before the method
// that did it returns. A write whose outcome is not known is not among them.
func Observe(ctx context.Context, fn func(Change)) context.Context {
	return context.WithValue(ctx, observer{}, fn)
}

// observable is a record that clients write.
type observable interface {
	identify() ID
	version() *Version
}

// observed tells of a write that replaced before by after, if it was done. It returns err.
func observed(ctx context.Context, err error, before, after observable) error {
	if err == nil {
		tell(ctx, before, after, nil)
	}
	return err
}

func tell(ctx context.Context, before, after observable, bindings []string) {
	fn, ok := ctx.Value(observer{}).(func(Change))
	if !ok {
		return
	}
	ch := Change{RoleBindings: bindings}
	if before != nil {
		ch.ID, ch.Before = before.identify(), before.version()
	}
	if after != nil {
		ch.ID, ch.After = after.identify(), after.version()
	}
	fn(ch)
}

func (r *Registration) identify() ID { return ID{Kind: KindRegistration, API: r.Name} }

func (r *Registration) version() *Version {
	return &Version{
		UID: r.UID, Tag: r.Tag(), SyncID: r.SyncID, ReleasedSyncID: r.ReleasedSyncID, CanaryNamespaces: r.CanaryNamespaces,
		Revision: r.Revision,
	}
}

func (n *Namespace) identify() ID { return ID{Kind: KindNamespace, Namespace: n.Name} }

func (n *Namespace) version() *Version { return &Version{UID: n.UID, Tag: n.Tag()} }

func (v *SubscriptionView) identify() ID {
	return ID{Kind: KindSubscription, API: v.API, Namespace: v.Namespace}
}

func (v *SubscriptionView) version() *Version {
	return &Version{UID: v.UID, Tag: v.Tag(), SyncID: v.CurrentSyncID, Revision: v.Revision}
}

func (r *Role) identify() ID { return ID{Kind: KindRole, Name: r.Name} }

func (r *Role) version() *Version { return &Version{UID: r.UID, Tag: r.Tag()} }

func (b *RoleBinding) identify() ID { return ID{Kind: KindRoleBinding, Name: b.Name} }

func (b *RoleBinding) version() *Version { return &Version{UID: b.UID, Tag: b.Tag()} }
