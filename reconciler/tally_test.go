package reconciler_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kayra/reconciler"
	"kayra/store/catalog"
)

// Counting with each record that changes comes to the same as counting all of them, in whatever order they come.
func TestTally(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		reg := &catalog.Registration{Name: compute, SyncID: "b"}
		tallies := reconciler.NewTallies(reg)
		there := map[string]*catalog.Subscription{}
		revision := int64(100)
		for range rapid.IntRange(1, 60).Draw(r, "records") {
			ns := rapid.SampledFrom([]string{"apps", "ops", "sre"}).Draw(r, "namespace")
			revision++
			there[ns] = drawnRecord(r, ns, revision)
			tallies.Put(ns, there[ns])
			if rapid.Bool().Draw(r, "look") {
				look(r, tallies, there)
			}
		}
		look(r, tallies, there)
	})
}

// drawnRecord is a record of any age, as a list may bring it, or nil.
func drawnRecord(r *rapid.T, ns string, revision int64) *catalog.Subscription {
	if rapid.IntRange(0, 5).Draw(r, "deleted") == 0 {
		return nil
	}
	mark := rapid.Int64Range(1, revision)
	sub := &catalog.Subscription{
		API: compute, Namespace: ns, Active: rapid.Bool().Draw(r, "active"),
		CurrentSyncID: rapid.SampledFrom([]string{"", "a", "b"}).Draw(r, "current"),
		Failures:      slices.Sorted(slices.Values(rapid.SliceOfN(mark, 0, 4).Draw(r, "failures"))),
	}
	if rapid.Bool().Draw(r, "has succeeded") {
		sub.Succeeded = mark.Draw(r, "succeeded")
	}
	sub.Attempt.Phase = rapid.SampledFrom([]catalog.Phase{
		catalog.PhaseNone, catalog.PhaseRunning, catalog.PhaseFailed, catalog.PhaseSuccess, catalog.PhaseError,
	}).Draw(r, "phase")
	sub.Attempt.SyncID = rapid.SampledFrom([]string{"a", "b"}).Draw(r, "attempted")
	return sub
}

func look(r *rapid.T, tallies *reconciler.Tallies, there map[string]*catalog.Subscription) {
	asTheyCame, anew := tallies.Counted()
	if d := cmp.Diff(anew, asTheyCame); d != "" {
		r.Fatalf("counted as they came, and anew: %s", d)
	}
	var want reconciler.Tally
	for _, sub := range there {
		if sub != nil {
			want.Succeeded = max(want.Succeeded, sub.Succeeded)
		}
	}
	for _, sub := range there {
		if sub == nil {
			continue
		}
		want.Subscribed++
		for _, f := range sub.Failures {
			if f > want.Succeeded {
				want.Failures++
			}
		}
	}
	if anew.Subscribed != want.Subscribed || anew.Failures != want.Failures || anew.Succeeded != want.Succeeded {
		r.Fatalf("counted %+v, not %+v", anew, want)
	}
}
