package server_test

import (
	"net/http"

	"kayra/store"
	"kayra/store/catalog"
)

// session is that of a reconciler, begun when it is first needed.
func (l *lab) session() string {
	l.t.Helper()
	if l.lent == nil {
		s, err := l.store.(store.JobLocker).NewSession(l.t.Context())
		l.must(err)
		l.lent = s
	}
	return l.lent.ID()
}

func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// begin is what a reconciler does when it starts a run.
func (l *lab) begin(ns string) *catalog.SubscriptionClaim {
	l.t.Helper()
	reg, err := l.repository.Registration(l.t.Context(), compute)
	l.must(err)
	v, err := l.repository.Subscription(l.t.Context(), ns, compute)
	l.must(err)
	attempt := catalog.Attempt{
		Trigger: catalog.Trigger{RegGen: reg.Generation, SubGen: v.Generation}, SyncID: reg.SyncID, Run: "run", N: 1, Begun: 1,
	}
	c, err := l.repository.Begin(l.t.Context(), &reg, &v.Subscription, attempt, l.session())
	l.must(err)
	return c
}

// reconcile runs a subscription to the outcome.
func (l *lab) reconcile(ns string, o catalog.Outcome) {
	l.t.Helper()
	l.must(l.repository.Finish(l.t.Context(), l.begin(ns), o))
}

func (l *lab) succeed(namespaces ...string) {
	l.t.Helper()
	for _, ns := range namespaces {
		l.reconcile(ns, catalog.Outcome{Phase: catalog.PhaseSuccess})
	}
}

// fetch stores a document as a reconciler does.
func (l *lab) fetch(document string, resources ...catalog.Resource) {
	l.t.Helper()
	reg, err := l.repository.Registration(l.t.Context(), compute)
	l.must(err)
	attempt := catalog.Attempt{SyncID: reg.SyncID, N: 1, Begun: 1}
	c, err := l.repository.BeginFetch(l.t.Context(), &reg, &catalog.Spec{API: compute}, attempt, l.session())
	l.must(err)
	l.must(l.repository.FinishFetch(l.t.Context(), c, []byte(document), resources))
}

func (l *lab) subscription(ns string) map[string]any {
	l.t.Helper()
	return l.want(http.StatusOK, "GET", spaces+"/"+ns+"/subscriptions/"+compute, nil).body
}
