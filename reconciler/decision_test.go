package reconciler_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/reconciler"
	"kayra/store/catalog"
)

// tried is an attempt for the id "a" and for the trigger {1, 1, 1, 1}.
func tried(phase catalog.Phase, n, begun int) catalog.Attempt {
	return catalog.Attempt{
		Trigger: catalog.Trigger{RegGen: 1, SubGen: 1, Boot: 1, Spec: 1},
		SyncID:  "a", Run: "run", N: n, Begun: begun, Phase: phase,
	}
}

func interrupted() catalog.Attempt {
	a := tried(catalog.PhaseError, 1, 3)
	a.Reason = catalog.ReasonInterrupted
	return a
}

func TestNextAttempt(t *testing.T) {
	t.Parallel()
	same := catalog.Trigger{RegGen: 1, SubGen: 1, Boot: 1, Spec: 1}
	byRegistration := catalog.Trigger{RegGen: 2, SubGen: 1, Boot: 1, Spec: 1}
	bySubscription := catalog.Trigger{RegGen: 1, SubGen: 2, Boot: 1, Spec: 1}
	byStart := catalog.Trigger{RegGen: 1, SubGen: 1, Boot: 2, Spec: 1}
	byDocument := catalog.Trigger{RegGen: 1, SubGen: 1, Boot: 1, Spec: 2}
	lagging := catalog.Trigger{RegGen: 1, SubGen: 1}
	type want struct {
		right    string
		n, begun int
		run      string
	}
	none, first := want{right: "used up"}, want{"due", 1, 1, ""}
	for name, c := range map[string]struct {
		last   catalog.Attempt
		now    catalog.Trigger
		target string
		asked  bool
		want   want
	}{
		"never tried": {catalog.Attempt{}, same, "a", false, first},

		"succeeded":                       {tried(catalog.PhaseSuccess, 1, 1), same, "a", false, none},
		"succeeded, new target":           {tried(catalog.PhaseSuccess, 1, 1), same, "b", false, first},
		"failed for good":                 {tried(catalog.PhaseError, 2, 1), same, "a", false, none},
		"failed for good, new target":     {tried(catalog.PhaseError, 2, 1), same, "b", false, first},
		"failed for good, asked":          {tried(catalog.PhaseError, 2, 1), same, "a", true, first},
		"failed for good, registration":   {tried(catalog.PhaseError, 2, 1), byRegistration, "a", false, first},
		"failed for good, subscription":   {tried(catalog.PhaseError, 2, 1), bySubscription, "a", false, first},
		"failed for good, start":          {tried(catalog.PhaseError, 2, 1), byStart, "a", false, first},
		"failed for good, document":       {tried(catalog.PhaseError, 2, 1), byDocument, "a", false, first},
		"failed for good, seen too late":  {tried(catalog.PhaseError, 2, 1), lagging, "a", false, none},
		"retry owed":                      {tried(catalog.PhaseFailed, 1, 1), same, "a", false, want{"due", 2, 1, "run"}},
		"retry owed, attempt begun twice": {tried(catalog.PhaseFailed, 1, 2), same, "a", false, want{"due", 2, 1, "run"}},
		"retry owed, start":               {tried(catalog.PhaseFailed, 1, 1), byStart, "a", false, first},
		"retry owed, subscription":        {tried(catalog.PhaseFailed, 1, 1), bySubscription, "a", false, first},
		"retry owed, new target":          {tried(catalog.PhaseFailed, 1, 1), same, "b", false, first},

		"cut off once":                {tried(catalog.PhaseRunning, 1, 1), same, "a", false, want{"due", 1, 2, "run"}},
		"cut off once, start":         {tried(catalog.PhaseRunning, 1, 1), byStart, "a", false, want{"due", 1, 2, "run"}},
		"retry cut off twice":         {tried(catalog.PhaseRunning, 2, 2), same, "a", false, want{"due", 2, 3, "run"}},
		"cut off thrice":              {tried(catalog.PhaseRunning, 1, 3), same, "a", false, want{"cut off", 1, 3, "run"}},
		"cut off thrice, start":       {tried(catalog.PhaseRunning, 1, 3), byStart, "a", false, want{"cut off", 1, 3, "run"}},
		"cut off thrice, document":    {tried(catalog.PhaseRunning, 1, 3), byDocument, "a", false, want{"cut off", 1, 3, "run"}},
		"cut off thrice, client":      {tried(catalog.PhaseRunning, 1, 3), bySubscription, "a", false, first},
		"cut off thrice, new target":  {tried(catalog.PhaseRunning, 1, 3), same, "b", false, first},
		"cut off once, new target":    {tried(catalog.PhaseRunning, 1, 1), same, "b", false, first},
		"given up":                    {interrupted(), same, "a", false, none},
		"given up, start":             {interrupted(), byStart, "a", false, none},
		"given up, document":          {interrupted(), byDocument, "a", false, none},
		"given up, registration":      {interrupted(), byRegistration, "a", false, first},
		"given up, subscription":      {interrupted(), bySubscription, "a", false, first},
		"given up, asked":             {interrupted(), same, "a", true, first},
		"given up, new target":        {interrupted(), same, "b", false, first},
		"given up, seen too late":     {interrupted(), lagging, "a", false, none},
		"new target, seen too late":   {tried(catalog.PhaseSuccess, 1, 1), lagging, "b", false, first},
		"cut off once, seen too late": {tried(catalog.PhaseRunning, 1, 1), lagging, "a", false, want{"due", 1, 2, "run"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, right := reconciler.Next(c.last, c.now, c.target, c.asked)
			if right != c.want.right {
				t.Fatalf("the trigger is %s, not %s", right, c.want.right)
			}
			if right == "used up" {
				return
			}
			if made := (want{right, got.N, got.Begun, got.Run}); made != c.want {
				t.Errorf("the attempt is %+v, not %+v", made, c.want)
			}
			if got.SyncID != c.target {
				t.Errorf("the attempt is for %q, not %q", got.SyncID, c.target)
			}
			if most := c.now.Max(c.last.Trigger); got.Trigger != most {
				t.Errorf("the attempt uses up %+v, not %+v", got.Trigger, most)
			}
		})
	}
}

