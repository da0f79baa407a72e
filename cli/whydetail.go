package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"kayra/cli/why"
	"kayra/server/api"
	"kayra/store/catalog"
)

// Bounds on asking reconcilers, which may be out of reach from here.
const (
	mostAsked   = 8
	askedWithin = 2 * time.Second
	mostEvents  = 20
)

// detail asks the reconcilers for what the server does not know. What cannot be had is done without.
func (q *inquiry) detail(ctx context.Context, alive []api.Reconciler) *why.Detail {
	ctx, cancel := context.WithTimeout(ctx, askedWithin)
	defer cancel()
	alive = slices.DeleteFunc(slices.Clone(alive), func(r api.Reconciler) bool { return !q.vouches(r.Endpoint) })
	details := make([]*why.Detail, min(len(alive), mostAsked))
	var all sync.WaitGroup
	for i := range details {
		all.Go(func() { details[i] = q.ask(ctx, alive[i]) })
	}
	all.Wait()
	return most(details)
}

// vouches tells whether the token may go to a reconciler that the server names: not that of a context, which is for its
// server alone; not in the clear to another machine; and to one on this machine only if the server is, since another machine's
// reconciler may call itself so, too.
func (p *place) vouches(endpoint string) bool {
	to, err := url.Parse(endpoint)
	server, broken := url.Parse(p.server)
	switch {
	case p.stored || err != nil || broken != nil || to.Hostname() == "" || to.User != nil:
		return false
	case isHere(to) || isHere(server):
		return isHere(to) && isHere(server)
	}
	return to.Scheme == "https"
}

// isHere tells a URL of this machine.
func isHere(u *url.URL) bool {
	return u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
}

// ask asks one reconciler; nil: it does not say.
func (q *inquiry) ask(ctx context.Context, r api.Reconciler) *why.Detail {
	c, err := q.open(strings.TrimSuffix(r.Endpoint, "/"), q.secret)
	if err != nil {
		return nil
	}
	defer c.Close()
	path := "/katalog/" + url.PathEscape(q.facts.API) + "/cr/" + url.PathEscape(q.facts.Namespace)
	answer, err := c.Do(ctx, http.MethodGet, path, nil)
	var said struct {
		ReadyReason  catalog.Reason
		ReadyMessage string
		Status       struct {
			ExpectedSyncID string `json:"expected_sync_id"`
		}
	}
	if err != nil || json.Unmarshal(answer.Body, &said) != nil {
		return nil
	}
	d := &why.Detail{Reconciler: r.ID, Reason: said.ReadyReason, Message: said.ReadyMessage, SyncID: said.Status.ExpectedSyncID}
	var history struct {
		Events []struct {
			Reason, Message string
			Count           int
			LastSeen        time.Time
		}
	}
	if answer, err = c.Do(ctx, http.MethodGet, path+"/events", nil); err != nil || json.Unmarshal(answer.Body, &history) != nil {
		return d
	}
	for _, e := range history.Events {
		d.Events = append(d.Events, why.Event{At: e.LastSeen, Reason: e.Reason, Message: e.Message, Count: e.Count})
	}
	return d
}

// most is what the one that knows most has said, with the events of all.
func most(details []*why.Detail) *why.Detail {
	details = slices.DeleteFunc(details, func(d *why.Detail) bool { return d == nil })
	if len(details) == 0 {
		return nil
	}
	best := *slices.MaxFunc(details, func(a, b *why.Detail) int { return cmp.Compare(a.Knows(), b.Knows()) })
	best.Events = nil
	for _, d := range details {
		best.Events = append(best.Events, d.Events...)
	}
	slices.SortStableFunc(best.Events, func(a, b why.Event) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message), cmp.Compare(b.Count, a.Count))
	})
	best.Events = slices.CompactFunc(best.Events, func(a, b why.Event) bool { // each reconciler sees what all have done
		return a.At.Equal(b.At) && a.Reason == b.Reason && a.Message == b.Message
	})
	best.Events = best.Events[:min(len(best.Events), mostEvents)]
	return &best
}
