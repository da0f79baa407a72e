package feed

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"kayra/cli/why"
	"kayra/reconciler/katalog"
	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui/fleet"
)

// Bounds on what is asked about a subscription.
const (
	mostAsked  = 8 // reconcilers
	mostEvents = 100
)

// Detail asks the reconcilers that are alive about a subscription. What cannot be had is done without, and said.
func (f *Feed) Detail(ctx context.Context, name, namespace string) *fleet.Detail {
	about := fleet.Key{API: name, Namespace: namespace}
	if !f.crew.known() {
		return &fleet.Detail{Key: about, At: f.Now(), Problem: "the server has not told which reconcilers there are"}
	}
	return Ask(ctx, f.crew.list(), f.Options, about)
}

// Ask asks reconcilers about a subscription, and makes one of what they tell: what the one says that knows most, the last run
// that any of them has seen, and the events of all. Of the options it takes Open, Explain and Now.
func Ask(ctx context.Context, alive []api.Reconciler, o Options, about fleet.Key) *fleet.Detail {
	ctx, cancel := context.WithTimeout(ctx, askedWithin)
	defer cancel()
	d := &fleet.Detail{Key: about}
	if o.Now != nil {
		d.At = o.Now()
	}
	if len(alive) == 0 {
		d.Problem = "no reconciler is alive that could tell more"
	}
	var open []*testimony
	for _, r := range alive {
		at, err := o.Open(r.Endpoint)
		if err != nil {
			d.Problem = err.Error()
			continue
		}
		defer at.Close()
		open = append(open, &testimony{reconciler: r.ID, at: at})
	}
	first := open[:min(len(open), mostAsked)]
	hear(ctx, first, o, d)
	if d.Attempt != nil { // who has made it knows its steps
		hear(ctx, slices.DeleteFunc(open[len(first):], func(t *testimony) bool { return t.reconciler != d.Attempt.Reconciler }), o, d)
	}
	tidy(d)
	return d
}

// hear asks all of some, and brings in what they tell.
func hear(ctx context.Context, them []*testimony, o Options, d *fleet.Detail) {
	var all sync.WaitGroup
	for _, t := range them {
		all.Go(func() { t.hear(ctx, o, d.Key) })
	}
	all.Wait()
	for _, t := range them {
		t.addTo(d)
	}
}

// testimony is what one reconciler tells.
type testimony struct {
	reconciler string
	at         Asker
	cr         katalog.CRDetailResponse
	events     []katalog.CREvent
	problem    string // "": it has told
}

func (t *testimony) hear(ctx context.Context, o Options, about fleet.Key) {
	path := katalogPath + "/" + url.PathEscape(about.API) + "/cr/" + url.PathEscape(about.Namespace)
	if err := katalogOf(ctx, t.at, path, &t.cr); err != nil {
		t.problem = fmt.Sprintf("reconciler %s does not tell: %s", t.reconciler, o.Explain(err))
		return
	}
	var history katalog.CREventsResponse
	if err := katalogOf(ctx, t.at, path+"/events", &history); err == nil {
		t.events = history.Events
	}
}

// addTo brings in what one has told.
func (t *testimony) addTo(d *fleet.Detail) {
	if t.problem != "" {
		d.Problem = cmp.Or(d.Problem, t.problem)
		return
	}
	said := why.Detail{Reason: d.Reason, Message: d.Message}
	says := why.Detail{Reason: catalog.Reason(t.cr.ReadyReason), Message: t.cr.ReadyMessage}
	if d.Reconciler == "" || says.Knows() > said.Knows() {
		d.Reconciler, d.Reason, d.Message = t.reconciler, says.Reason, says.Message
		d.SyncID, d.Attempt = t.cr.Status.ExpectedSyncID, t.cr.Status.Attempt
	}
	if runs, steps := t.cr.Children["run"], t.cr.Children["step"]; len(runs) > 0 && isBetter(&runs[0], steps, d) {
		d.Run, d.Steps = &runs[0], steps
	}
	for _, e := range t.events {
		at, _ := time.Parse(time.RFC3339, e.LastSeen) // what is no time sorts last
		d.Events = append(d.Events, fleet.Event{CREvent: e, At: at})
	}
}

// isBetter prefers a later run, and of the same one what tells more of it.
func isBetter(run *katalog.ChildSummary, steps []katalog.ChildSummary, d *fleet.Detail) bool {
	if d.Run == nil {
		return true
	}
	return cmp.Or(strings.Compare(run.Status.StartedAt, d.Run.Status.StartedAt), cmp.Compare(len(steps), len(d.Steps))) > 0
}

// tidy sorts the events, and keeps each once: every reconciler sees what all have done.
func tidy(d *fleet.Detail) {
	slices.SortStableFunc(d.Events, func(a, b fleet.Event) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message), cmp.Compare(b.Count, a.Count))
	})
	d.Events = slices.CompactFunc(d.Events, func(a, b fleet.Event) bool {
		return a.At.Equal(b.At) && a.Reason == b.Reason && a.Message == b.Message
	})
	d.Events = d.Events[:min(len(d.Events), mostEvents)]
}
