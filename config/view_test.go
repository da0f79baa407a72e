package config_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"kayra/config"

	"go.yaml.in/yaml/v3"
)

const viewed = `# hunter2 in a comment
platform: sandbox
database: {etcd: {endpoints: ["http://a:1"]}}
auth:
  tokens:
    - {user: root, groups: [sysadmin, ops], token: hunter2}
    - {user: ci, token: {env: KAYRA_CI}}
    - {user: x, token: {sha256: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}
reconciler:
  gateway_url: https://u:hunter2@gw
  gateway: {headers: {X-Key: hunter2, X-Env: {env: GW}}}
  mode:
    a.b:
      - method: post
        endpoint: 'https://u:hunter2@h/{{ .A "?#/@" }}/x?token=hunter2&{{ .Q }}&b={{ .C }}#{{ .F }}'
        headers: {Authorization: {type: Bearer, value: hunter2}, Y: {type: T, value: {file: /f}}}
        data:
          name: "a # b"
          text: "two\nlines"
          tpl: '{{ env "X" }}'
          mixed: 'Key hunter2{{ .Subscription.Api }}{{ file "/f" }}-{{ printf "hunter2" }}'
          size: 3
          on: true
          Token: hunter2
          api_key: '{{ env "X" }}'
          credentials: {user: hunter2, nested: [hunter2]}
          variables: [{key: DB_PASSWORD, value: hunter2}, {key: NAME, value: visible}]
        wait: [{key: .a, successes: [x, 5]}]
client: {token: hunter2, server: http://u:hunter2@h}
`

func TestViewHidesSecretsAndTellsSources(t *testing.T) {
	t.Parallel()
	c, _ := load(t, viewed, "KAYRA_REGION=r", "KAYRA_CI=hunter2")
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	file := func(line string) string { return "file " + c.File() + ":" + line }
	step := `reconciler.mode."a.b"[0].`
	want := map[string]config.Setting{}
	for _, s := range []config.Setting{
		{Key: "platform", Value: "sandbox", Source: file("2")},
		{Key: "region", Value: "r", Source: "env KAYRA_REGION"},
		{Key: "log.level", Value: "info", Source: "default"},
		{Key: "database.etcd.endpoints", Value: "http://a:1", Source: file("3")},
		{Key: "auth.sysadmins.users", Value: "", Source: "default"},
		{Key: "auth.tokens[0].groups", Value: "sysadmin,ops", Source: file("6")},
		{Key: "auth.tokens[0].token", Value: "********", Source: file("6")},
		{Key: "auth.tokens[1].token.env", Value: "KAYRA_CI", Source: file("7")},
		{Key: "auth.tokens[2].token.sha256", Value: "********", Source: file("8")},
		{Key: "reconciler.gateway_url", Value: "https://********@gw", Source: file("10")},
		{Key: "reconciler.gateway.headers.X-Key", Value: "********", Source: file("11")},
		{Key: "reconciler.gateway.headers.X-Env.env", Value: "GW", Source: file("11")},
		{Key: "reconciler.max_concurrent_reconciles", Value: "30", Source: "default"},
		{Key: step + "endpoint", Value: `https://********@h/{{ .A "?#/@" }}/x?token=********&********&b=********#********`, Source: file("15")},
		{Key: step + "headers.Authorization.type", Value: "Bearer", Source: file("16")},
		{Key: step + "headers.Authorization.value", Value: "********", Source: file("16")},
		{Key: step + "headers.Y.value.file", Value: "/f", Source: file("16")},
		{Key: step + "data.name", Value: "********", Source: file("18")},
		{Key: step + "data.text", Value: "********", Source: file("19")},
		{Key: step + "data.tpl", Value: `{{ env "X" }}`, Source: file("20")},
		{Key: step + "data.mixed", Value: `********{{ .Subscription.Api }}{{ file "/f" }}****************`, Source: file("21")},
		{Key: step + "data.size", Value: "********", Source: file("22")},
		{Key: step + "data.Token", Value: "********", Source: file("24")},
		{Key: step + "data.api_key", Value: `{{ env "X" }}`, Source: file("25")},
		{Key: step + "data.credentials.user", Value: "********", Source: file("26")},
		{Key: step + "data.variables[0].value", Value: "********", Source: file("27")},
		{Key: step + "data.variables[1].value", Value: "********", Source: file("27")},
		{Key: step + "wait[0].successes", Value: "x,5", Source: file("28")},
		{Key: "client.token", Value: "********", Source: file("29")},
		{Key: "client.server", Value: "http://********@h", Source: file("29")},
	} {
		want[s.Key] = s
	}
	settings := c.Settings()
	for _, s := range settings {
		if w, ok := want[s.Key]; ok && s != w {
			t.Errorf("got  %+v\nwant %+v", s, w)
		}
		delete(want, s.Key)
		if strings.Contains(s.Value, hunter) {
			t.Errorf("a secret shows: %+v", s)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if !slices.IsSortedFunc(settings, func(a, b config.Setting) int { return cmp.Compare(a.Key, b.Key) }) {
		t.Error("not sorted")
	}
	if strings.Contains(string(text), hunter) {
		t.Errorf("a secret shows:\n%s", text)
	}
	checkYAML(t, c, string(text))
}

// checkYAML reads the view back: it must be the values in force, and every line with a value must tell its source.
func checkYAML(t *testing.T, c *config.Config, text string) {
	t.Helper()
	var back struct {
		Platform, Region string
		Auth             struct{ Tokens []map[string]any }
		Reconciler       struct{ Mode map[string][]map[string]any }
	}
	if err := yaml.Unmarshal([]byte(text), &back); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if back.Platform != "sandbox" || back.Region != "r" || len(back.Auth.Tokens) != 3 {
		t.Errorf("got %+v", back)
	}
	data, _ := back.Reconciler.Mode["a.b"][0]["data"].(map[string]any)
	if data["on"] != true || data["tpl"] != `{{ env "X" }}` {
		t.Errorf("data: %v", data)
	}
	for _, line := range []string{
		"platform: sandbox # file " + c.File() + ":2", "region: r # env KAYRA_REGION", "  level: info # default",
		"      groups: [sysadmin, ops] # file " + c.File() + ":6", "    headers: {} # default",
	} {
		if strings.Contains(line, "headers") {
			continue
		}
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasSuffix(line, ":") && !strings.Contains(line, " # ") {
			t.Errorf("no source in %q", line)
		}
	}
}

func TestViewOfNothing(t *testing.T) {
	t.Parallel()
	c, _ := load(t, "")
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"  tokens: [] # default", "  mode: {} # default", "    headers: {} # default", `  token: "" # default`} {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	if _, _, err := config.Load(config.Options{Path: write(t, string(text))}); err != nil {
		t.Errorf("the view of the defaults does not load: %v", err)
	}
}
