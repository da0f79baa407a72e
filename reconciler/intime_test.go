package reconciler_test

import (
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/store/catalog"
)

func clock(second int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC) }

// What a failure is followed by when nothing happens.
func TestNextInTime(t *testing.T) {
	t.Parallel()
	same := catalog.Trigger{RegGen: 1, SubGen: 1, Boot: 1, Spec: 1}
	started := catalog.Trigger{RegGen: 1, SubGen: 1, Boot: 2, Spec: 1}
	written := catalog.Trigger{RegGen: 1, SubGen: 2, Boot: 1, Spec: 1}
	failed := func(n, retries, retryAt int) catalog.Attempt {
		a := tried(catalog.PhaseError, n, 1)
		a.Retries, a.EndedAt = retries, clock(0)
		if retryAt > 0 {
			a.RetryAt = clock(retryAt)
		}
		return a
	}
	type want struct {
		due        bool
		n, retries int
		run        string
		at         time.Time
	}
	for name, c := range map[string]struct {
		last   catalog.Attempt
		now    catalog.Trigger
		at     int
		most   int
		resync time.Duration
		want   want
	}{
		"neither":                       {failed(2, 0, 0), same, 9, 3, 0, want{}},
		"a retry is owed":               {failed(2, 0, 5), same, 4, 3, 0, want{at: clock(5)}},
		"a retry is due":                {failed(2, 0, 5), same, 5, 3, 0, want{due: true, n: 3, retries: 1, run: "run"}},
		"a further retry is due":        {failed(3, 1, 5), same, 6, 3, 0, want{due: true, n: 4, retries: 2, run: "run"}},
		"of what failed at once":        {failed(1, 0, 5), same, 6, 3, 0, want{due: true, n: 3, retries: 1, run: "run"}},
		"fewer are allowed now":         {failed(4, 2, 5), same, 6, 2, 0, want{}},
		"a start":                       {failed(4, 2, 5), started, 1, 3, 0, want{due: true, n: 1, retries: 2}},
		"a client":                      {failed(4, 2, 5), written, 1, 3, 0, want{due: true, n: 1}},
		"resync later":                  {failed(2, 0, 0), same, 6, 0, 7 * time.Second, want{at: clock(7)}},
		"resync now":                    {failed(5, 3, 0), same, 7, 3, 7 * time.Second, want{due: true, n: 1}},
		"a retry before the resync":     {failed(2, 0, 5), same, 4, 3, 7 * time.Second, want{at: clock(5)}},
		"a resync before the retry":     {failed(2, 0, 9), same, 4, 3, 7 * time.Second, want{at: clock(7)}},
		"interrupted, retry and resync": {interrupted(), same, 9, 3, time.Second, want{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, isDue, later := reconciler.NextInTime(c.last, c.now, clock(c.at), c.most, c.resync)
			got := want{due: isDue, at: later}
			if isDue {
				got.n, got.retries, got.run = a.N, a.Retries, a.Run
			}
			if got != c.want {
				t.Errorf("%+v, not %+v", got, c.want)
			}
		})
	}
}

// When so many have failed one after another that a sync id is taken back.
func TestFailing(t *testing.T) {
	t.Parallel()
	reg := &catalog.Registration{Name: compute, SyncID: "b"}
	record := func(ns, syncID string, phase catalog.Phase, mark int64) *catalog.Subscription {
		sub := &catalog.Subscription{Namespace: ns, Attempt: catalog.Attempt{SyncID: syncID, Phase: phase, EndedAt: clock(int(mark))}}
		if phase == catalog.PhaseSuccess {
			sub.Succeeded = mark
		} else {
			sub.Failures = []int64{mark - 1, mark}
		}
		return sub
	}
	failed := func(ns string, mark int64) *catalog.Subscription { return record(ns, "b", catalog.PhaseError, mark) }
	fine := func(ns string, mark int64) *catalog.Subscription { return record(ns, "b", catalog.PhaseSuccess, mark) }
	noMode := failed("n", 12)
	noMode.Attempt.Reason = catalog.ReasonNoMode
	type subs = []*catalog.Subscription
	for name, c := range map[string]struct {
		limit  int
		within time.Duration
		subs   subs
		want   bool
	}{
		"as many":                     {2, 0, subs{failed("a", 10), failed("b", 12)}, true},
		"fewer":                       {3, 0, subs{failed("a", 10), failed("b", 12)}, false},
		"off":                         {0, 0, subs{failed("a", 10), failed("b", 12)}, false},
		"a success in between":        {2, 0, subs{failed("a", 10), fine("s", 11), failed("b", 12)}, false},
		"a success before":            {2, 0, subs{fine("s", 9), failed("a", 10), failed("b", 12)}, true},
		"a success after them":        {2, 0, subs{failed("a", 10), failed("b", 12), fine("s", 13)}, true},
		"a success at another id":     {2, 0, subs{failed("a", 10), record("s", "a", catalog.PhaseSuccess, 11), failed("b", 12)}, true},
		"a failure at another id":     {2, 0, subs{failed("a", 10), record("b", "a", catalog.PhaseError, 12)}, false},
		"one that runs":               {2, 0, subs{failed("a", 10), record("b", "b", catalog.PhaseRunning, 12)}, false},
		"one without a mode":          {2, 0, subs{failed("a", 10), noMode}, false},
		"within the time":             {2, 2 * time.Second, subs{failed("a", 10), failed("b", 12)}, true},
		"not within the time":         {2, time.Second, subs{failed("a", 10), failed("b", 12)}, false},
		"two of three in the time":    {2, 3 * time.Second, subs{failed("a", 10), failed("b", 20), failed("c", 22)}, true},
		"three, but not in the time":  {3, 3 * time.Second, subs{failed("a", 10), failed("b", 20), failed("c", 22)}, false},
		"as many after a success":     {2, 0, subs{failed("a", 8), fine("s", 9), failed("b", 10), failed("c", 12)}, true},
		"as many, but around success": {3, 0, subs{failed("a", 8), fine("s", 9), failed("b", 10), failed("c", 12)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := reconciler.Failing(reg, c.limit, c.within, c.subs...); got != c.want {
				t.Errorf("%t, not %t", got, c.want)
			}
		})
	}
}
