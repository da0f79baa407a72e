// Package katalog counts what was asked of each registration and of its subscriptions in this process, and what became of
// it, and keeps at hand how each is doing. A [Katalog] is told which registrations there are by the watch that the process has anyway, so that it asks the store
// nothing, knows no name but those of registrations, and forgets one that is deleted.
package katalog

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"kayra/store"
	"kayra/store/catalog"
)

// Katalog has the figures of every registration of a scope. It is a [store.Follower], and its other methods may be called
// from any number of goroutines.
type Katalog struct {
	scope  catalog.Scope
	log    *slog.Logger
	listed atomic.Bool

	mu      sync.RWMutex
	apis    map[string]*api
	health  map[string]Health
	reached int64            // revision that the watch has come to
	ahead   map[string]int64 // registrations that a write has proved and the watch has not told of, by the write's revision
}

// New makes a katalog that knows of no registration yet. Without a logger there is no log.
func New(scope catalog.Scope, log *slog.Logger) *Katalog {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Katalog{scope: scope, log: log, apis: map[string]*api{}, health: map[string]Health{}, ahead: map[string]int64{}}
}

// Listed tells whether it is known which registrations there are.
func (k *Katalog) Listed() bool { return k.listed.Load() }

// Count counts a write. One about what is no registration is not counted.
func (k *Katalog) Count(w Write) {
	if a := k.about(w); a != nil {
		a.count(w)
	}
}

// about is the registration that a write was about. The watch may not have told of it yet: a write that was done proves
// that it is there, or was at that revision, and one that has created it that a namesake is gone.
func (k *Katalog) about(w Write) *api {
	k.mu.RLock()
	a := k.apis[w.API]
	k.mu.RUnlock()
	if w.Revision == 0 || a != nil && w.Created == "" {
		return a
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	a = k.apis[w.API]
	if w.Revision <= k.reached || a != nil && (w.Created == "" || w.Created == a.uid) {
		return a
	}
	k.apis[w.API], k.ahead[w.API] = &api{name: w.API, uid: w.Created}, w.Revision
	return k.apis[w.API]
}

// overtaken tells whether news of a registration is older than the write that has created it, so that it is about a
// namesake.
func (k *Katalog) overtaken(name string, e store.Entry) bool {
	a := k.apis[name]
	return a != nil && a.uid != "" && e.ModRevision < k.ahead[name]
}

// Figures are those of all registrations, by name. What it costs for each does not depend on what was counted.
func (k *Katalog) Figures() []Figures {
	k.mu.RLock()
	all := make([]*api, 0, len(k.apis))
	for _, a := range k.apis {
		all = append(all, a)
	}
	k.mu.RUnlock()
	slices.SortFunc(all, func(a, b *api) int { return strings.Compare(a.name, b.name) })
	out := make([]Figures, len(all))
	for i, a := range all {
		out[i] = a.figures()
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	for i := range out {
		out[i].Health = k.health[out[i].API]
	}
	return out
}

// Of has the figures of one registration, if there is one of that name.
func (k *Katalog) Of(name string) (Figures, bool) {
	k.mu.RLock()
	a, health := k.apis[name], k.health[name]
	k.mu.RUnlock()
	if a == nil {
		return Figures{}, false
	}
	f := a.figures()
	f.Health = health
	return f, true
}

// Reset implements [store.Follower]. The entries stay the caller's.
func (k *Katalog) Reset(entries []store.Entry, revision int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reached = revision
	clear(k.health)
	there := map[string]bool{}
	for _, e := range entries {
		id := k.scope.ParseKey(e.Key)
		switch {
		case id.Kind == catalog.KindHealth:
			k.diagnose(id.API, e)
		case id.Kind == catalog.KindRegistration && !k.overtaken(id.API, e):
			there[id.API] = true
			k.put(id.API, e)
		}
	}
	for name := range k.apis {
		if !there[name] && k.ahead[name] <= revision {
			k.forget(name)
		}
	}
	k.listed.Store(true)
}

// Apply implements [store.Follower].
func (k *Katalog) Apply(batch store.Batch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range batch.Events {
		id := k.scope.ParseKey(e.Key)
		switch {
		case id.Kind == catalog.KindHealth && e.Deleted:
			delete(k.health, id.API)
		case id.Kind == catalog.KindHealth:
			k.diagnose(id.API, e.Entry)
		case id.Kind != catalog.KindRegistration, k.overtaken(id.API, e.Entry):
		case e.Deleted:
			k.forget(id.API)
		default:
			k.put(id.API, e.Entry)
		}
	}
	k.reached = batch.Revision
	for name, revision := range k.ahead { // of what was created and deleted by now
		if revision <= batch.Revision {
			k.forget(name)
		}
	}
}

// Live implements [store.Follower]. What was counted counts, whether the watch runs or not.
func (*Katalog) Live(error) {}

// put takes over a registration. One that was deleted and made anew while nobody watched begins anew.
func (k *Katalog) put(name string, e store.Entry) {
	var reg catalog.Registration
	if err := catalog.Decode(e, &reg); err != nil {
		k.log.Error("a registration cannot be read, and nothing is counted for it", slog.String("key", e.Key), slog.Any("error", err))
		k.forget(name)
		return
	}
	a := k.apis[name]
	if a == nil || a.uid != "" && a.uid != reg.UID {
		a = &api{name: name}
		k.apis[name] = a
	}
	delete(k.ahead, name)
	a.describe(&reg)
}

// diagnose takes over how a registration is doing.
func (k *Katalog) diagnose(name string, e store.Entry) {
	var h catalog.Health
	if err := catalog.Decode(e, &h); err != nil {
		k.log.Error("a registration's health cannot be read", slog.String("key", e.Key), slog.Any("error", err))
		delete(k.health, name)
		return
	}
	k.health[name] = Health{h.State, h.Reason, h.Since}
}

func (k *Katalog) forget(name string) {
	delete(k.apis, name)
	delete(k.ahead, name)
}
