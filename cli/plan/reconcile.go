package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kayra/server/api"
	"kayra/store/catalog"
)

// Why a tenant is due or held.
const (
	whyInactive = "inactive"
	whyBehind   = "behind"
	whyCanary   = "canary"
	whyPaused   = "paused"
)

// reconcile says who would be reconciled once the registration is written, as a reconciler decides it: every subscriber
// that is not where the registration wants it, since the write entitles it to be tried, but for those that are held.
func (f *Facts) reconcile(g graph, before api.Registration) Reconcile {
	reg, rows := g.subject, f.Rows[g.subject.Name]
	r := Reconcile{SyncID: reg.SyncID, Paused: reg.Paused, Subscribers: len(rows), Due: []Tenant{}, Held: []Tenant{}, Waves: []Wave{}}
	w := newWaiting(g, f.Rows)
	if reg.SyncID != before.SyncID {
		w.first = append(w.first, "the OpenAPI document for "+reg.SyncID+" is there")
	}
	for _, row := range rows {
		t := Tenant{Namespace: row.Namespace, CurrentSyncID: row.CurrentSyncID, Why: whyBehind}
		switch active := isActive(row); {
		case settled(row, reg.SyncID):
			continue
		case len(reg.CanaryNamespaces) > 0 && active && !slices.Contains(reg.CanaryNamespaces, row.Namespace):
			t.Why = whyCanary
		case reg.Paused:
			t.Why = whyPaused
		case !active:
			t.Why = whyInactive
		}
		if t.Why == whyCanary || t.Why == whyPaused {
			r.Held = append(r.Held, t)
			continue
		}
		t.Wave = 1 + w.rank(reg.Name, t.Namespace)
		r.Due = append(r.Due, t)
	}
	slices.SortFunc(r.Due, func(a, b Tenant) int {
		return cmp.Or(cmp.Compare(a.Wave, b.Wave), strings.Compare(a.Namespace, b.Namespace))
	})
	r.Waves = w.waves(r.Due)
	r.Why, r.Order = r.why(f.Before == nil, before.SyncID), r.order()
	return r
}

func isActive(row api.Row) bool { return row.Active == nil || *row.Active }

// settled tells a subscriber that is at the target and was sent nothing else since.
func settled(row api.Row, target string) bool {
	tried := row.AttemptedSyncID == "" || row.AttemptedSyncID == target && row.State == catalog.StateSuccess
	return isActive(row) && row.CurrentSyncID == target && tried
}

func (r *Reconcile) why(created bool, was string) string {
	switch {
	case created:
		return "nobody can be subscribed yet"
	case r.Subscribers == 0:
		return "nobody subscribes"
	case len(r.Due) == 0 && r.Paused && len(r.Held) > 0:
		return "it is paused, which holds every attempt"
	case len(r.Due) == 0 && len(r.Held) > 0:
		return "a rollout is pending, and its canaries are where they belong"
	case len(r.Due) == 0:
		return "all subscribers are at its sync_id"
	case r.SyncID != was:
		return "its sync_id changes"
	}
	return "they are behind, and any write of the registration has them tried again"
}

func (r *Reconcile) order() string {
	if len(r.Due) < 2 {
		return ""
	}
	if len(r.Waves) > 1 {
		return "in random order within a wave: a free slot of any reconciler takes the next"
	}
	return "in random order: a free slot of any reconciler takes the next"
}

// waiting knows what tenants wait for.
type waiting struct {
	graph

	rows  map[string]map[string]api.Row // by registration and namespace
	first []string                      // what nobody goes before
	ranks map[[2]string]int
}

func newWaiting(g graph, rows map[string][]api.Row) *waiting {
	w := &waiting{graph: g, rows: map[string]map[string]api.Row{}, ranks: map[[2]string]int{}}
	for name, all := range rows {
		w.rows[name] = make(map[string]api.Row, len(all))
		for _, row := range all {
			w.rows[name][row.Namespace] = row
		}
	}
	for _, d := range g.subject.DependsOn {
		name, own := g.named(d)
		switch {
		case !own && d.Needs() != catalog.ConditionStarted:
			w.first = append(w.first, fmt.Sprintf("%s, which is of another scope, is %s", name, d.Needs()))
		case own && d.Needs() == catalog.ConditionHealthy && !allWell(rows[name]):
			w.first = append(w.first, name+" is healthy")
		}
	}
	return w
}

// allWell tells registrations that are healthy for sure. Of others it takes the reconcilers' knowledge to say.
func allWell(rows []api.Row) bool {
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(row api.Row) bool { return !row.Synced || row.State != catalog.StateSuccess })
}

// rank is how many waves a namespace's subscription to a registration waits for.
func (w *waiting) rank(name, namespace string) int {
	key := [2]string{name, namespace}
	if rank, known := w.ranks[key]; known {
		return rank
	}
	w.ranks[key] = 0
	rank := 0
	for _, needed := range w.synced(name) {
		if w.waitsFor(needed, namespace) {
			rank = max(rank, 1+w.rank(needed, namespace))
		}
	}
	w.ranks[key] = rank
	return rank
}

// waitsFor tells that a namespace has a subscription that is not synced. One that a canary holds where it was counts as
// synced.
func (w *waiting) waitsFor(name, namespace string) bool {
	row, subscribed := w.rows[name][namespace]
	held := row.Reason == catalog.ReasonCanaryHold && row.State == catalog.StateSuccess
	return subscribed && !row.Synced && !held
}

// waves groups the tenants, who are sorted by their waves, and numbers the waves from 1.
func (w *waiting) waves(due []Tenant) []Wave {
	waves := []Wave{}
	for from, to := 0, 0; from < len(due); from = to {
		wave := Wave{Number: len(waves) + 1}
		after := map[string]bool{}
		for rank := due[from].Wave; to < len(due) && due[to].Wave == rank; to++ {
			due[to].Wave = wave.Number
			wave.Namespaces = append(wave.Namespaces, due[to].Namespace)
			for _, needed := range w.synced(w.subject.Name) {
				if w.waitsFor(needed, due[to].Namespace) {
					after["its own subscription to "+needed+" is synced"] = true
				}
			}
		}
		wave.After = slices.Concat([]string{}, w.first, slices.Sorted(maps.Keys(after)))
		waves = append(waves, wave)
	}
	return waves
}
