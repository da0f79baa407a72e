// Package feed keeps a dashboard's copy of a deployment up to date: it follows what the server lists, asks the server and the
// reconcilers how they are doing, and hands over what is new in batches, at a pace that a terminal can follow.
package feed

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"kayra/server/client"
	"kayra/tui/fleet"
)

// Server is the server, as [client.Client] speaks to it.
type Server interface {
	Do(ctx context.Context, method, path string, body []byte) (client.Answer, error)
	Follow(ctx context.Context, path string, f client.Follower, now <-chan struct{}) error
}

// Asker is a reconciler, as [client.Client] speaks to it.
type Asker interface {
	Exchange(ctx context.Context, method, path string, body []byte) (client.Answer, error)
	Close()
}

// Options say what a feed is made of, and how fast it goes. Server, Open and Explain are required.
type Options struct {
	Server    Server
	Open      func(endpoint string) (Asker, error) // the error says in a sentence why that reconciler is not asked
	Explain   func(error) string                   // an error as a person is to read it: what is wrong, and what to do
	Namespace string                               // whose subscriptions are followed where the caller may not see all; "": nobody's

	Now   func() time.Time
	Batch time.Duration // between two batches at least; 0: 100 ms
	Ask   time.Duration // between two questions; 0: 2 s
	Slow  time.Duration // until something is tried again that was refused; 0: 1 min
}

// Feed is a feed. Its methods may be called from any number of goroutines, but Follow one at a time.
type Feed struct {
	Options

	crew *crew
}

// New makes a feed, which does nothing yet.
func New(o Options) *Feed {
	const batch, ask, slow = 100 * time.Millisecond, 2 * time.Second, time.Minute
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Batch, o.Ask, o.Slow = cmp.Or(o.Batch, batch), cmp.Or(o.Ask, ask), cmp.Or(o.Slow, slow)
	return &Feed{Options: o, crew: newCrew()}
}

// Follow sends to out what is new until ctx ends, whatever happens on the way. Each thing that cannot be had is told as a
// [fleet.Source] or a [fleet.Word], and tried again; now has that done at once. It returns ctx's error, when all that it has
// begun has ended.
func (f *Feed) Follow(ctx context.Context, out chan<- []fleet.Update, now <-chan struct{}) error {
	pending, knocks := newBox(), &knocks{}
	var all sync.WaitGroup
	all.Go(func() { pending.deliver(ctx, out, f.Batch) })
	all.Go(func() { knocks.pass(ctx, now) })
	if catalog := f.discover(ctx, pending, knocks.hear()); catalog != "" {
		for _, s := range f.streams(catalog, pending) {
			knock := knocks.hear()
			all.Go(func() { s.run(ctx, f, knock) })
		}
		figures := knocks.hear()
		all.Go(func() { f.figures(ctx, pending, figures) })
		all.Go(func() { f.crew.run(ctx, f, pending, knocks) })
	}
	all.Wait()
	return fmt.Errorf("follow the deployment: %w", context.Cause(ctx))
}

// knocks passes on the wish to have something tried at once to all who wait.
type knocks struct {
	mu  sync.Mutex
	all map[chan struct{}]bool
}

// hear gives one more who waits.
func (k *knocks) hear() chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[chan struct{}]bool{}
	}
	one := make(chan struct{}, 1)
	k.all[one] = true
	return one
}

// leave is for one who waits no more.
func (k *knocks) leave(one chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.all, one)
}

func (k *knocks) pass(ctx context.Context, now <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-now:
			if !open {
				return
			}
		}
		k.mu.Lock()
		for one := range k.all {
			select {
			case one <- struct{}{}:
			default: // has one to come
			}
		}
		k.mu.Unlock()
	}
}

// wait waits for the time, or until it is asked to go on. It tells whether ctx goes on.
func wait(ctx context.Context, d time.Duration, now <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-now:
	}
	return ctx.Err() == nil
}
