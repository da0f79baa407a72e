package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"kayra/cli/feed"
	"kayra/cli/why"
	"kayra/server/api"
	"kayra/tui/fleet"
)

// Bounds on asking reconcilers, which may be out of reach from here.
const (
	mostAsked   = 8
	askedWithin = 2 * time.Second
	mostEvents  = 20
)

// detail asks the reconcilers for what the server does not know. What cannot be had is done without.
func (q *inquiry) detail(ctx context.Context, alive []api.Reconciler) *why.Detail {
	o := feed.Options{Open: q.openReconciler, Explain: error.Error}
	said := feed.Ask(ctx, alive, o, fleet.Key{API: q.facts.API, Namespace: q.facts.Namespace})
	if said.Reconciler == "" {
		return nil
	}
	d := &why.Detail{Reconciler: said.Reconciler, Reason: said.Reason, Message: said.Message, SyncID: said.SyncID}
	for _, e := range said.Events[:min(len(said.Events), mostEvents)] {
		d.Events = append(d.Events, why.Event{At: e.At, Reason: string(e.Reason), Message: e.Message, Count: int(e.Count)})
	}
	return d
}

// openReconciler connects to a reconciler that the server names, if the token may go there.
func (m *remote) openReconciler(endpoint string) (feed.Asker, error) {
	if err := m.mayAsk(endpoint); err != nil {
		return nil, err
	}
	c, err := m.open(strings.TrimSuffix(endpoint, "/"), m.secret)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// vouches tells whether the token may go to a reconciler that the server names.
func (p *place) vouches(endpoint string) bool { return p.mayAsk(endpoint) == nil }

// mayAsk tells whether the token may go to a reconciler that the server names: that of a context only if whoever logged in has
// said so; not in the clear to another machine; and to one on this machine only if the server is, since another machine's
// reconciler may call itself so, too. Otherwise it says why not.
func (p *place) mayAsk(endpoint string) error {
	to, err := url.Parse(endpoint)
	server, broken := url.Parse(p.server)
	switch {
	case err != nil || broken != nil || to.Hostname() == "" || to.User != nil:
		return fmt.Errorf("its endpoint is no URL that it could be asked at: %.80q", endpoint)
	case p.stored && !p.reconcilers:
		return fmt.Errorf("the token of %s goes to its server alone; `kayra login%s --reconcilers` lets it go to reconcilers, too", p.tokenBy, p.again())
	case isHere(to) && isHere(server):
		return nil
	case isHere(server):
		return errors.New("it is on another machine, and the server on this one: they may not belong together")
	case isHere(to):
		return errors.New("its endpoint is one of its own machine: reconciler.listen says where others reach it")
	case to.Scheme != "https":
		return errors.New("its endpoint is not https, and the token could be read on the way: see reconciler.tls")
	}
	return nil
}

// again is how the context is named that a login is to change.
func (p *place) again() string {
	if name, ok := strings.CutPrefix(p.tokenBy, "context "); ok {
		return " --context " + name
	}
	return ""
}

// isHere tells a URL of this machine.
func isHere(u *url.URL) bool {
	return u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
}
