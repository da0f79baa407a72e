package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/go-uuid"

	"kayra/store"
)

// Repository reads and writes the records of one scope. Its methods may be called from any number of goroutines, and by
// any number of processes on one store. They return an [Error] for a refusal, and otherwise wrap the store's error.
type Repository struct {
	store store.Store
	scope Scope
	turn  chan struct{} // held by the one write that tries again
}

// NewRepository has the records of the scope in the store.
func NewRepository(s store.Store, scope Scope) *Repository {
	return &Repository{store: s, scope: scope, turn: make(chan struct{}, 1)}
}

// Scope is the scope of the records.
func (r *Repository) Scope() Scope { return r.scope }

// Revision reads the revision of the store: all that was acknowledged before has this one or a lower one.
func (r *Repository) Revision(ctx context.Context) (int64, error) {
	const nothing = "-" // begins no key
	l, err := r.store.List(ctx, r.scope.Prefix()+nothing, store.ListOptions{Limit: 1})
	if err != nil {
		return 0, fmt.Errorf("read revision: %w", err)
	}
	return l.Revision, nil
}

// Match tells whether a record that has this entity tag is the one that the caller means. nil takes any.
type Match func(tag string) bool

func (m Match) check(what, name, tag string) error {
	if m == nil || m(tag) {
		return nil
	}
	return refuse(ErrPrecondition, "%s %q has changed since it was read (its ETag is %s now): read it again, and decide again",
		what, name, tag)
}

// PageRequest asks for part of a list.
type PageRequest struct {
	After string // only what comes after this position, which an earlier page gave
	Limit int    // at most this many; 0: all
}

// Page is part of a list.
type Page[T any] struct {
	Items []T
	Next  string // After for the page that follows; "": there is none
}

func refuse(kind error, format string, args ...any) error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

func unknownRegistration(name string) error {
	return refuse(ErrNotFound, "there is no API registration %q in this deployment's platform and region; `get catalog apiregistrations` lists those there are", clip(name))
}

func unknownNamespace(name string) error {
	return refuse(ErrNotFound, "there is no namespace %q; `get catalog namespaces` lists those there are", clip(name))
}

func unknownSubscription(namespace, api string) error {
	return refuse(ErrNotFound, "namespace %q has no subscription to %q", clip(namespace), clip(api))
}

// maxTries bounds how often a write is decided again because another one came first. Each try loses only to a write that
// succeeded, so that running out of them takes a flood of writes to one record.
const maxTries = 64

// again decides a transaction until it is not overtaken. decide reads what it needs and returns the transaction. Writes
// that lost once take turns from then on, since a crowd that tries at once loses nearly all of its tries.
func (r *Repository) again(ctx context.Context, what string, decide func() (store.Txn, error)) (store.Result, error) {
	res, err := r.once(ctx, what, decide)
	if err != nil || res.OK {
		return res, err
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return store.Result{}, fmt.Errorf("%s: %w", what, ctx.Err())
	}
	for range maxTries {
		if res, err := r.once(ctx, what, decide); err != nil || res.OK {
			return res, err
		}
	}
	return store.Result{}, refuse(ErrBusy, "%s: too many others write the same record; nothing was changed: try again", what)
}

// dry is a decision of which nothing is carried out. That what it was made from is still so is compared all the same.
func dry(decide func() (store.Txn, error)) func() (store.Txn, error) {
	return func() (store.Txn, error) {
		txn, err := decide()
		txn.Then = nil
		return txn, err
	}
}

func (r *Repository) once(ctx context.Context, what string, decide func() (store.Txn, error)) (store.Result, error) {
	txn, err := decide()
	if err != nil {
		return store.Result{}, err
	}
	res, err := r.store.Txn(ctx, txn)
	if err != nil {
		return store.Result{}, fmt.Errorf("%s: %w", what, err)
	}
	return res, nil
}

// decided carries out a transaction that was decided from records as they were then, and returns its revision. It fails
// with ErrStale when they are no longer so.
func (r *Repository) decided(ctx context.Context, verb, name string, txn store.Txn) (int64, error) {
	res, err := r.store.Txn(ctx, txn)
	if err != nil {
		return 0, fmt.Errorf("%s %q: %w", verb, name, err)
	}
	if !res.OK {
		return 0, ErrStale
	}
	return res.Revision, nil
}

// unchanged holds when the key was last written at the revision; 0: when it is absent.
func unchanged(key string, revision int64) store.Cond {
	return store.Unchanged(store.Entry{Key: key, ModRevision: revision})
}

// read reads the keys at one revision.
func (r *Repository) read(ctx context.Context, keys ...string) (store.Result, error) {
	res, err := r.store.Txn(ctx, store.Txn{Then: gets(keys)})
	if err != nil {
		return store.Result{}, fmt.Errorf("read records: %w", err)
	}
	return res, nil
}

func gets(keys []string) []store.Op {
	ops := make([]store.Op, 0, len(keys))
	for _, k := range keys {
		ops = append(ops, store.Get(k))
	}
	return ops
}

// find decodes the record under key, if the result has it.
func find(res store.Result, key string, v record) (bool, error) {
	e, ok := res.Got[key]
	if !ok {
		return false, nil
	}
	return true, Decode(e, v)
}

// list decodes the records under a prefix.
func list[T any, P interface {
	*T
	record
}](ctx context.Context, r *Repository, prefix string, page PageRequest) (Page[T], error) {
	l, err := r.store.List(ctx, prefix, page.options(prefix))
	if err != nil {
		return Page[T]{}, fmt.Errorf("list records: %w", err)
	}
	out := Page[T]{Items: make([]T, len(l.Entries))}
	for i, e := range l.Entries {
		if err := Decode(e, P(&out.Items[i])); err != nil {
			return Page[T]{}, err
		}
	}
	if l.More {
		out.Next = l.Entries[len(l.Entries)-1].Key[len(prefix):]
	}
	return out, nil
}

func newID() (string, error) {
	id, err := uuid.GenerateUUID()
	if err != nil {
		return "", fmt.Errorf("generate id: %w", err)
	}
	return id, nil
}

// now is the time that a record is stamped with.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
