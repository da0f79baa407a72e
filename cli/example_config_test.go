package cli_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/cli"
	"kayra/config"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// The example's defaults of operator blocks are taken, and all but its autoscale and its rollback hold anyway.
func TestTheExampleOperates(t *testing.T) {
	t.Parallel()
	c, _, err := config.Load(config.Options{Path: "../examples/kayra.yaml", Env: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	operator, err := cli.OperatorOf(c)
	if err != nil {
		t.Fatal(err)
	}
	got, want := (*catalog.Operator)(nil).Settings(operator), (*catalog.Operator)(nil).Settings(nil)
	if n := len(got.ScaleWhen.Value) + len(got.ScaleOr.Value); n != 3 || got.ScaleWorkers.Value == 0 || got.RollbackFailures.Value == 0 {
		t.Errorf("%+v", got)
	}
	want.ScaleWhen, want.ScaleOr, want.ScaleWorkers = got.ScaleWhen, got.ScaleOr, got.ScaleWorkers
	want.RollbackFailures, want.RollbackWithin = got.RollbackFailures, got.RollbackWithin
	ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Source" }, cmp.Ignore())
	if d := cmp.Diff(want, got, ignore); d != "" {
		t.Error(d)
	}
}

// Every template of the example is rendered, as it would be for a tenant.
func TestTheExampleRenders(t *testing.T) {
	t.Parallel()
	c, warnings, err := config.Load(config.Options{Path: "../examples/kayra.yaml", Env: []string{}})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("load the example: %v, warnings %v", err, warnings)
	}
	p, err := cli.ParseModes(c, func(string) (string, bool) { return "", false })
	if err != nil || len(p.Warnings()) > 0 {
		t.Fatalf("parse the example: %v, warnings %v", err, p.Warnings())
	}
	want := map[string][]string{
		"trigger": {
			"POST https://gitlab.example.com/api/v4/projects/42/pipeline " + `{"ref":"sandbox","variables":[` +
				`{"key":"***","value":"sre"},{"key":"***","value":"compute.example.com"},` +
				`{"key":"***","value":"2026-02-01T00Z"},{"key":"***","value":"***"}]} `,
			"GET https://gitlab.example.com/api/v4/projects/42/pipelines/<output PipelineID of step 1>  ",
		},
		"api": {
			`POST https://compute.local.services/api/v1/namespaces/sre/sync {"sync_id":"2026-02-01T00Z"} `,
			"GET https://compute.local.services/api/v1/namespaces/sre/sync/2026-02-01T00Z  ",
		},
	}
	for mode, lines := range want {
		requests, err := p.Preview(mode, pipeline.Input{Subscription: pipeline.Subscription{
			Api: "compute.example.com", ShortName: "compute", Namespace: "sre", Platform: "sandbox", Region: "eu-west-1",
			CurrentSyncID: "2026-01-01T00Z", ExpectedSyncID: "2026-02-01T00Z",
		}})
		if err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
		var got []string
		for _, r := range requests {
			got = append(got, strings.Join([]string{r.Method, r.URL, string(r.Body), r.Problem}, " "))
		}
		if diff := cmp.Diff(lines, got); diff != "" {
			t.Errorf("mode %s (-want +got):\n%s", mode, diff)
		}
	}
	if len(c.Reconciler.Mode) != len(want) {
		t.Errorf("the example has %d modes, and %d are tested", len(c.Reconciler.Mode), len(want))
	}
}
