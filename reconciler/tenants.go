package reconciler

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kayra/reconciler/katalog"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// Tenants implements [katalog.Source]. The cache is not held up for all of them at once.
func (i insight) Tenants(api string) []katalog.Tenant {
	const together = 500
	namespaces := i.cache.namespacesOf(api)
	all := make([]katalog.Tenant, 0, len(namespaces))
	for some := range slices.Chunk(namespaces, together) {
		all = append(all, i.cache.tenants(api, some)...)
	}
	for k := range all {
		if t := &all[k]; t.Reason == catalog.ReasonInit && i.queues.Waits(api, jobOf(t.Subscription)) {
			t.Reason = catalog.ReasonQueued
		}
	}
	return all
}

// Tenant implements [katalog.Source].
func (i insight) Tenant(api, namespace string) (katalog.Tenant, bool) {
	t, ok := i.cache.tenantOf(api, namespace)
	if !ok {
		return katalog.Tenant{}, false
	}
	j := jobOf(t.Subscription)
	run, running := i.memory.last(j)
	if run != nil && run.Name == t.Subscription.Attempt.Run {
		t.Run = run
	} else {
		t.Run, running = recorded(t.Subscription), false
	}
	switch t.Reason { //nolint:exhaustive // of the others nobody knows more than the records
	case catalog.ReasonRunning:
		if running { // more is known of it than the lock tells
			_, t.Message = catalog.Explain(t.Subscription, t.Registration, &catalog.Lock{})
			t.Message += describe(t.Run)
		}
	case catalog.ReasonInit, catalog.ReasonQueued:
		i.explainQueue(&t, j)
	}
	return t, true
}

func jobOf(sub *catalog.Subscription) job {
	return job{kind: jobSubscription, api: sub.API, namespace: sub.Namespace}
}

// explainQueue tells of one that may be tried where it stands in the queue.
func (i insight) explainQueue(t *katalog.Tenant, j job) {
	s := i.queues.Stats(j.api)
	if at, waits := i.queues.Position(j.api, j); waits {
		t.Reason = catalog.ReasonQueued
		t.Message = fmt.Sprintf("waiting for a slot: it is number %d of %d jobs of this API that wait in this reconciler, and %d run",
			at, s.Depth, s.Running)
		return
	}
	settings, _ := i.cache.settingsOf(j.api)
	if most := (&katalog.API{Settings: settings, Scale: i.scale(j.api)}).MaxDepth(); most > 0 && s.Depth >= most {
		t.Message += fmt.Sprintf("; the queue of this reconciler is full (max_depth %d), and it follows when there is room", most)
	}
}

// describe continues a sentence about a run with the step that runs.
func describe(r *katalog.Run) string {
	for k, s := range slices.Backward(r.Steps) {
		if s.State != string(pipeline.StateRunning) {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, ": step %d of %d", k+1, r.Total)
		if s.Name != "" {
			fmt.Fprintf(&b, " (%s)", s.Name)
		}
		fmt.Fprintf(&b, " since %s", s.StartedAt.UTC().Format(time.RFC3339))
		if s.Calls > 0 {
			fmt.Fprintf(&b, ", sent %d times", s.Calls)
		}
		if s.Code > 0 {
			fmt.Fprintf(&b, ", last answered %d", s.Code)
		}
		if s.Reason != "" {
			b.WriteString(": " + s.Reason)
		}
		return b.String()
	}
	return ""
}

// recorded is the last run as the record has it; nil: there was none.
func recorded(sub *catalog.Subscription) *katalog.Run {
	a := sub.Attempt
	if a.Run == "" {
		return nil
	}
	r := &katalog.Run{Name: a.Run, Attempt: a.N, StartedAt: a.StartedAt, Ready: a.Phase == catalog.PhaseSuccess}
	if a.EndedAt.After(a.StartedAt) {
		r.Took = a.EndedAt.Sub(a.StartedAt)
	}
	return r
}

func (c *cache) namespacesOf(api string) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if a := c.apis[api]; a != nil {
		return slices.Sorted(maps.Keys(a.subscribers))
	}
	return nil
}

func (c *cache) tenants(api string, namespaces []string) []katalog.Tenant {
	c.mu.RLock()
	defer c.mu.RUnlock()
	a := c.apis[api]
	if a == nil || a.reg == nil {
		return nil
	}
	all := make([]katalog.Tenant, 0, len(namespaces))
	for _, ns := range namespaces {
		if s := a.subscribers[ns]; s != nil && s.sub != nil {
			reason, _ := c.explain(a, s)
			all = append(all, katalog.Tenant{Subscription: s.sub, Registration: a.reg, Reason: reason})
		}
	}
	return all
}

func (c *cache) tenantOf(api, namespace string) (katalog.Tenant, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	a := c.apis[api]
	if a == nil || a.reg == nil {
		return katalog.Tenant{}, false
	}
	s := a.subscribers[namespace]
	if s == nil || s.sub == nil {
		return katalog.Tenant{}, false
	}
	t := katalog.Tenant{
		Subscription: s.sub, Registration: a.reg,
		Events: s.history.answered("subscription/"+namespace+"/"+api, c.now()),
	}
	t.Reason, t.Message = c.explain(a, s)
	return t, true
}

// explain tells why a subscription is where it is, as the REST API does, but for what only the queues know.
func (c *cache) explain(a *api, s *subscriber) (catalog.Reason, string) {
	var l *catalog.Lock
	if s.lock != (lock{}) {
		l = &catalog.Lock{Holder: s.lock.holder}
		if s.lock.step != nil {
			l.Step = *s.lock.step
		}
	}
	reason, message := catalog.Explain(s.sub, a.reg, l)
	if reason != catalog.ReasonInit && reason != catalog.ReasonQueued {
		return reason, message
	}
	if i := c.blockedBy(a, s.sub); i >= 0 {
		return catalog.ReasonWaitingDependency, a.reg.DependsOn[i].Waits(c.scope, c.unmet(a, i, s.sub.Namespace))
	}
	switch {
	case !a.started:
		message += "; the workers of this API have not been started here"
	case !a.spec.Has(a.reg.SyncID) && a.specLock != (lock{}):
		message += "; the OpenAPI document for sync_id " + a.reg.SyncID + " is being fetched"
	case !a.spec.Has(a.reg.SyncID):
		message += "; the OpenAPI document for sync_id " + a.reg.SyncID + " is not there yet"
	}
	return reason, message
}
