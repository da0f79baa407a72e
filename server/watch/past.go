package watch

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
)

// recall has a feed know what has changed after an id, from the history that the store has: a feed begins when somebody
// first asks for it, and ids are older than that where another process gave them. It is in vain if the store does not know
// either, or if there is too much to tell.
func (h *Hub) recall(ctx context.Context, f *feed, after int64) {
	const patience, most = 3 * time.Second, 20_000
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select { // a crowd that comes back at once is not to crowd the store
	case h.asking <- struct{}{}:
		defer func() { <-h.asking }()
	case <-ctx.Done():
		return
	}
	f.mu.Lock()
	until := f.floor.revision
	f.mu.Unlock()
	changes, err := h.repository.Changes(ctx, after, until, most)
	if err != nil {
		h.log.LogAttrs(ctx, slog.LevelDebug, "what has changed is not known any more", slog.Any("error", err))
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.floor.revision != until || f.over || after < h.doubted {
		return
	}
	p := past{hub: h, feed: f, rows: map[string]old{}, views: h.views()}
	for _, c := range changes {
		p.take(ctx, c)
	}
	f.extend(p.rows, after)
}

// past is what has become of rows before their feed began.
type past struct {
	hub   *Hub
	feed  *feed
	views *views
	rows  map[string]old
}

// old is a row that has changed before the feed began.
type old struct {
	key      string
	revision int64
	created  bool
	gone     []byte // what is told of it if it is not there
}

func (p *past) take(ctx context.Context, c catalog.Written) {
	t := &p.feed.topic
	if !t.ofSubscriptions() {
		p.plain(c)
		return
	}
	if c.ID.Kind == catalog.KindReconciler && !c.Created && !c.Deleted {
		return // its queues, which rows follow anyway
	}
	p.hub.known.affected(c.ID, func(n *tenant) {
		if !t.about(n.group.name, n.namespace) || !n.there {
			return
		}
		is := old{key: t.key(n.group.name, n.namespace), revision: c.Revision}
		is.created = c.ID.Kind == catalog.KindSubscription && c.Created && c.ID.API == n.group.name
		if row := p.feed.rows[is.key]; row == nil || !row.there {
			is.gone = p.views.see(ctx, n).shown(t).data // it is there, and not let through
		}
		p.note(is)
	})
	if id := c.ID; id.Kind == catalog.KindSubscription && c.Deleted && t.about(id.API, id.Namespace) {
		gone := sight{view: catalog.SubscriptionView{Subscription: catalog.Subscription{API: id.API, Namespace: id.Namespace}}}
		p.note(old{key: t.key(id.API, id.Namespace), revision: c.Revision, gone: gone.shown(t).data})
	}
}

// plain takes in a change of a record that a row is made of alone.
func (p *past) plain(c catalog.Written) {
	is := old{revision: c.Revision, created: c.Created}
	switch id := c.ID; {
	case id.Kind == catalog.KindNamespace && p.feed.topic.Of == Namespaces:
		is.key, is.gone = id.Namespace, encode(api.Namespace{Name: id.Namespace})
	case id.Kind == catalog.KindRegistration && p.feed.topic.Of == Registrations:
		is.key, is.gone = id.API, encode(api.NewRegistration(&catalog.Registration{Name: id.API}))
	case id.Kind == catalog.KindRole && p.feed.topic.Of == Roles:
		is.key, is.gone = id.Name, encode(api.NewRole(&catalog.Role{Name: id.Name}))
	case id.Kind == catalog.KindRoleBinding && p.feed.topic.Of == RoleBindings:
		is.key, is.gone = id.Name, encode(api.NewRoleBinding(&catalog.RoleBinding{Name: id.Name}))
	case id.Kind == catalog.KindReconciler && p.feed.topic.Of == Reconcilers:
		is.key, is.gone = id.Name, encode(api.NewReconciler(&catalog.Reconciler{ID: id.Name}))
	case id.Kind == catalog.KindKonductor && p.feed.topic.Of == Reconcilers:
		for name := range p.hub.known.reconcilers {
			p.note(old{key: name, revision: c.Revision})
		}
		return
	default:
		return
	}
	p.note(is)
}

// note keeps the last change of a row.
func (p *past) note(is old) {
	is.created = is.created || p.rows[is.key].created
	p.rows[is.key] = is
}

// about tells whether the topic may have the subscription, whatever it is like.
func (t *Topic) about(name, namespace string) bool {
	return (t.API == "" || t.API == name) && (t.Namespace == "" || t.Namespace == namespace)
}

// extend puts what has changed before to the beginning of the order. All that has changed after the revision is known then.
func (f *feed) extend(rows map[string]old, after int64) {
	var all []old
	for _, is := range rows {
		if r := f.rows[is.key]; r == nil && is.gone != nil || r != nil && r.seq == 0 {
			all = append(all, is)
		}
	}
	slices.SortFunc(all, func(a, b old) int { return int(a.revision - b.revision) })
	f.first -= int64(len(all))
	order := make([]entry, 0, len(all)+len(f.order))
	for i, is := range all {
		r := f.rows[is.key]
		if r == nil {
			r = &row{key: is.key, data: is.gone, born: math.MinInt64, joined: math.MinInt64}
			f.rows[is.key] = r
			f.gone++
		}
		r.seq = f.first + int64(i)
		if is.created && r.there {
			r.born = r.seq
		}
		order = append(order, entry{position{r.seq, is.revision}, r})
	}
	f.order = append(order, f.order...)
	f.floor.revision = after
}
