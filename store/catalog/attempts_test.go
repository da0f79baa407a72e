package catalog_test

import (
	"kayra/store"
	"kayra/store/catalog"
)

// keys are those of all records but the sessions'.
func (w *world) keys() map[string]bool {
	w.t.Helper()
	out := map[string]bool{}
	for _, prefix := range []string{"depgraph", "dependents/", "scopes/", "documents/", "resources/"} {
		w.each(prefix, func(key string, _ []byte) { out[prefix+key] = true })
	}
	return out
}

// session lends one until the end of the test.
func (w *world) session() store.Session {
	w.t.Helper()
	s, err := w.store.(store.JobLocker).NewSession(w.ctx())
	w.must(err)
	return s
}

// fetch stores a document for the registration's sync id, as a reconciler does.
func (w *world) fetch(reg catalog.Registration, document string, resources ...catalog.Resource) {
	w.t.Helper()
	s := w.session()
	attempt := catalog.Attempt{SyncID: reg.SyncID, N: 1, Begun: 1}
	c, err := w.BeginFetch(w.ctx(), &reg, &catalog.Spec{API: reg.Name}, attempt, s.ID())
	w.must(err)
	w.must(w.FinishFetch(w.ctx(), c, []byte(document), resources))
	w.must(s.Close(w.ctx()))
}

// reconcile runs a subscription to its outcome, and shows it while it runs.
func (w *world) reconcile(ns string, o catalog.Outcome) (running catalog.SubscriptionView) {
	w.t.Helper()
	s := w.session()
	reg, err := w.Registration(w.ctx(), compute)
	w.must(err)
	v, err := w.Subscription(w.ctx(), ns, compute)
	w.must(err)
	c, err := w.Begin(w.ctx(), &reg, &v.Subscription, catalog.Attempt{
		Trigger: catalog.Trigger{RegGen: reg.Generation, SubGen: v.Generation}, SyncID: reg.SyncID, N: 1, Begun: 1,
	}, s.ID())
	w.must(err)
	running, err = w.Subscription(w.ctx(), ns, compute)
	w.must(err)
	w.must(w.Finish(w.ctx(), c, o))
	w.must(s.Close(w.ctx()))
	return running
}

func success() catalog.Outcome { return catalog.Outcome{Phase: catalog.PhaseSuccess} }
