package cli

import (
	"cmp"
	"encoding/json"
	"fmt"

	"kayra/cli/plan"
	"kayra/config"
	"kayra/reconciler/pipeline"
	"kayra/server/api"
)

// requestsOf are the requests of the first tenant, by the modes of this machine's configuration.
func requestsOf(c *config.Config, env lookup, p *plan.Plan, f *plan.Facts) (plan.Requests, error) {
	var reg api.Registration
	if err := json.Unmarshal(f.After, &reg); err != nil {
		return plan.Requests{}, fmt.Errorf("read API registration: %w", err)
	}
	q := plan.Requests{Mode: reg.Mode, From: "registration", Config: c.File(), Steps: []pipeline.RequestView{}}
	if q.Mode == "" {
		q.Mode, q.From = c.Reconciler.DefaultMode, "reconciler.default_mode"
	}
	modes, err := planModes(c, env)
	if err != nil {
		return q, err
	}
	if q.Note = withoutRequests(q, p, modes); q.Note != "" {
		return q, nil
	}
	first := p.Reconcile.Due[0]
	q.Namespace = first.Namespace
	q.Steps, err = modes.Preview(q.Mode, pipeline.Input{Subscription: pipeline.Subscription{
		Api: reg.Name, ShortName: reg.ShortName, Namespace: first.Namespace, Platform: reg.Platform, Region: reg.Region,
		CurrentSyncID: first.CurrentSyncID, ExpectedSyncID: reg.SyncID,
	}})
	if err != nil {
		return q, fmt.Errorf("show requests: %w", err)
	}
	return q, nil
}

// withoutRequests says why there are none to be shown, or nothing.
func withoutRequests(q plan.Requests, p *plan.Plan, modes *pipeline.Pipelines) string {
	file := cmp.Or(q.Config, "the configuration here")
	switch {
	case q.Config == "":
		return "there is no kayra.yaml here, so that what reconcilers would send is not known; --config names one"
	case q.Mode == "":
		return fmt.Sprintf("none: it names no mode, and reconciler.default_mode is not set in %s, so that every attempt would fail", file)
	case !modes.Has(q.Mode):
		return fmt.Sprintf("none: mode %q is configured nowhere in %s, so that nothing would be sent and every attempt would succeed", q.Mode, file)
	case len(p.Reconcile.Due) == 0:
		return "none: nobody would be reconciled"
	}
	return ""
}

// planModes reads the pipelines as checkModes does: the files of a step's tls need not be here.
func planModes(c *config.Config, env lookup) (*pipeline.Pipelines, error) {
	modes := modesOf(c.Reconciler.Mode, env)
	for _, steps := range modes {
		for i := range steps {
			steps[i].TLS = pipeline.TLS{}
		}
	}
	p, err := pipeline.Parse(modes, pipeline.Options{OutputHosts: c.Reconciler.OutputHosts, LookupEnv: env})
	if err != nil {
		return nil, modeFailure(c, err, func(*pipeline.FieldError) bool { return true })
	}
	return p, nil
}
