package fleet_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui/fleet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	compute = "compute.example.com"
	base    = "base.example.com"
)

func at(second int) time.Time { return time.Date(2026, 11, 30, 3, 0, second, 0, time.UTC) }

func reasons() []catalog.Reason {
	return []catalog.Reason{
		catalog.ReasonSynced, catalog.ReasonInit, catalog.ReasonPaused, catalog.ReasonCanaryHold, catalog.ReasonWaitingDependency,
		catalog.ReasonQueued, catalog.ReasonRunning, catalog.ReasonBackoff, catalog.ReasonSpecUnavailable, catalog.ReasonNoMode,
		catalog.ReasonStepFailed, catalog.ReasonTimeout, catalog.ReasonInterrupted, "of_tomorrow",
	}
}

// counted is what a count must have come to, counted anew.
func counted(subs []api.Subscription) fleet.Counts {
	var c fleet.Counts
	for _, s := range subs {
		c.Subscribed++
		if s.Active {
			c.Active++
		}
		switch s.Reason {
		case "synced":
			c.Synced++
		case "canary_hold":
			c.Held++
		case "running":
			c.Running++
		case "paused":
			c.Paused++
		case "spec_unavailable", "no_mode", "step_failed", "timeout", "interrupted":
			c.Failing++
		default:
			c.Waiting++
		}
	}
	return c
}

// order is of what a screen may be sorted by; it is not that of names.
func order(a, b *fleet.Subscription) int { return strings.Compare(string(a.Reason), string(b.Reason)) }

func odd(s *fleet.Subscription) bool { return len(s.CurrentSyncID)%2 == 1 }

// history is a random history, and what it must have led to.
type history struct {
	fleet fleet.Fleet
	subs  map[fleet.Key]api.Subscription
	apis  map[string]bool
	rows  map[string]*fleet.Rows
	odd   map[string]*fleet.Rows
	now   int
}

func newHistory() *history {
	h := &history{subs: map[fleet.Key]api.Subscription{}, apis: map[string]bool{}, rows: map[string]*fleet.Rows{}, odd: map[string]*fleet.Rows{}}
	for _, name := range []string{compute, base} {
		h.rows[name], h.odd[name] = fleet.NewRows(order, nil), fleet.NewRows(nil, odd)
	}
	return h
}

func drawSubscription(t *rapid.T) api.Subscription {
	return api.Subscription{
		API:           rapid.SampledFrom([]string{compute, base}).Draw(t, "api"),
		Namespace:     fmt.Sprintf("ns-%d", rapid.IntRange(0, 12).Draw(t, "namespace")),
		Reason:        rapid.SampledFrom(reasons()).Draw(t, "reason"),
		Active:        rapid.Bool().Draw(t, "active"),
		CurrentSyncID: strings.Repeat("x", rapid.IntRange(0, 3).Draw(t, "id")),
		UpdatedAt:     at(rapid.IntRange(0, 50).Draw(t, "at")),
	}
}

func (h *history) change(t *rapid.T) {
	u := &fleet.Subscriptions{At: at(h.now), Whole: rapid.IntRange(0, 5).Draw(t, "whole") == 0, Late: rapid.Bool().Draw(t, "late")}
	if u.Whole {
		clear(h.subs)
	}
	for range rapid.IntRange(0, 20).Draw(t, "changes") {
		s := drawSubscription(t)
		gone := rapid.IntRange(0, 3).Draw(t, "gone") == 0
		u.Changes = append(u.Changes, fleet.SubscriptionChange{Subscription: s, Gone: gone})
		h.subs[fleet.Key{API: s.API, Namespace: s.Namespace}] = s
		if gone {
			delete(h.subs, fleet.Key{API: s.API, Namespace: s.Namespace})
		}
	}
	h.fleet.Apply(u)
}

func (h *history) register(t *rapid.T) {
	u := &fleet.APIs{Whole: rapid.IntRange(0, 2).Draw(t, "whole") == 0}
	if u.Whole {
		clear(h.apis)
	}
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		name, gone := rapid.SampledFrom([]string{compute, base}).Draw(t, "api"), rapid.Bool().Draw(t, "gone")
		u.Changes = append(u.Changes, fleet.APIChange{Registration: api.Registration{Name: name}, Gone: gone})
		h.apis[name] = true
		if gone {
			delete(h.apis, name)
		}
	}
	h.fleet.Apply(u)
}

func (h *history) check(t *rapid.T) {
	var names []string
	for _, a := range h.fleet.APIs() {
		names = append(names, a.Name)
		var of []api.Subscription
		for _, s := range h.subs {
			if s.API == a.Name {
				of = append(of, s)
			}
		}
		if d := cmp.Diff(counted(of), a.Counts); d != "" {
			t.Fatalf("%s: counts: %s", a.Name, d)
		}
	}
	if want := slices.Sorted(maps.Keys(h.apis)); !slices.Equal(names, want) {
		t.Fatalf("registered are %v, want %v", names, want)
	}
	for name := range h.rows {
		h.checkRows(t, name, h.rows[name], order, func(*fleet.Subscription) bool { return true })
		h.checkRows(t, name, h.odd[name], func(_, _ *fleet.Subscription) int { return 0 }, odd)
	}
}

func (h *history) checkRows(t *rapid.T, name string, rows *fleet.Rows, order func(a, b *fleet.Subscription) int, match func(*fleet.Subscription) bool) {
	var want []*fleet.Subscription
	for key, s := range h.subs {
		one := h.fleet.Subscription(key.API, key.Namespace)
		if one == nil || one.Subscription != s {
			t.Fatalf("%v is %+v, want %+v", key, one, s)
		}
		if key.API == name && match(one) {
			want = append(want, one)
		}
	}
	slices.SortFunc(want, func(a, b *fleet.Subscription) int {
		if c := order(a, b); c != 0 {
			return c
		}
		return strings.Compare(a.Namespace, b.Namespace)
	})
	if got := rows.Of(&h.fleet, name); !slices.Equal(got, want) {
		t.Fatalf("%s: %d rows, want %d, or in another order", name, len(got), len(want))
	}
}

// Whatever happens, counts and rows are as if they were made anew.
func TestHistories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory()
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			h.now++
			if rapid.IntRange(0, 4).Draw(t, "what") == 0 {
				h.register(t)
			} else {
				h.change(t)
			}
			if rapid.Bool().Draw(t, "look") { // a screen may have looked elsewhere for a while
				h.check(t)
			}
		}
		h.check(t)
	})
}
