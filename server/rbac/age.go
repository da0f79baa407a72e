package rbac

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"kayra/store"
)

const (
	unlisted = -1 // the revision of a copy that is not there yet
	// interval is the time between two questions for the store's revision, unless the bound is shorter than a few.
	interval = time.Second
	// stop is how long a process is not seen to run before it counts as stopped, and beats the time between two looks.
	stop, beats = time.Second, 200 * time.Millisecond
	// nothing is a prefix, under the scope's, that no key has: listing it tells the revision alone.
	nothing = "-"
)

// age is how old the copy may be.
type age struct {
	most    time.Duration
	reached int64     // the revision that the copy has come to
	asked   int64     // a revision that the store had, and the copy has not; 0: none
	askedAt time.Time // before the store was asked for it
	proven  time.Time // the copy has every write acknowledged before; zero: that is not known of any time
	beat    time.Time // when this process was last seen to run; zero: nobody looks
	doubted time.Time // what was asked before this moment proves nothing
}

// StaleError says that the copy is too old to decide from.
type StaleError struct {
	Age  time.Duration // of the copy; 0: there is none yet
	Most time.Duration
}

func (e *StaleError) Error() string {
	if e.Age == 0 {
		return "who may do what is not known yet: the roles are still being read from the store"
	}
	return fmt.Sprintf("who may do what is not known for sure now: what is known of the roles is %s old, and %s is the most that counts",
		e.Age.Round(time.Second), e.Most)
}

// told notes that the store had a revision, and when it was asked. before is what the copy had come to by then.
func (a *age) told(revision, before int64, at time.Time) {
	switch {
	case at.Before(a.doubted):
	case revision < before: // restored from a backup: what the copy has may never have been
		a.proven, a.asked = time.Time{}, 0
	case a.reached >= revision:
		a.proven, a.asked = at, 0
	case a.asked == 0 || revision < a.asked: // the older question is met sooner, unless its store is no more
		a.asked, a.askedAt = revision, at
	}
}

// settle draws the conclusion from how far the copy has come.
func (p *Policy) settle() {
	a := &p.age
	if a.asked != 0 && a.reached >= a.asked {
		a.proven, a.asked = a.askedAt, 0
	}
	if a.proven.IsZero() {
		return
	}
	select {
	case <-p.first:
	default:
		close(p.first)
	}
}

// since is how long ago a moment was. The monotonic clock stands still while a machine sleeps, and the other one can be
// set: the one that has gone further counts.
func since(t time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)))
}

func (p *Policy) stale() error {
	a := &p.age
	if a.reached == unlisted || a.proven.IsZero() || a.stopped() {
		return &StaleError{Most: a.most}
	}
	if old := since(a.proven); old > a.most {
		return &StaleError{Age: old, Most: a.most}
	}
	return nil
}

// stopped tells whether the process has just gone on after a stop.
func (a *age) stopped() bool { return !a.beat.IsZero() && since(a.beat) > stop }

// pulse notices that the process was stopped. What it knew may have changed since, and what it is about to read may have
// been sent before.
func (p *Policy) pulse(ctx context.Context) error {
	ticker := time.NewTicker(beats)
	defer ticker.Stop()
	for {
		p.mu.Lock()
		if p.age.stopped() {
			p.age.proven, p.age.asked, p.age.doubted = time.Time{}, 0, time.Now()
			select {
			case p.hurry <- struct{}{}:
			default:
			}
		}
		p.age.beat = time.Now()
		p.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // Run does
		case <-ticker.C:
		}
	}
}

// Stale fails with a [StaleError] while the policy cannot decide.
func (p *Policy) Stale() error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.stale()
}

// Age is how old the copy may be or, as long as there is none, the policy itself.
func (p *Policy) Age() time.Duration {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.age.proven.IsZero() {
		return since(p.started)
	}
	return since(p.age.proven)
}

// question asks the store for its revision, again and again.
func (p *Policy) question(ctx context.Context, s store.Store) error {
	const share = 4 // of the bound, at most, is between two questions
	ticker := time.NewTicker(min(interval, p.age.most/share))
	defer ticker.Stop()
	for {
		p.ask(ctx, s)
		select {
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // Run does
		case <-ticker.C:
		case <-p.hurry:
		}
	}
}

func (p *Policy) ask(ctx context.Context, s store.Store) {
	p.mu.RLock()
	before := p.age.reached
	p.mu.RUnlock()
	ctx, cancel := context.WithTimeout(ctx, p.age.most) // an answer that comes later says nothing
	defer cancel()
	at := time.Now()
	l, err := s.List(ctx, p.scope.Prefix()+nothing, store.ListOptions{Limit: 1})
	if err != nil {
		p.log.LogAttrs(ctx, slog.LevelDebug, "revision not read", slog.Any("error", err))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.age.told(l.Revision, before, at)
	p.settle()
}

// watched is a store that tells the policy how far its watch has come.
type watched struct {
	store.Store

	policy *Policy
}

func (w watched) Watch(ctx context.Context, prefix string, from int64, fn func(store.Batch) error) error {
	//nolint:wrapcheck // stands in for it
	return w.Store.Watch(ctx, prefix, from, func(b store.Batch) error {
		if err := fn(b); err != nil {
			return err
		}
		if len(b.Events) == 0 { // which nobody is told otherwise
			for _, also := range w.policy.also {
				also.Apply(b)
			}
		}
		w.policy.mu.Lock()
		defer w.policy.mu.Unlock()
		w.policy.age.reached = b.Revision // the next question draws the conclusion
		return nil
	})
}