// dueNow is a situation in which the subscription, active at "a", is to be brought to "b" by the default mode.
func dueNow() reconciler.Situation {
	return reconciler.Situation{
		Registration: catalog.Registration{Name: compute, SyncID: "b", ReleasedSyncID: "b", Generation: 2},
		Subscription: catalog.Subscription{
			Namespace: "sre", API: compute, Active: true, State: catalog.StateSuccess, CurrentSyncID: "a",
			Generation: 1, Attempt: tried(catalog.PhaseSuccess, 1, 1),
		},
		Spec: catalog.Spec{Count: 2, Fetched: []catalog.Fetched{{SyncID: "a"}, {SyncID: "b"}}},
		Boot: 1, Revision: 100, DefaultMode: "api",
	}
}

// unfetched is the same without the document, which could not be fetched.
func unfetched() reconciler.Situation {
	s := dueNow()
	s.Spec = catalog.Spec{Count: 1, Fetched: []catalog.Fetched{{SyncID: "a"}}, Covered: 50, Attempt: catalog.Attempt{
		Trigger: catalog.Trigger{RegGen: 2, Boot: 1}, SyncID: "b", N: 2, Begun: 1,
		Phase: catalog.PhaseError, Reason: catalog.ReasonSpecUnavailable, Message: "answered 500",
	}}
	return s
}

