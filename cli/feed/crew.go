package feed

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"kayra/reconciler/katalog"
	"kayra/server/api"
	"kayra/tui/fleet"
)

// askedWithin is for how long an answer of a reconciler is waited for, which may be out of reach from here.
const askedWithin = 2 * time.Second

// reassure is after how long an answer is passed on that says nothing new, so that the copy does not look old.
const reassure = 10 * time.Second

// crew is the reconcilers that are alive, as far as the server has told. Each is asked by a goroutine of its own.
type crew struct {
	changed chan struct{}

	mu   sync.Mutex
	all  map[string]api.Reconciler
	told bool // all that are alive
}

func newCrew() *crew { return &crew{changed: make(chan struct{}, 1), all: map[string]api.Reconciler{}} }

// alive notes what the server has told.
func (c *crew) alive(whole bool, changes []fleet.ReconcilerChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if whole {
		clear(c.all)
		c.told = true
	}
	for i := range changes {
		if changes[i].Gone {
			delete(c.all, changes[i].ID)
		} else {
			c.all[changes[i].ID] = changes[i].Reconciler
		}
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// list is those that are alive, by id.
func (c *crew) list() []api.Reconciler {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]api.Reconciler, 0, len(c.all))
	for _, r := range c.all {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b api.Reconciler) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// asking is a goroutine that asks a reconciler.
type asking struct {
	endpoint string
	stop     context.CancelFunc
}

// known tells whether the server has told which are alive.
func (c *crew) known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told
}

// run asks those that are alive until ctx ends.
func (c *crew) run(ctx context.Context, f *Feed, to *box, k *knocks) {
	var all sync.WaitGroup
	defer all.Wait()
	asked := map[string]asking{}
	for {
		there := map[string]bool{}
		for _, r := range c.list() {
			there[r.ID] = true
			old, known := asked[r.ID]
			if known && old.endpoint == r.Endpoint {
				continue
			}
			if known {
				old.stop()
			}
			bound, stop := context.WithCancel(ctx)
			asked[r.ID] = asking{r.Endpoint, stop}
			all.Go(func() { f.ask(bound, r, to, k) })
		}
		for id, a := range asked {
			if !there[id] {
				a.stop()
				delete(asked, id)
			}
		}
		select {
		case <-ctx.Done():
			for _, a := range asked {
				a.stop()
			}
			return
		case <-c.changed:
		}
	}
}

// ask asks a reconciler how it is doing until ctx ends. One that may not be asked is not.
func (f *Feed) ask(ctx context.Context, r api.Reconciler, to *box, k *knocks) {
	at, err := f.Open(r.Endpoint)
	if err != nil {
		to.addWord(&fleet.Word{Reconciler: r.ID, Problem: err.Error()})
		return
	}
	defer at.Close()
	now := k.hear()
	defer k.leave(now)
	var b backoff
	var said fleet.Word
	for {
		word, err := f.word(ctx, r.ID, at)
		pause := f.Ask
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			pause = b.next()
		default:
			b.reset()
		}
		if !same(word, &said) || word.At.Sub(said.At) >= reassure {
			said = *word
			to.addWord(word)
		}
		if !wait(ctx, pause, now) {
			return
		}
	}
}

// word is what a reconciler answers, or why it does not.
func (f *Feed) word(ctx context.Context, id string, at Asker) (*fleet.Word, error) {
	bound, cancel := context.WithTimeout(ctx, askedWithin)
	defer cancel()
	k := &katalog.KatalogResponse{}
	if err := katalogOf(bound, at, katalogPath, k); err != nil {
		return &fleet.Word{Reconciler: id, Problem: f.Explain(err)}, err
	}
	return &fleet.Word{Reconciler: id, Katalog: k, At: f.Now()}, nil
}

// same tells whether two answers say the same, but for how late it is.
func same(a, b *fleet.Word) bool {
	if a.Katalog == nil || b.Katalog == nil {
		return a.Katalog == nil && b.Katalog == nil && a.Problem == b.Problem && a.Problem != ""
	}
	return a.Problem == b.Problem && reflect.DeepEqual(timeless(a.Katalog), timeless(b.Katalog))
}

func timeless(k *katalog.KatalogResponse) katalog.KatalogResponse {
	out := *k
	out.CRDs = slices.Clone(k.CRDs)
	for i := range out.CRDs {
		out.CRDs[i].Uptime = ""
	}
	return out
}
