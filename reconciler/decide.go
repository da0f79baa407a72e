package reconciler

import (
	"time"

	"kayra/store/catalog"
)

// pending is a job with all that its decision was made from.
type pending struct {
	decision

	reg *catalog.Registration
	sub *catalog.Subscription // of jobSubscription

	settings catalog.Settings   // of reg
	ns       *catalog.Namespace // of jobNamespace

	spec *catalog.Spec
	lock lock
	// revision is the store's revision that the decision rests on.
	revision int64
}

// decide looks at a job with what is known now.
func (c *cache) decide(j job, m modes) pending {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p := pending{revision: c.revision}
	if j.kind == jobNamespace {
		if ns := c.namespaces[j.namespace]; ns != nil && !ns.Active {
			p.ns, p.action = ns, actSettle
		}
		return p
	}
	a := c.apis[j.api]
	if a == nil {
		return p
	}
	p.reg, p.settings, p.spec, p.lock = a.reg, a.settings, a.spec, a.lockOf(j)
	if a.reg == nil {
		return p
	}
	switch j.kind {
	case jobSpec:
		p.decision = ensureFetched(a.reg, a.spec, c.boot, p.lock != lock{}, c.wanted(a), c.again(a))
	case jobGood:
		if a.reg.GoodSyncID != a.reg.SyncID && !a.reg.Pending() && a.tally.active > 0 && a.tally.active == a.tally.synced {
			p.action = actSettle
		}
	case jobSubscription:
		s := a.subscribers[j.namespace]
		if s == nil || s.sub == nil {
			return p
		}
		p.sub = s.sub
		p.decision = ensureReconciled(c.tenant(a, s), m)
	case jobNamespace:
	}
	return p
}

func (c *cache) tenant(a *api, s *subscriber) tenant {
	return tenant{
		reg: a.reg, sub: s.sub, spec: a.spec, boot: c.boot, locked: s.lock != lock{}, now: c.revision,
		waits: c.blockedBy(a, s.sub) + 1, again: c.again(a),
	}
}

func (c *cache) again(a *api) again {
	return again{now: c.now(), retries: a.settings.RetryMaxAttempts.Value, resync: a.resync}
}

// wanted tells whether a subscription waits for the registration's document that the last failure to fetch it does not
// cover.
func (c *cache) wanted(a *api) bool {
	if a.spec.Attempt.Phase != catalog.PhaseError {
		return false
	}
	for _, s := range a.subscribers {
		if s.sub == nil {
			continue
		}
		if t := c.tenant(a, s); t.asksAgain() {
			if t.entitled().right != usedUp {
				return true
			}
		}
	}
	return false
}

// due keeps the jobs that there is something to do about now, and tells of the others when there will be. uncertain tells
// of one whose lock may be this process's own.
func (c *cache) due(jobs []job, m modes, uncertain func(job) bool) (now []job, later map[job]time.Time) {
	now, later = jobs[:0], map[job]time.Time{}
	for _, j := range jobs {
		switch p := c.look(j, m); {
		case p.action == actNothing && (p.lock == lock{} || !uncertain(j)):
			if !p.at.IsZero() {
				later[j] = p.at
			}
		case p.action == actFetch:
			now = append(now, job{kind: jobSpec, api: j.api})
		default:
			now = append(now, j)
		}
	}
	return now, later
}

// look decides about a job, and notes which dependency it waits for.
func (c *cache) look(j job, m modes) pending {
	p := c.decide(j, m)
	if j.kind != jobSubscription || p.sub == nil || len(p.reg.DependsOn) == 0 {
		return p
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.apis[j.api]; a != nil && a.reg == p.reg {
		if s := a.subscribers[j.namespace]; s != nil && s.sub == p.sub {
			if p.waits > 0 && p.waits != s.waiting {
				c.waits(a, s, p.waits-1)
			}
			a.wait(s, p.waits)
		}
	}
	return p
}
