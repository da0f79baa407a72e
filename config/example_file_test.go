package config_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/config"
)

func TestExampleFile(t *testing.T) {
	t.Parallel()
	c, warnings, err := config.Load(config.Options{
		Path: "../examples/kayra.yaml",
		Env:  []string{"KAYRA_ROOT_TOKEN=hunter2"},
	})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("Load: %v, warnings %v", err, warnings)
	}
	if err := c.RequireScope(); err != nil {
		t.Error(err)
	}
	for _, s := range c.Settings() {
		if s.Source == "default" {
			t.Errorf("the example leaves %s out", s.Key)
		}
	}
	trigger, api := c.Reconciler.Mode["trigger"], c.Reconciler.Mode["api"]
	if len(trigger) != 2 || len(api) != 2 {
		t.Fatalf("%d and %d steps", len(trigger), len(api))
	}
	if trigger[0].Outputs["PipelineID"] != ".id" || !strings.HasSuffix(trigger[1].Endpoint, "{{ .Previous.Outputs.PipelineID }}") {
		t.Error("the poll does not use the trigger's output")
	}
	if w := trigger[1].Wait[0]; !slices.Equal(w.Successes, []string{"success"}) || !slices.Equal(w.Failures, []string{"failed", "canceled", "skipped"}) {
		t.Errorf("wait: %+v", w)
	}
	if !api[0].Async || api[0].Method != http.MethodPost || api[1].Async || api[1].Timeout != time.Hour {
		t.Errorf("api: %+v", api)
	}
}

// laboratory is a file as tests from outside write it: flow style, and texts without quotes.
const laboratory = `domain: example.com
platform: sandbox
region: eu-west-1
log: {level: debug, format: json}
server: {listen: "127.0.0.1:12345"}
database:
  backend: etcd
  etcd: {endpoints: ["http://127.0.0.1:2379"], lease_ttl: 5s}
auth:
  tokens:
    - {user: root, groups: [sysadmin], token: lab-root-token}
    - {user: ann, groups: [tenants], token: ann-token}
reconciler:
  listen: "127.0.0.1:12346"
  max_concurrent_reconciles: 30
  default_mode: "api"
  gateway_url: "%s"
  wait_poll_interval: 200ms
  async_ack_timeout: 300ms
  mode:%s
client: {server: "http://127.0.0.1:12345", token: lab-root-token}
`

func TestLaboratoryFiles(t *testing.T) {
	t.Parallel()
	const steps = `
    api:
      - method: post
        endpoint: "http://127.0.0.1:1/api/v1/namespaces/{{ .Subscription.Namespace }}/sync"
        data: {sync_id: "{{ .Subscription.ExpectedSyncID }}"}
        timeout: "5s"
`
	for _, gateway := range []string{"", "http://127.0.0.1:1"} {
		for _, mode := range []string{"", " {}", steps} {
			c, warnings := load(t, fmt.Sprintf(laboratory, gateway, mode),
				"KAYRA_SERVER_LISTEN=127.0.0.1:1", "KAYRA_RECONCILER_LISTEN=127.0.0.1:2")
			if len(warnings) > 0 || c.RequireScope() != nil {
				t.Errorf("warnings: %v", warnings)
			}
			if c.Server.Listen != "127.0.0.1:1" || c.Reconciler.Listen != "127.0.0.1:2" || c.Reconciler.GatewayURL != gateway {
				t.Errorf("%+v", c)
			}
			if _, ok := c.Reconciler.Mode["api"]; ok != (mode == steps) {
				t.Errorf("modes %v of %q", c.Reconciler.Mode, mode)
			}
		}
	}
}
