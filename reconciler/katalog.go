package reconciler

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"kayra/reconciler/katalog"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// insight answers what is asked of a reconciler, from what it has in memory.
type insight struct{ *Controller }

// Process implements [katalog.Source].
func (i insight) Process() katalog.Process {
	return katalog.Process{
		Scope: i.opts.Scope, Version: i.opts.Identity.Version, Ready: i.ready(), Konductor: i.leads(),
		Gateway: public(i.opts.ServerURL), Now: i.cache.now(),
	}
}

// ready tells whether the process works: the first list is in, the watch runs, and its lease is held.
func (c *Controller) ready() bool {
	running, _ := c.feed.get()
	return running && c.runs.opened()
}

// leads tells whether this process is the konductor, as far as it knows.
func (c *Controller) leads() bool {
	c.cache.mu.RLock()
	defer c.cache.mu.RUnlock()
	return c.office.held() && c.cache.konductor == c.opts.Identity.ID
}

// public is a URL without what may be a secret.
func public(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// APIs implements [katalog.Source].
func (i insight) APIs() []katalog.API {
	names := i.cache.names()
	slices.Sort(names)
	all := make([]katalog.API, 0, len(names))
	for _, name := range names {
		if a, ok := i.api(name); ok {
			all = append(all, a)
		}
	}
	return all
}

// API implements [katalog.Source].
func (i insight) API(name string) (katalog.API, bool) {
	a, ok := i.api(name)
	if !ok || a.Registration == nil {
		return a, ok
	}
	a.Details = &katalog.Details{Grants: i.cache.grantsOf(name)}
	steps := i.opts.Pipeline.Describe(a.Mode)
	for _, s := range steps {
		a.Details.Steps = append(a.Details.Steps, s)
	}
	a.Details.Hosts = hostsOf(i.opts.Pipeline.Hosts(name), steps)
	return a, true
}

// api is what all of its answers are made from.
func (i insight) api(name string) (katalog.API, bool) {
	a, ok := i.cache.overview(name, i.modes)
	if !ok || a.Registration == nil {
		return a, ok
	}
	a.Queue = i.queues.Stats(name)
	a.Hosts = len(hostsOf(i.opts.Pipeline.Hosts(name), i.opts.Pipeline.Describe(a.Mode)))
	if s := i.staffs.of(name); s != nil {
		a.Vitals = s.vitals.Snapshot()
		a.Scale = s.scaler.Report(a.Vitals.Processing())
	}
	return a, true
}

// overview is what the records tell of a registration, or of one that others depend on.
func (c *cache) overview(name string, m modes) (katalog.API, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := katalog.API{Name: name, State: catalog.HealthMissing}
	a := c.apis[name]
	if a == nil || a.reg == nil {
		needed := slices.Sorted(maps.Keys(c.dependents[c.ref(name)]))
		out.Reason = "it is not registered, and needed by " + strings.Join(needed[:min(len(needed), 3)], ", ")
		if more := len(needed) - 3; more > 0 {
			out.Reason += fmt.Sprintf(" and %d more", more)
		}
		return out, len(needed) > 0
	}
	out.Registration, out.Settings, out.Resync = a.reg, a.settings, a.resync
	out.Mode = m.of(a.reg)
	out.Placeholder = !m.has(out.Mode)
	out.State, out.Reason, out.Started = c.stateOf(a), c.degradedReason(a), a.started
	out.Rules = c.grants.about(name)
	out.Tally = katalog.Tally{
		Subscribed: a.tally.subscribed, Synced: a.tally.synced, Failing: a.tally.failing, InError: a.tally.erred,
		Failures: a.tally.failures,
	}
	for i := range a.reg.DependsOn {
		out.Dependencies = append(out.Dependencies, c.dependency(a, i))
	}
	return out, true
}

func (c *cache) grantsOf(api string) []katalog.Grant {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.grants.of(api)
}

// hostsOf are the hosts that have been called, with those that are written in the steps and have not.
func hostsOf(called []pipeline.Host, steps []pipeline.StepView) []katalog.Host {
	all := make([]katalog.Host, 0, len(called))
	for _, h := range called {
		all = append(all, katalog.Host{Name: h.Name, Steps: h.Kinds, Calls: h.Calls, Errors: h.Errors})
	}
	for _, s := range steps {
		host := hostOf(s.Endpoint)
		if host == "" {
			continue
		}
		at := slices.IndexFunc(all, func(h katalog.Host) bool { return h.Name == host })
		if at < 0 {
			at = len(all)
			all = append(all, katalog.Host{Name: host})
		}
		if kind := cmp.Or(s.Name, s.Method); !slices.Contains(all[at].Steps, kind) {
			all[at].Steps = append(slices.Clone(all[at].Steps), kind)
			slices.Sort(all[at].Steps)
		}
	}
	slices.SortFunc(all, func(a, b katalog.Host) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// hostOf is the host in the template of an endpoint, or "" where a template gives it.
func hostOf(endpoint string) string {
	_, rest, _ := strings.Cut(endpoint, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	host := rest[strings.LastIndex(rest, "@")+1:]
	if strings.Contains(host, "{{") || strings.Contains(host, "}}") {
		return ""
	}
	return strings.ToLower(host)
}
