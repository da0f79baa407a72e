package fleet_test

import (
	"testing"
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui/fleet"
)

// change is that of the subscription of sre, told at a second.
func change(second int, s api.Subscription) *fleet.Subscriptions {
	s.API, s.Namespace = compute, "sre"
	return &fleet.Subscriptions{At: at(second), Changes: []fleet.SubscriptionChange{{Subscription: s}}}
}

func row(reason catalog.Reason, current string, updated int) api.Subscription {
	return api.Subscription{Reason: reason, CurrentSyncID: current, ExpectedSyncID: "b", UpdatedAt: at(updated)}
}

func whole(u *fleet.Subscriptions) *fleet.Subscriptions {
	u.Whole = true
	return u
}

func late(u *fleet.Subscriptions) *fleet.Subscriptions {
	u.Late = true
	return u
}

// What counts as a sync that ended well is the write of its outcome, seen when it happened.
func TestSuccesses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		was api.Subscription
		now *fleet.Subscriptions
		n   int
	}{
		"a run ends well":               {row("running", "a", 0), change(1, row("synced", "b", 1)), 1},
		"a first sync":                  {row("init", "", 0), change(1, row("synced", "b", 1)), 1},
		"a forced one, seen in between": {row("queued", "", 1), change(2, row("synced", "b", 2)), 1},
		"a short one, not seen running": {row("synced", "a", 0), change(1, row("synced", "b", 1)), 1},
		"the target goes back":          {row("canary_hold", "a", 0), change(1, row("synced", "a", 0)), 0},
		"a write that changes nothing":  {row("synced", "b", 0), change(1, row("synced", "b", 1)), 0},
		"a run that failed":             {row("running", "a", 0), change(1, row("step_failed", "a", 1)), 0},
		"a run that begins":             {row("queued", "a", 0), change(1, row("running", "a", 0)), 0},
		"a snapshot":                    {row("running", "a", 0), whole(change(1, row("synced", "b", 1))), 0},
		"what happened while offline":   {row("running", "a", 0), late(change(1, row("synced", "b", 1))), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f fleet.Fleet
			f.Apply(registered(compute), change(0, c.was), c.now)
			f.Advance(at(2))
			if got := sum(f.API(compute).History); got != c.n {
				t.Errorf("%d are counted, want %d", got, c.n)
			}
		})
	}
	var f fleet.Fleet
	f.Apply(registered(compute), change(1, row("synced", "b", 1)))
	f.Advance(at(2))
	if got := sum(f.API(compute).History); got != 0 {
		t.Errorf("what appears counts: %d", got)
	}
}

func sum(history []int) int {
	n := 0
	for _, x := range history {
		n += x
	}
	return n
}

func TestSince(t *testing.T) {
	t.Parallel()
	was := row("synced", "a", 5)
	for name, c := range map[string]struct {
		now  *fleet.Subscriptions
		want int
	}{
		"nothing of it has changed":       {change(9, api.Subscription{Reason: "synced", CurrentSyncID: "a", ExpectedSyncID: "b", UpdatedAt: at(5), Message: "m"}), 5},
		"it was written":                  {change(9, row("step_failed", "a", 8)), 8},
		"its registration was":            {change(9, row("canary_hold", "a", 5)), 9},
		"nobody saw it":                   {late(change(9, row("canary_hold", "a", 5))), 5},
		"nobody saw it, and it is listed": {whole(change(9, row("canary_hold", "a", 5))), 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f fleet.Fleet
			f.Apply(change(6, was))
			if s := f.Subscription(compute, "sre"); !s.Since.Equal(at(5)) {
				t.Errorf("at first since %s", s.Since)
			}
			f.Apply(c.now)
			if s := f.Subscription(compute, "sre"); !s.Since.Equal(at(c.want)) {
				t.Errorf("since %s, want %s", s.Since, at(c.want))
			}
		})
	}
}

// The history moves on with the time, and the rate is that of the last minute, or of as long as there was anything to see.
func TestRate(t *testing.T) {
	t.Parallel()
	var f fleet.Fleet
	f.Apply(registered(compute))
	f.Advance(at(0))
	a := f.API(compute)
	for i := range 20 {
		f.Apply(change(i, row("running", "a", i)), change(i, row("synced", "b", i+1)))
	}
	f.Advance(at(20))
	if h := a.History[fleet.HistoryLength-5:]; len(a.History) != fleet.HistoryLength || h[0] != 5 || h[3] != 5 || h[4] != 0 {
		t.Errorf("history %v", h)
	}
	if a.RatePerMinute < 59 || a.RatePerMinute > 61 {
		t.Errorf("20 in 20 s are %v in a minute", a.RatePerMinute)
	}
	f.Advance(at(50))
	if a.RatePerMinute < 23 || a.RatePerMinute > 25 {
		t.Errorf("20 in 50 s are %v in a minute", a.RatePerMinute)
	}
	f.Advance(at(40)) // a clock that was set back
	f.Advance(at(0).Add(65 * time.Second))
	if a.RatePerMinute < 10 || a.RatePerMinute > 16 {
		t.Errorf("10 in the last 55 s, and 15 in the last minute, are %v", a.RatePerMinute)
	}
	f.Advance(at(0).Add(81 * time.Second))
	if a.RatePerMinute != 0 || sum(a.History) != 20 {
		t.Errorf("rate %v, history %v", a.RatePerMinute, a.History)
	}
	f.Advance(at(0).Add(time.Hour))
	if sum(a.History) != 0 {
		t.Errorf("history %v", a.History)
	}
}

