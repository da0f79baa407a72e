package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"kayra/cli"
	"kayra/config"
)

const nastySteps = `reconciler:
  mode:
    m:
      - method: post
        endpoint: 'https://u:hunter2@h/{{ .Subscription.Api | printf "?#/@%s" }}/x?token=hunter2&{{ env "Q" }}&b={{ file "/c" }}#{{ env "F" }}'
        headers:
          Authorization: {type: Bearer, value: hunter2}
          Literal: hunter2
          Template: 'Bearer {{ file "/t" }}'
          Env: {env: GW}
          File: {type: T, value: {file: /f}}
        data:
          name: "a # b"
          text: "two\nlines {{ .Subscription.Api\n }}"
          tpl: '{{ env "X" }}'
          trimmed: 'a {{- env "X" -}} b{{- .Subscription.Api -}}'
          mixed: 'Key hunter2{{ .Subscription.Api }}{{ file "/f" }}-{{ printf "hunter2" }}'
          quoted: '{{ "hunter2" }}{{ env "X" | printf "hunter2%s" }}'
          size: 3
          big: 123456789012345678901234567890
          exponent: 1e3
          on: true
          nothing: null
          empty: ""
          nested: [hunter2, 4.5, [false, {deep: '{{ .Subscription.Region }}'}]]
      - {method: get, endpoint: '{{ env "BASE" }}/x?a=hunter2'}
      - {method: get, endpoint: 'http://h', data: hunter2}
      - {method: get, endpoint: 'http://h?hunter2', data: ['{{ .Subscription.Api }}', 2026-01-01, 0x1F]}
`

// What a reconciler shows of its steps is what config view shows of them.
func TestDescribedAsViewed(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile("../examples/kayra.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"nasty": nastySteps, "example": string(example)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "kayra.yaml")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c, _, err := config.Load(config.Options{Path: path, Env: []string{}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := cli.ParseModes(c, func(string) (string, bool) { return "", false })
			if err != nil {
				t.Fatal(err)
			}
			for mode, steps := range viewed(t, c) {
				described := p.Describe(mode)
				if len(described) != len(steps) {
					t.Fatalf("%d steps are described, and %d viewed", len(described), len(steps))
				}
				for i := range steps {
					got := map[string]any{}
					encoded, err := json.Marshal(described[i])
					if err != nil || json.Unmarshal(encoded, &got) != nil {
						t.Fatal(err)
					}
					for _, key := range []string{"endpoint", "headers", "data"} {
						if diff := cmp.Diff(steps[i][key], got[key]); diff != "" {
							t.Errorf("%s of step %d of mode %s (-viewed +described):\n%s", key, i+1, mode, diff)
						}
					}
				}
			}
		})
	}
}

// viewed reads the steps out of what config view shows, each header in the longer of its two forms.
func viewed(t *testing.T, c *config.Config) map[string][]map[string]any {
	t.Helper()
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	var view struct {
		Reconciler struct{ Mode map[string][]map[string]any }
	}
	if err := yaml.Unmarshal(text, &view); err != nil {
		t.Fatal(err)
	}
	for _, steps := range view.Reconciler.Mode {
		for _, step := range steps {
			headers, _ := step["headers"].(map[string]any)
			for name, h := range headers {
				if object, ok := h.(map[string]any); !ok || object["value"] == nil {
					headers[name] = map[string]any{"value": h}
				}
			}
		}
	}
	return view.Reconciler.Mode
}
