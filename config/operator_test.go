package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"kayra/config"
)

const operated = `reconciler:
  server: {url: "https://u:hunter2@kayra", token: {env: TOKEN}}
  operator:
    workers: 3
    resync: 10m
    retry:
    autoscale:
      when:
        - {metric: queueDepth, op: ">", value: 1.50}
        - metric: errorRatePercent
          op: "=="
          value: 18446744073709551616
      or: []
`

// The block is what others read and check. What stands where in the file is known of each key in it.
func TestOperatorBlock(t *testing.T) {
	t.Parallel()
	c, warnings := load(t, operated, "TOKEN=hunter2")
	got, err := json.Marshal(c.Reconciler.Operator)
	want := `{"autoscale":{"or":[],"when":[{"metric":"queueDepth","op":"\u003e","value":1.5},` +
		`{"metric":"errorRatePercent","op":"==","value":18446744073709551616}]},"resync":"10m","retry":null,"workers":3}`
	if err != nil || string(got) != want || len(warnings) > 0 {
		t.Errorf("%s, %v, warnings %v", got, err, warnings)
	}
	for key, line := range map[string]string{
		"reconciler.operator.workers": "4", "reconciler.operator.autoscale.when[1].op": "11", "reconciler.operator.autoscale.when[0].value": "9",
		"reconciler.operator.retry.max": "6", "reconciler.operator": "3", "reconciler.server.token": "2",
	} {
		if source := c.Source(key); source != "file "+c.File()+":"+line {
			t.Errorf("%s is at %s, not in line %s", key, source, line)
		}
	}
	if token, err := c.Reconciler.Server.Token.Reveal(func(string) (string, bool) { return "hunter2", true }); err != nil || token != "hunter2" {
		t.Errorf("token: %v", err)
	}
}

func TestViewOfTheOperatorBlock(t *testing.T) {
	t.Parallel()
	c, _ := load(t, operated)
	shown := map[string]config.Setting{}
	for _, s := range c.Settings() {
		shown[s.Key] = s
	}
	file := func(line string) string { return "file " + c.File() + ":" + line }
	for _, want := range []config.Setting{
		{Key: "reconciler.server.url", Value: "https://********@kayra", Source: file("2")},
		{Key: "reconciler.server.token.env", Value: "TOKEN", Source: file("2")},
		{Key: "reconciler.operator.resync", Value: "10m", Source: file("5")},
		{Key: "reconciler.operator.autoscale.when[0].op", Value: ">", Source: file("9")},
		{Key: "reconciler.operator.autoscale.or", Value: "", Source: file("13")},
	} {
		if got := shown[want.Key]; got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "kayra.yaml")
	if err := os.WriteFile(again, text, 0o600); err != nil {
		t.Fatal(err)
	}
	read, _, err := config.Load(config.Options{Path: again})
	if err != nil {
		t.Fatal(err)
	}
	was, _ := json.Marshal(c.Reconciler.Operator)
	is, _ := json.Marshal(read.Reconciler.Operator)
	if string(was) != string(is) {
		t.Errorf("the view has %s, the file %s", is, was)
	}
}
