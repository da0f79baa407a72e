package rollout

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"kayra/server/api"
)

// Verdict is what has become of a goal.
type Verdict int

// The verdicts. All but Going are final.
const (
	Going      Verdict = iota
	Reached            // all are there
	Broken             // somebody has ended in error at the sync id that is to be reached
	Superseded         // the registration is at another sync id by now
	Gone               // nobody who is waited for subscribes any more
)

// mostBehind is how many rows a [Progress] has of those that are not there.
const mostBehind = 100

// Progress is how far a goal has been reached.
type Progress struct {
	Verdict Verdict
	Target  string           // the sync id that is to be reached; "": not known yet
	Now     api.Registration // as it was read last

	Total, There, Failed, Running, Held int // of those who are waited for
	Idle                                int // those that are not waited for, since they are not active yet

	Behind []Tenant // the first of those that are not there, those in error first, then by namespace
	News   []Tenant // the first of those that have got there or ended in error since the last time

	Offline error         // why nothing is known at present; nil: it is
	Retry   time.Duration // when that is tried again
}

// Tenant is somebody who is waited for.
type Tenant struct {
	api.Row

	Standing Standing
}

// tracker judges progress from what it is told. It does no I/O.
type tracker struct {
	goal     Goal
	rows     map[string]api.Row // by namespace
	complete bool               // all rows have been told
	head     *api.Registration  // nil: not read yet
	offline  error
	retry    time.Duration
	last     map[string]Standing // by namespace; nil: nothing was told yet
}

func newTracker(g Goal) *tracker { return &tracker{goal: g, rows: map[string]api.Row{}} }

// target is the sync id that is to be reached, or "" while it is not known.
func (t *tracker) target() string {
	if t.goal.SyncID != "" || t.head == nil {
		return t.goal.SyncID
	}
	return t.head.SyncID
}

// known tells whether there is something to be judged.
func (t *tracker) known() bool { return t.complete && t.head != nil }

// progress judges. News are given once.
func (t *tracker) progress() Progress {
	p := Progress{Target: t.target(), Offline: t.offline, Retry: t.retry}
	if t.head != nil {
		p.Now = *t.head
	}
	if !t.known() {
		return p
	}
	all, idle := t.waitedFor(p.Target)
	p.Idle = idle
	before := t.last
	t.last = make(map[string]Standing, len(all))
	for _, one := range all {
		p.count(one.Standing)
		t.last[one.Namespace] = one.Standing
		was, seen := before[one.Namespace]
		if before != nil && (one.Standing == There || one.Standing == Failed) && (!seen || was != one.Standing) && len(p.News) < mostBehind {
			p.News = append(p.News, one)
		}
	}
	p.Behind = behind(all)
	p.Verdict = t.verdict(&p)
	return p
}

// waitedFor are those who are waited for, and how many are not, since they are not active yet.
func (t *tracker) waitedFor(target string) (all []Tenant, idle int) {
	for _, r := range t.rows {
		switch {
		case t.goal.means(&r):
			all = append(all, Tenant{r, t.goal.standing(&r, target)})
		case !Active(&r) && t.goal.Namespaces == nil:
			idle++
		}
	}
	slices.SortFunc(all, func(a, b Tenant) int { return strings.Compare(a.Namespace, b.Namespace) })
	return all, idle
}

func (p *Progress) count(s Standing) {
	p.Total++
	switch s {
	case There:
		p.There++
	case Failed:
		p.Failed++
	case Running:
		p.Running++
	case Held:
		p.Held++
	case Waiting:
	}
}

func behind(all []Tenant) []Tenant {
	rest := slices.DeleteFunc(slices.Clone(all), func(t Tenant) bool { return t.Standing == There })
	failed := func(t Tenant) int {
		if t.Standing == Failed {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(rest, func(a, b Tenant) int { return cmp.Compare(failed(a), failed(b)) })
	return rest[:min(len(rest), mostBehind)]
}

func (t *tracker) verdict(p *Progress) Verdict {
	switch {
	case p.Failed > 0:
		return Broken
	case p.Total == 0 && len(t.goal.Namespaces) > 0:
		return Gone
	case p.There == p.Total:
		return Reached
	case t.goal.SyncID != "" && t.head.SyncID != t.goal.SyncID:
		return Superseded
	}
	return Going
}
