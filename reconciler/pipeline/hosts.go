package pipeline

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
)

const (
	maxHosts   = 20      // that are told apart for an API
	otherHosts = "other" // the rest
)

// Host is what the steps of an API's runs have had to do with one target host.
type Host struct {
	Name   string   // as the log shows it, in lower case, with a port where the endpoint has one; "other": those beyond 20
	Kinds  []string // the names of the steps that were sent there, sorted; of a step without a name, its method
	Calls  int64    // every poll of a step is one
	Errors int64    // calls without an answer, and those answered with another status than 2xx
}

// ErrorRate is the part of the calls that were errors, from 0 to 1.
func (h Host) ErrorRate() float64 {
	if h.Calls == 0 {
		return 0
	}
	return float64(h.Errors) / float64(h.Calls)
}

// Hosts are the hosts that runs of an API have called since the process started or the API was forgotten, by name. A host
// that an output or a secret gave is shown as ***. A redirect counts for the endpoint's host; a call that was cut because
// its run ended is no error.
func (p *Pipelines) Hosts(api string) []Host { return p.tallies.of(api).hosts() }

// Forget drops what Hosts tells of an API. What still runs of it is not counted any more.
func (p *Pipelines) Forget(api string) { p.tallies.forget(api) }

// tallies count calls by API.
type tallies struct {
	mu    sync.Mutex
	byAPI map[string]*tally
}

func newTallies() *tallies { return &tallies{byAPI: map[string]*tally{}} }

// open gives the tally of an API that is to be counted for.
func (t *tallies) open(api string) *tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byAPI[api] == nil {
		t.byAPI[api] = &tally{byHost: map[string]*hostTally{}}
	}
	return t.byAPI[api]
}

// of gives the tally of an API, or nil.
func (t *tallies) of(api string) *tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byAPI[api]
}

func (t *tallies) forget(api string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byAPI, api)
}

// tally counts calls by host. That of nil counts nothing.
type tally struct {
	mu     sync.Mutex
	byHost map[string]*hostTally
}

type hostTally struct {
	kinds         map[string]bool
	calls, errors int64
}

func (t *tally) add(host, kind string, failed bool) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.host(host)
	h.kinds[kind] = true
	h.calls++
	if failed {
		h.errors++
	}
}

func (t *tally) host(name string) *hostTally {
	if t.byHost[name] == nil && len(t.byHost) >= maxHosts {
		name = otherHosts
	}
	if t.byHost[name] == nil {
		t.byHost[name] = &hostTally{kinds: map[string]bool{}}
	}
	return t.byHost[name]
}

func (t *tally) hosts() []Host {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Host, 0, len(t.byHost))
	for name, h := range t.byHost {
		all = append(all, Host{Name: name, Kinds: slices.Sorted(maps.Keys(h.kinds)), Calls: h.calls, Errors: h.errors})
	}
	slices.SortFunc(all, func(a, b Host) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// exchange sends a request once, as send does, and counts it.
func (a *attempt) exchange(ctx context.Context, req request, read bool) (answer, error) {
	got, err := a.send(ctx, req, read)
	cut := err != nil && errors.Is(ctx.Err(), context.Canceled)
	kind := a.step.name
	if kind == "" {
		kind = a.step.method
	}
	a.tally.add(req.host, kind, !cut && (err != nil || !got.ok()))
	return got, err
}
