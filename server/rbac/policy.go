// Package rbac decides who may do what. A [Policy] keeps a copy of what decisions need in memory, fed by one watch, so
// that a decision never waits on the store, and knows how old that copy may be.
//
// # How old the copy is
//
// A watch that is broken may look like one that has nothing to tell, and what has lain in a connection while a process
// was stopped looks like news. So the Policy asks the store once a second for its revision, which is a linearizable
// read, and notes when it asked. Once the watch has come to that revision, the copy has every write that was
// acknowledged before the question. If the youngest such moment is longer ago than the bound, nothing is known. Nor is
// anything known after the process itself was stopped, for a second or more, until a question asked since is settled.
package rbac

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"kayra/server/auth"
	"kayra/store"
	"kayra/store/catalog"
)

// DefaultMaxAge outlasts the election of a leader, during which a store does not answer.
const DefaultMaxAge = 5 * time.Second

// Options are what a Policy is made of. Scope is required.
type Options struct {
	Scope  catalog.Scope
	MaxAge time.Duration    // how old the copy may be; 0: DefaultMaxAge
	Logger *slog.Logger     // nil: no log
	Also   []store.Follower // are told all that the policy is, and signs of life as empty batches, so that a process needs one watch; keep no entry
}

// Policy decides from the records of one scope. Its decisions may be asked for from any number of goroutines. It is a
// [store.Follower]; Run feeds it.
type Policy struct {
	scope   catalog.Scope
	log     *slog.Logger
	also    []store.Follower
	started time.Time
	first   chan struct{} // closed once the copy has been known to be up to date
	hurry   chan struct{} // has the store asked at once

	mu    sync.RWMutex
	known *records
	age   age
	err   error // why the watch broke
}

// New makes a policy that knows nothing yet.
func New(o Options) *Policy {
	p := &Policy{
		scope: o.Scope, log: o.Logger, also: o.Also, started: time.Now(), first: make(chan struct{}), hurry: make(chan struct{}, 1), known: newRecords(),
		age: age{most: cmp.Or(o.MaxAge, DefaultMaxAge), reached: unlisted},
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	return p
}

// Run follows the store until ctx ends. It returns nil when all its goroutines have ended.
func (p *Policy) Run(ctx context.Context, s store.Store) error {
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return store.Follow(running, watched{Store: s, policy: p}, p.scope.Prefix(), p) })
	group.Go(func() error { return p.question(running, s) })
	group.Go(func() error { return p.pulse(running) })
	if err := group.Wait(); ctx.Err() == nil {
		return fmt.Errorf("follow roles: %w", err)
	}
	return nil
}

// Wait waits until the policy can decide for the first time.
func (p *Policy) Wait(ctx context.Context) error {
	select {
	case <-p.first:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for roles: %w", ctx.Err())
	}
}

// Reset implements [store.Follower].
func (p *Policy) Reset(entries []store.Entry, revision int64) {
	for _, also := range p.also {
		also.Reset(entries, revision)
	}
	known := newRecords()
	for i, e := range entries {
		known.apply(p.read(e))
		entries[i] = store.Entry{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = known
	p.age.reached = revision
	p.settle()
}

// Apply implements [store.Follower].
func (p *Policy) Apply(batch store.Batch) {
	for _, also := range p.also {
		also.Apply(batch)
	}
	changes := make([]change, 0, len(batch.Events))
	for _, e := range batch.Events {
		if e.Deleted {
			changes = append(changes, change{id: p.scope.ParseKey(e.Key)})
			continue
		}
		changes = append(changes, p.read(e.Entry))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range changes {
		p.known.apply(c)
	}
}

// read decodes a record. One that cannot be read counts as absent, which gives nothing to anyone.
func (p *Policy) read(e store.Entry) change {
	c, err := read(p.scope.ParseKey(e.Key), e)
	if err == nil {
		return c
	}
	p.log.Error("a record cannot be read, and gives nothing to anyone", slog.String("key", e.Key), slog.Any("error", err))
	return change{id: c.id}
}

// Live implements [store.Follower]. It only tells the log: see the package's comment for what the copy's age is.
func (p *Policy) Live(err error) {
	for _, also := range p.also {
		also.Live(err)
	}
	p.mu.Lock()
	before := p.err
	p.err = err
	p.mu.Unlock()
	switch {
	case before == nil && err != nil && !errors.Is(err, context.Canceled):
		p.log.Warn("roles are not followed: the watch broke", slog.Any("error", err))
	case before != nil && err == nil:
		p.log.Info("roles are followed again")
	}
}

// Permit tells whether a role gives the identity what the question is about.
func (p *Policy) Permit(id auth.Identity, q Question) (Decision, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	d := p.known.permit(&id, &q)
	return d, p.stale() // afterwards: the process may have been stopped meanwhile
}

// Check tells whether the identity may use a registered API so: the API and the namespace must be active, the namespace
// must have subscribed to the API, and a role must give it. A question without a namespace is about a resource that has
// none.
func (p *Policy) Check(id auth.Identity, q Question) (Decision, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	d := p.known.check(&id, &q)
	return d, p.stale()
}