func TestEnsureReconciled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base   func() reconciler.Situation
		change func(s *reconciler.Situation)
		want   string // action, and the reason of an error
	}{
		"due":    {dueNow, func(*reconciler.Situation) {}, "run"},
		"paused": {dueNow, func(s *reconciler.Situation) { s.Registration.Paused = true }, "nothing"},
		"locked": {dueNow, func(s *reconciler.Situation) { s.Locked = true }, "nothing"},
		"synced": {dueNow, func(s *reconciler.Situation) { s.Registration.SyncID = "a" }, "nothing"},
		"synced, but tried at another id": {dueNow, func(s *reconciler.Situation) {
			s.Registration.SyncID, s.Subscription.Attempt.SyncID = "a", "b"
		}, "run"},
		"held":   {dueNow, func(s *reconciler.Situation) { s.Registration.CanaryNamespaces = []string{"apps"} }, "nothing"},
		"canary": {dueNow, func(s *reconciler.Situation) { s.Registration.CanaryNamespaces = []string{"sre"} }, "run"},
		"inactive during a rollout": {dueNow, func(s *reconciler.Situation) {
			s.Registration.CanaryNamespaces, s.Subscription.Active = []string{"apps"}, false
		}, "run"},
		"held, forced": {dueNow, func(s *reconciler.Situation) {
			s.Registration.CanaryNamespaces, s.Subscription.CurrentSyncID, s.Subscription.Generation = []string{"apps"}, "", 2
		}, "nothing"},
		"no mode":          {dueNow, func(s *reconciler.Situation) { s.DefaultMode = "" }, "settle no_mode"},
		"mode without use": {dueNow, func(s *reconciler.Situation) { s.Registration.Mode = "nightly" }, "settle"},
		"mode of its own":  {dueNow, func(s *reconciler.Situation) { s.DefaultMode, s.Registration.Mode = "", "api" }, "run"},
		"cut off thrice": {dueNow, func(s *reconciler.Situation) {
			s.Subscription.Attempt = tried(catalog.PhaseRunning, 1, 3)
			s.Subscription.Attempt.SyncID, s.Registration.Generation = "b", 1
		}, "settle interrupted"},

		"no document yet": {dueNow, func(s *reconciler.Situation) { s.Spec = catalog.Spec{} }, "fetch"},
		"no document, held": {dueNow, func(s *reconciler.Situation) {
			s.Spec, s.Registration.CanaryNamespaces = catalog.Spec{}, []string{"apps"}
		}, "nothing"},
		"document being fetched again": {unfetched, func(s *reconciler.Situation) { s.Spec.Attempt.Phase = catalog.PhaseRunning }, "fetch"},
		"retry of the fetch is owed":   {unfetched, func(s *reconciler.Situation) { s.Spec.Attempt.Phase = catalog.PhaseFailed }, "fetch"},
		"no document to be had":        {unfetched, func(*reconciler.Situation) {}, "settle spec_unavailable"},
		"no document, registration written": {unfetched, func(s *reconciler.Situation) {
			s.Registration.Generation = 3
		}, "fetch"},
		"no document, reconciler started": {unfetched, func(s *reconciler.Situation) { s.Boot = 2 }, "fetch"},
		"no document, written while it failed": {unfetched, func(s *reconciler.Situation) {
			s.Subscription.Generation, s.Subscription.Revision = 2, 51
		}, "fetch"},
		"no document, written before that": {unfetched, func(s *reconciler.Situation) {
			s.Subscription.Generation, s.Subscription.Revision = 2, 50
		}, "settle spec_unavailable"},
		"no document, run ended while it failed": {unfetched, func(s *reconciler.Situation) {
			s.Subscription.Revision = 51
		}, "settle spec_unavailable"},
		"no document, written before a restored store": {unfetched, func(s *reconciler.Situation) {
			s.Subscription.Generation, s.Revision = 2, 49
		}, "fetch"},
		"fetch given up": {unfetched, func(s *reconciler.Situation) {
			s.Spec.Attempt.Reason = catalog.ReasonInterrupted
		}, "settle spec_unavailable"},
		"fetch given up, reconciler started": {unfetched, func(s *reconciler.Situation) {
			s.Spec.Attempt.Reason, s.Boot = catalog.ReasonInterrupted, 2
		}, "settle spec_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := c.base()
			c.change(&s)
			before := s
			got := reconciler.EnsureReconciled(s)
			if made := strings.TrimSpace(got.Action + " " + string(got.Outcome.Reason)); made != c.want {
				t.Errorf("decided to %s, not to %s: %+v", made, c.want, got)
			}
			if diff := cmp.Diff(before, s, cmp.AllowUnexported(catalog.Meta{})); diff != "" {
				t.Errorf("the decision changed what it was made from:\n%s", diff)
			}
			if fetch := reconciler.EnsureFetched(s); (got.Action == "fetch") != (fetch.Action == "run") && !s.Spec.Has("b") && got.Action != "nothing" {
				t.Errorf("the subscription is to %s, and the document to %s", got.Action, fetch.Action)
			}
		})
	}
}
