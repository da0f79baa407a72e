package feed

import (
	"context"
	"sync"
	"time"

	"kayra/tui/fleet"
)

// box is what is new and has not been handed over yet. What is overtaken by something newer is dropped, so that a reader who
// does not read costs no more memory than what there is.
type box struct {
	ready chan struct{} // there is something

	mu            sync.Mutex
	apis          []fleet.APIs
	subscriptions []fleet.Subscriptions
	changes       int // in subscriptions
	most          int // beyond which they are looked through for what is overtaken
	reconcilers   []fleet.Reconcilers
	words         map[string]*fleet.Word
	figures       *fleet.Figures
	sources       map[string]fleet.Source
}

// fewChanges are not worth being looked through.
const fewChanges = 4096

func newBox() *box {
	return &box{ready: make(chan struct{}, 1), most: fewChanges, words: map[string]*fleet.Word{}, sources: map[string]fleet.Source{}}
}

func (b *box) change(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

func (b *box) addAPIs(u fleet.APIs) {
	b.change(func() {
		if n := len(b.apis); n > 0 && !u.Whole && !b.apis[n-1].Whole {
			b.apis[n-1].Changes = append(b.apis[n-1].Changes, u.Changes...)
			return
		}
		if u.Whole {
			b.apis = nil
		}
		b.apis = append(b.apis, u)
	})
}

func (b *box) addReconcilers(u fleet.Reconcilers) {
	b.change(func() {
		if n := len(b.reconcilers); n > 0 && !u.Whole && !b.reconcilers[n-1].Whole {
			b.reconcilers[n-1].Changes = append(b.reconcilers[n-1].Changes, u.Changes...)
			return
		}
		if u.Whole {
			b.reconcilers = nil
		}
		b.reconcilers = append(b.reconcilers, u)
	})
}

func (b *box) addSubscriptions(u fleet.Subscriptions) {
	b.change(func() {
		if u.Whole {
			b.subscriptions, b.changes = nil, 0
		}
		b.changes += len(u.Changes)
		if n := len(b.subscriptions); n > 0 && !u.Whole && !b.subscriptions[n-1].Whole && b.subscriptions[n-1].Late == u.Late {
			b.subscriptions[n-1].Changes = append(b.subscriptions[n-1].Changes, u.Changes...)
		} else {
			b.subscriptions = append(b.subscriptions, u)
		}
		if b.changes > b.most {
			b.compact()
		}
	})
}

// compact keeps the last change of each subscription alone.
func (b *box) compact() {
	sum := fleet.Subscriptions{Whole: b.subscriptions[0].Whole, Late: true}
	at := map[fleet.Key]int{}
	for _, u := range b.subscriptions {
		sum.At = u.At
		for _, c := range u.Changes {
			key := fleet.Key{API: c.API, Namespace: c.Namespace}
			if i, known := at[key]; known {
				sum.Changes[i] = c
				continue
			}
			at[key] = len(sum.Changes)
			sum.Changes = append(sum.Changes, c)
		}
	}
	b.subscriptions, b.changes = []fleet.Subscriptions{sum}, len(sum.Changes)
	b.most = max(fewChanges, 2*b.changes) //nolint:mnd // is worth it only if half of them go
}

func (b *box) addWord(w *fleet.Word)       { b.change(func() { b.words[w.Reconciler] = w }) }
func (b *box) addFigures(f *fleet.Figures) { b.change(func() { b.figures = f }) }
func (b *box) addSource(s fleet.Source)    { b.change(func() { b.sources[s.Name] = s }) }

// take empties the box.
func (b *box) take() []fleet.Update {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []fleet.Update
	for i := range b.apis {
		all = append(all, &b.apis[i])
	}
	for i := range b.subscriptions {
		all = append(all, &b.subscriptions[i])
	}
	for i := range b.reconcilers {
		all = append(all, &b.reconcilers[i])
	}
	for _, w := range b.words {
		all = append(all, w)
	}
	if b.figures != nil {
		all = append(all, b.figures)
	}
	for _, s := range b.sources {
		all = append(all, s)
	}
	b.apis, b.subscriptions, b.changes, b.most, b.reconcilers, b.figures = nil, nil, 0, fewChanges, nil, nil
	clear(b.words)
	clear(b.sources)
	return all
}

// deliver hands over what is new until ctx ends, not more often than at the pace.
func (b *box) deliver(ctx context.Context, out chan<- []fleet.Update, pace time.Duration) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.ready:
		}
		batch := b.take()
		if len(batch) == 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case out <- batch:
		}
		if !wait(ctx, pace, nil) {
			return
		}
	}
}