// Who may not see registrations is shown those that somebody subscribes to.
func TestBlind(t *testing.T) {
	t.Parallel()
	var f fleet.Fleet
	f.Apply(change(0, row("synced", "b", 0)))
	if len(f.APIs()) > 0 || f.API(compute) != nil {
		t.Error("an API is shown before it was told of")
	}
	f.Apply(fleet.Source{Name: fleet.Registrations, Trouble: fleet.Denied, Problem: "no"}, fleet.Source{Name: fleet.AllSubscriptions, Synced: true})
	if a := f.API(compute); a == nil || a.Registered || a.Counts.Synced != 1 || !f.Complete() {
		t.Errorf("%+v, complete %t", a, f.Complete())
	}
	gone := change(1, row("synced", "b", 0))
	gone.Changes[0].Gone = true
	f.Apply(gone)
	if len(f.APIs()) > 0 || f.Subscription(compute, "sre") != nil {
		t.Error("it is still shown")
	}
}

// What was shown to somebody who may not see registrations stays, whatever trouble comes after that.
func TestStillBlind(t *testing.T) {
	t.Parallel()
	for _, trouble := range []fleet.Trouble{fleet.Offline, fleet.Unauthenticated, fleet.Refused} {
		var f fleet.Fleet
		f.Apply(fleet.Source{Name: fleet.Registrations, Trouble: fleet.Denied}, fleet.Source{Name: fleet.AllSubscriptions, Synced: true}, change(0, row("synced", "b", 0)))
		f.Apply(fleet.Source{Name: fleet.Registrations, Trouble: trouble}, fleet.Source{Name: fleet.AllSubscriptions, Trouble: trouble})
		if f.API(compute) == nil {
			t.Errorf("%s: nothing is shown any more", trouble)
		}
		f.Apply(&fleet.APIs{Whole: true}, fleet.Source{Name: fleet.Registrations, Synced: true})
		if f.API(compute) != nil {
			t.Errorf("%s: what is not registered is shown to somebody who sees registrations", trouble)
		}
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	var f fleet.Fleet
	if f.Complete() || f.Source(fleet.Katalog).Name != fleet.Katalog {
		t.Error("complete before anything was told")
	}
	f.Apply(fleet.Source{Name: fleet.Registrations, Synced: true}, fleet.Source{Name: fleet.AllSubscriptions, Trouble: fleet.Offline, Problem: "gone", Since: at(3)})
	if f.Complete() {
		t.Error("complete without subscriptions")
	}
	f.Apply(fleet.Source{Name: fleet.AllSubscriptions, Trouble: fleet.Offline, Problem: "still gone", Since: at(9), Retry: at(12)})
	if s := f.Source(fleet.AllSubscriptions); !s.Since.Equal(at(3)) || s.Problem != "still gone" || s.Synced {
		t.Errorf("%+v", s)
	}
	f.Apply(fleet.Source{Name: fleet.AllSubscriptions, Synced: true})
	f.Apply(fleet.Source{Name: fleet.AllSubscriptions, Trouble: fleet.Offline, Since: at(20)})
	if s := f.Source(fleet.AllSubscriptions); !s.Since.Equal(at(20)) || !s.Synced || !f.Complete() {
		t.Errorf("%+v", s)
	}
	if all := f.Sources(); len(all) != 4 || all[0].Name != fleet.Registrations {
		t.Errorf("%+v", all)
	}
}

func TestDetailsGoWithTheirSubscription(t *testing.T) {
	t.Parallel()
	var f fleet.Fleet
	f.Apply(change(0, row("synced", "b", 0)), &fleet.Detail{Key: fleet.Key{API: compute, Namespace: "sre"}, Reconciler: "a"})
	if d := f.Detail(compute, "sre"); d == nil || d.Reconciler != "a" {
		t.Errorf("%+v", d)
	}
	f.Apply(&fleet.Subscriptions{Whole: true})
	if f.Detail(compute, "sre") != nil {
		t.Error("the detail of what is gone is kept")
	}
}
