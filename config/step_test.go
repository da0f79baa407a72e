package config_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"kayra/config"

	"github.com/google/go-cmp/cmp"
)

// same compares secrets by what they reveal.
func same() cmp.Option {
	return cmp.Comparer(func(a, b config.Secret) bool {
		x, isX := a.Literal()
		y, isY := b.Literal()
		return x == y && isX == isY
	})
}

func TestCaseAndDotsSurvive(t *testing.T) {
	t.Parallel()
	c, _ := load(t, `
reconciler:
  gateway: {headers: {X-Request-Id: a, x.y: b}}
  mode:
    API: []
    api:
    a.b:
      - method: pOsT
        name: First
        endpoint: http://x
        timeout: 3600s
        headers: {X-Request-Id: "{{ .A }}", Authorization: {type: Bearer, value: Tok}}
        data: {TENANT_NAME: A, a.b: {C.d: [{E.F: g}]}}
        outputs: {PipelineID: ".Items[0].Id", a.b: .c}
        wait: [{key: .Status, successes: [Done, true, True, 1, 1.50, "no"], failures: [FALSE, 0x10, yes]}]
        tls: {ca_file: CA, cert_file: Cert, key_file: Key, insecure_skip_verify: true}
    Quick.Mode: [{method: GET, endpoint: "{{ .Url }}"}]
`)
	modes := c.Reconciler.Mode
	if len(modes) != 4 || len(modes["API"]) != 0 || len(modes["api"]) != 0 {
		t.Fatalf("modes: %v", modes)
	}
	step := modes["a.b"][0]
	data := step.Data
	step.Data = nil
	want := config.Step{
		Name: "First", Method: "POST", Endpoint: "http://x", Timeout: time.Hour,
		Headers: step.Headers,
		Outputs: map[string]string{"PipelineID": ".Items[0].Id", "a.b": ".c"},
		Wait:    []config.Wait{{Key: ".Status", Successes: []string{"Done", "true", "true", "1", "1.5", "no"}, Failures: []string{"false", "16", "yes"}}},
		TLS:     config.TLS{CAFile: "CA", CertFile: "Cert", KeyFile: "Key", InsecureSkipVerify: true},
	}
	if diff := cmp.Diff(want, step, same()); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"X-Request-Id": "/{{ .A }}", "Authorization": "Bearer/Tok"} {
		text, ok := step.Headers[name].Value.Literal()
		if !ok || step.Headers[name].Type+"/"+text != want {
			t.Errorf("%s: %s/%s", name, step.Headers[name].Type, text)
		}
	}
	if got := encode(t, data); got != `{"TENANT_NAME":"A","a.b":{"C.d":[{"E.F":"g"}]}}` {
		t.Errorf("data: %s", got)
	}
	if diff := cmp.Diff(config.Step{Method: "GET", Endpoint: "{{ .Url }}", Timeout: config.DefaultStepTimeout}, modes["Quick.Mode"][0], same()); diff != "" {
		t.Error(diff)
	}
	if h := c.Reconciler.Gateway.Headers; len(h) != 2 || h["X-Request-Id"].Value.IsZero() || h["x.y"].Value.IsZero() {
		t.Errorf("gateway headers: %v", h)
	}
	for key, line := range map[string]string{
		`reconciler.mode."a.b"[0].headers.X-Request-Id`: ":12", `reconciler.mode."a.b"[0].nothing`: ":8",
		"reconciler.gateway.headers.X-Request-Id": ":3", "reconciler.gateway": "default",
	} {
		if got := c.Source(key); !strings.HasSuffix(got, line) {
			t.Errorf("source of %s: %s, want …%s", key, got, line)
		}
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDataReachesJSONAsWritten(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"{on: true, nil: null, n: 3}":                                               `{"n":3,"nil":null,"on":true}`,
		"{y: no, off: yes, no: off}":                                                `{"no":"off","off":"yes","y":"no"}`,
		"[True, FALSE, ~, '', 'null']":                                              `[true,false,null,"","null"]`,
		"[12345678901, -7, +5, 0, 0x1F, 0o17]":                                      `[12345678901,-7,5,0,31,15]`,
		"[9007199254740993, 18446744073709551615, -123456789012345678901234567890]": `[9007199254740993,18446744073709551615,-123456789012345678901234567890]`,
		"[1.5, 1e3, -.5, 1.]":                                                       `[1.5,1000,-0.5,1]`,
		"[1_000, 0b1, 2026-01-01, 12:30, 1.2.3, 2026-01-01T00:00:00Z]":              `["1_000","0b1","2026-01-01","12:30","1.2.3","2026-01-01T00:00:00Z"]`,
		"{2026-01-01: a, 1_0: b, <: c}":                                             `{"1_0":"b","2026-01-01":"a","\u003c":"c"}`,
		"!!str 5":                                                                   `"5"`,
		"text":                                                                      `"text"`,
		"[]":                                                                        `[]`,
		"{}":                                                                        `{}`,
		"{a: &x {k: 1, l: 2}, b: *x, c: {<<: *x, k: 3}, d: [*x]}": `{"a":{"k":1,"l":2},"b":{"k":1,"l":2},"c":{"k":3,"l":2},"d":[{"k":1,"l":2}]}`,
		"{a: &x {k: 1}, b: &y {k: 2, m: 3}, c: {<<: [*x, *y]}}":   `{"a":{"k":1},"b":{"k":2,"m":3},"c":{"k":1,"m":3}}`,
		"{&k Key: 1, b: {*k : 2}}":                                `{"Key":1,"b":{"Key":2}}`,
		"null":                                                    `null`,
	} {
		t.Run(written, func(t *testing.T) {
			t.Parallel()
			c, _ := load(t, "reconciler: {mode: {m: [{method: post, endpoint: http://x, data: "+written+"}]}}")
			if got := encode(t, c.Reconciler.Mode["m"][0].Data); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestRefusedSteps(t *testing.T) {
	t.Parallel()
	const forms = "use text in quotes, {env: NAME} or {file: PATH}"
	const ends = "use a URL that begins with http:// or https://, or a template"
	for written, want := range map[string]string{
		"m: {method: get}":                                         "m: a mapping is not allowed: use a list of steps",
		"'': []":                                                   `"": "" is not allowed as a mode's name: use any other text`,
		"m: [5]":                                                   "m[0]: 5 (a number) is not allowed: use a mapping of async, data, endpoint, headers, method, name, outputs, timeout, tls or wait",
		"m: [{}]":                                                  "m[0]: method is missing",
		"m: [null]":                                                "m[0]: null is not allowed: use a mapping of async, data, endpoint, headers, method, name, outputs, timeout, tls or wait",
		"m: [{method: get}]":                                       "m[0]: endpoint is missing",
		"m: [{METHOD}]":                                            "m[0].method: \"METHOD\" is not allowed: use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS",
		"m: [{endpoint: ''}]":                                      `m[0].endpoint: "" is not allowed: ` + ends,
		"m: [{endpoint: a/b}]":                                     `m[0].endpoint: "a/b" is not allowed: ` + ends,
		"m: [{endpoint: 'http://'}]":                               `m[0].endpoint: "http://" is not allowed: ` + ends,
		"m: [{endpoint: ' http://a'}]":                             `m[0].endpoint: " http://a" is not allowed: ` + ends,
		"m: [{endpoint: 'ftp://u:hunter2@a'}]":                     `m[0].endpoint: "********@a" is not allowed: ` + ends,
		"m: [{timeout: 30}]":                                       "m[0].timeout: 30 (a number) is not allowed: use a duration with its unit, such as 500ms, 30s or 5m, and more than 0",
		"m: [{timeout: 0s}]":                                       `m[0].timeout: "0s" is not allowed: use a duration with its unit, such as 500ms, 30s or 5m, and more than 0`,
		"m: [{async: 'true'}]":                                     `m[0].async: "true" is not allowed: use true or false`,
		"m: [{waits: []}]":                                         "m[0].waits: unknown key: did you mean wait?",
		"a.b: [{waits: []}]":                                       `"a.b"[0].waits: unknown key: did you mean wait?`,
		"m: [{headers: [a]}]":                                      "m[0].headers: a list is not allowed: use a mapping of header names to values",
		"m: [{headers: {a b: x}}]":                                 `m[0].headers."a b": the name is not allowed: use letters, digits and dashes, such as X-Request-Id`,
		"m: [{headers: {A: x, a: y}}]":                             "m[0].headers.a: is the same header as A: give it once",
		"m: [{headers: {A: 5}}]":                                   "m[0].headers.A: a number is not allowed: " + forms,
		"m: [{headers: {A: null}}]":                                "m[0].headers.A: null is not allowed: " + forms,
		"m: [{headers: {A: [hunter2]}}]":                           "m[0].headers.A: a list is not allowed: " + forms,
		"m: [{headers: {A: \"hunter2\\n\"}}]":                      "m[0].headers.A: line breaks and control characters are not allowed: use text on one line",
		"m: [{headers: {A: {type: 'a b', value: x}}}]":             `m[0].headers.A.type: this text is not allowed: use one word such as Bearer or Basic`,
		"m: [{headers: {A: {type: T}}}]":                           "m[0].headers.A: value is missing",
		"m: [{headers: {A: {type: T, value: {}}}}]":                "m[0].headers.A.value: a mapping of other keys, or of several, is not allowed: " + forms,
		"m: [{headers: {A: {value: {env: A, file: b}}}}]":          "m[0].headers.A.value: a mapping of other keys, or of several, is not allowed: " + forms,
		"m: [{headers: {A: {value: {env: null}}}}]":                "m[0].headers.A.value.env: null is not allowed: use the name of an environment variable, such as KAYRA_ROOT_TOKEN",
		"m: [{headers: {A: {value: {env: 'hunter 2'}}}}]":          "m[0].headers.A.value.env: this text is not allowed: use the name of an environment variable, such as KAYRA_ROOT_TOKEN",
		"m: [{headers: {A: {value: {file: ''}}}}]":                 "m[0].headers.A.value.file: this text is not allowed: use the path of a file",
		"m: [{headers: {A: {value: {sha256: a}}}}]":                "m[0].headers.A.value: a mapping of other keys, or of several, is not allowed: " + forms,
		"m: [{data: {5: x}}]":                                      "m[0].data: 5 (a number) is not allowed as a key: use text, in quotes if need be",
		"m: [{data: {a: {true: x}}}]":                              "m[0].data.a: true (a boolean) is not allowed as a key: use text, in quotes if need be",
		"m: [{data: [a, 007]}]":                                    "m[0].data[1]: 007 (a number) is not allowed: use a number without leading zeros, or text in quotes",
		"m: [{data: -.inf}]":                                       "m[0].data: -.inf (a number) is not allowed: use a number that JSON can express",
		"m: [{data: {a: 1, a: 2}}]":                                "m[0].data.a: is given twice, first in line 1",
		"m: [{outputs: {A: ''}}]":                                  `m[0].outputs.A: "" is not allowed: use a dot path such as .items[0].id`,
		"m: [{outputs: [a]}]":                                      "m[0].outputs: a list is not allowed: use a mapping of names to dot paths",
		"m: [{wait: {key: a}}]":                                    "m[0].wait: a mapping is not allowed: use a list of {key, successes, failures}",
		"m: [{wait: [{key: '', successes: [a]}]}]":                 `m[0].wait[0].key: "" is not allowed: use a dot path such as .status`,
		"m: [{wait: [{successes: [a]}]}]":                          "m[0].wait[0]: key is missing",
		"m: [{wait: [{key: a}]}]":                                  "m[0].wait[0]: successes is missing",
		"m: [{wait: [{key: a, successes: []}]}]":                   "m[0].wait[0].successes: an empty list is not allowed: use at least one value",
		"m: [{wait: [{key: a, successes: done}]}]":                 `m[0].wait[0].successes: "done" is not allowed: use a list of values`,
		"m: [{wait: [{key: a, successes: [null]}]}]":               "m[0].wait[0].successes[0]: null is not allowed: use text, a number, true or false",
		"m: [{wait: [{key: a, successes: [.nan]}]}]":               "m[0].wait[0].successes[0]: .nan (a number) is not allowed: use a number that JSON can express",
		"m: [{wait: [{key: a, successes: [1], failures: ['1']}]}]": `m[0].wait[0]: "1" is among both successes and failures: put it in one of them`,
		"m: [{tls: {key_file: a}}]":                                "m[0].tls: cert_file without key_file, or the other way round, is not allowed: use both or neither",
		"m: [{tls: {insecure: true}}]":                             "m[0].tls.insecure: unknown key: use ca_file, cert_file, insecure_skip_verify or key_file",
	} {
		t.Run(written, func(t *testing.T) {
			t.Parallel()
			written := strings.Replace(written, "METHOD", "method: METHOD", 1)
			got := reject(t, "reconciler: {mode: {"+written+"}}")
			if !strings.Contains("\n"+got+"\n", "\nF:1: reconciler.mode."+want+"\n") {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if strings.Contains(got, "hunter") {
				t.Errorf("a secret shows: %s", got)
			}
		})
	}
}
