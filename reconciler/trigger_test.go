package reconciler_test

import (
	"fmt"
	"slices"
	"testing"

	"kayra/store/catalog"
)

// rollout is how far a canary rollout has come when a trigger is pulled.
type rollout int

const (
	noRollout rollout = iota
	heldBack          // one is pending, and it has not reached the subscription
	reached           // one is pending, and the subscription is its canary
)

// trigger is something that entitles a subscription to be tried.
type trigger struct {
	name string
	when rollout
	pull func(p *place) error
}

// place is where a trigger is pulled: a registration, and a subscription to it that fails from then on.
type place struct {
	*world

	api, ns, other string   // other subscribes, too, and does not fail
	guest          *process // a reconciler that was started as a trigger, or nil
}

func create() trigger {
	return trigger{"create", noRollout, func(p *place) error {
		_, err := p.Subscribe(p.t.Context(), p.ns, p.api)
		return err
	}}
}

func start() trigger {
	return trigger{"start", noRollout, func(p *place) error {
		if p.fleet.backend == "local" {
			p.started[len(p.started)-1].stop()
		}
		p.guest = p.startOne()
		return nil
	}}
}

func synced(name string, when rollout, req func(p *place) catalog.SyncRequest) trigger {
	return trigger{name, when, func(p *place) error {
		_, err := p.SyncRegistration(p.t.Context(), p.api, req(p), nil)
		return err
	}}
}

func updated(name string, change catalog.RegistrationChange) trigger {
	return trigger{name, noRollout, func(p *place) error {
		_, err := p.UpdateRegistration(p.t.Context(), p.api, change, nil)
		return err
	}}
}

// clientWrites are the triggers that are a client's write to something that is there.
func clientWrites() []trigger {
	return []trigger{
		{"no-op PUT", noRollout, func(p *place) error {
			_, err := p.TouchSubscription(p.t.Context(), p.ns, p.api, nil)
			return err
		}},
		{"forced re-sync", noRollout, func(p *place) error {
			_, err := p.Resync(p.t.Context(), p.ns, p.api, nil)
			return err
		}},
		updated("registration write", catalog.RegistrationChange{Owner: new("sre-b")}),
		synced("sync", noRollout, func(*place) catalog.SyncRequest { return catalog.SyncRequest{} }),
		synced("release", heldBack, func(*place) catalog.SyncRequest { return catalog.SyncRequest{Release: true} }),
		synced("abort", reached, func(*place) catalog.SyncRequest { return catalog.SyncRequest{Abort: true} }),
	}
}

// arrange makes a place where the triggers can be pulled. The subscription has failed before, if it is there.
func (w *world) arrange(n int, triggers ...trigger) *place {
	w.t.Helper()
	p := &place{
		world: w, api: fmt.Sprintf("place%d.example.com", n),
		ns: fmt.Sprintf("failing%d", n), other: fmt.Sprintf("healthy%d", n),
	}
	w.app.behave(fails())
	w.register(p.api, p.other)
	w.subscribe(p.api, p.ns)
	w.settle()
	w.app.behave(fails(p.ns))
	when := noRollout
	for _, t := range triggers {
		when = max(when, t.when)
	}
	p.roll(when)
	if slices.ContainsFunc(triggers, func(t trigger) bool { return t.name == "create" }) {
		must(w.t, w.Unsubscribe(w.t.Context(), p.ns, p.api, nil))
		w.settle()
	}
	w.app.forget()
	return p
}

func (p *place) roll(to rollout) {
	p.t.Helper()
	var req catalog.SyncRequest
	switch to {
	case noRollout:
	case heldBack:
		req.CanaryNamespaces = []string{p.other}
	case reached:
		req.CanaryNamespaces = []string{p.ns}
	}
	_, err := p.SyncRegistration(p.t.Context(), p.api, req, nil)
	must(p.t, err)
	p.settle()
}

// pull pulls a trigger and perhaps a second one at the same time, and waits until nothing happens any more. A client may
// be refused what another one has made impossible.
func (p *place) pull(first trigger, second ...trigger) {
	p.t.Helper()
	errs := make(chan error, len(second))
	for _, t := range second {
		go func() { errs <- t.pull(p) }()
	}
	err := first.pull(p)
	for _, e := range []error{err, <-orNil(errs)} {
		if e != nil && (len(second) == 0 || !isKind(e, catalog.ErrConflict) && !isKind(e, catalog.ErrNotFound)) {
			p.t.Error(e)
		}
	}
	p.settle()
}

func orNil(errs chan error) chan error {
	if cap(errs) == 0 {
		close(errs)
	}
	return errs
}

// leave takes the failing subscription away, so that what comes next does not trigger it.
func (p *place) leave() {
	p.t.Helper()
	must(p.t, p.Unsubscribe(p.t.Context(), p.ns, p.api, nil))
	if p.guest != nil && p.fleet.backend == "etcd" {
		p.guest.stop()
	}
}

func TestTriggerIsWorthTwoAttempts(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		alone := append(clientWrites(), create(), start(),
			updated("new id by PUT", catalog.RegistrationChange{SyncID: new("v2")}),
			synced("canary", noRollout, func(p *place) catalog.SyncRequest {
				return catalog.SyncRequest{CanaryNamespaces: []string{p.ns}}
			}))
		for i, tr := range alone {
			p := w.arrange(i, tr)
			seen := w.watch(p.api, p.ns)
			p.pull(tr)
			calls := w.app.of(p.ns)
			if len(calls) != 2 {
				w.t.Errorf("%s: %d calls, not 2", tr.name, len(calls))
			} else if calls[0].key == calls[1].key || calls[0].key == "" {
				w.t.Errorf("%s: the immediate retry has the first attempt's key %q", tr.name, calls[0].key)
			}
			seen.want(catalog.StateError)
			p.leave()
		}
		w.wantNoLocks()
	})
}

func TestTwoTriggersAtOnce(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.start()
		kinds := append(clientWrites(), create(), start())
		for i, first := range kinds {
			for k, second := range kinds[:i+1] {
				if second.name == "start" {
					continue // one at a time
				}
				p := w.arrange(i*len(kinds)+k, first, second)
				seen := w.watch(p.api, p.ns)
				p.pull(first, second)
				if n := len(w.app.of(p.ns)); n < 2 || n > 4 {
					w.t.Errorf("%s and %s: %d calls, not 2 to 4", first.name, second.name, n)
				}
				if got := seen.outcomes(); len(got) < 1 || len(got) > 2 || got[len(got)-1] != catalog.StateError {
					w.t.Errorf("%s and %s: outcomes %v, not one or two errors", first.name, second.name, got)
				}
				p.leave()
			}
		}
		w.wantNoLocks()
	})
}
