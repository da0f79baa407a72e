package reconciler_test

import (
	"net/http"
	"slices"

	"kayra/store/catalog"
)

// watched is a subscription whose record is looked at after every write to it.
type watched struct {
	world  *world
	id     catalog.ID
	since  int64
	before catalog.Subscription // the zero value: there was none
}

// watch remembers a subscription as it is now, for what is written to it from now on.
func (w *world) watch(api, ns string) watched {
	w.t.Helper()
	v, err := w.Subscription(w.t.Context(), ns, api)
	if err != nil && !isKind(err, catalog.ErrNotFound) {
		w.t.Fatal(err)
	}
	id := catalog.ID{Kind: catalog.KindSubscription, API: api, Namespace: ns}
	return watched{world: w, id: id, since: w.mark(), before: v.Subscription}
}

// versions are the record after every write to it.
func (o watched) versions() []catalog.Subscription {
	o.world.t.Helper()
	var versions []catalog.Subscription
	for _, e := range o.world.since(o.since) {
		if e.Deleted || scope().ParseKey(e.Key) != o.id {
			continue
		}
		var sub catalog.Subscription
		must(o.world.t, catalog.Decode(e.Entry, &sub))
		versions = append(versions, sub)
	}
	return versions
}

// outcomes lists the states that outcomes have left, and checks that nothing else has written the state, and nothing but
// outcomes and clients the time of the last update.
func (o watched) outcomes() []catalog.State {
	o.world.t.Helper()
	var states []catalog.State
	before := o.before
	for _, now := range o.versions() {
		same := now.Attempt == before.Attempt
		switch final := now.Attempt.Phase == catalog.PhaseSuccess || now.Attempt.Phase == catalog.PhaseError; {
		case final && !same:
			states = append(states, now.State)
		case before.UID == now.UID && now.State != before.State:
			o.world.t.Errorf("state went from %s to %s without an outcome: %+v", before.State, now.State, now)
		case before.UID == now.UID && now.Generation == before.Generation && !now.UpdatedAt.Equal(before.UpdatedAt):
			o.world.t.Errorf("updated_at changed without an outcome: %+v", now)
		}
		before = now
	}
	return states
}

func (o watched) want(states ...catalog.State) {
	o.world.t.Helper()
	if got := o.outcomes(); !slices.Equal(got, states) {
		o.world.t.Errorf("outcomes recorded of %s: %v, not %v", o.id.Namespace, got, states)
	}
}

// fails answers the calls for the namespaces with 500, and all others with 200.
func fails(namespaces ...string) func(call) int {
	return func(c call) int {
		if slices.Contains(namespaces, c.namespace) {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	}
}

func succeeds(call) int { return http.StatusOK }

// wantGone waits until the call's run has been cancelled.
func (w *world) wantGone(c held) {
	w.t.Helper()
	w.eventually("the run of "+c.namespace+" is cancelled", func() bool { return ended(c.gone) })
}
