package pipeline_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"kayra/reconciler/pipeline"
)

func FuzzPath(f *testing.F) {
	for _, p := range []string{".status", "a.b", ".items[0].id", "[1][2].x", ".", "", "..a", ".a[", ".a[-1]", ".a[99999999999]", "$.a", ".é"} {
		f.Add(p, `{"status": 1, "items": [{"id": 12345678901}], "é": null}`)
	}
	f.Add("[0]", "[[[[1e400]]]]")
	f.Fuzz(func(t *testing.T, path, body string) {
		value, found, err := pipeline.Lookup(path, []byte(body))
		if err != nil && (found || value != "" || !strings.Contains(err.Error(), "use object fields and [n] indices")) {
			t.Errorf("%q: %q, %t, %v", path, value, found, err)
		}
		if found && !json.Valid([]byte(body)) {
			t.Errorf("%q was found in what is not JSON: %s", path, body)
		}
	})
}

// Whatever template stands behind a host, and whatever an output or a secret is: the host stays, the value is not shown,
// and an error is one that the configuration's author can act on.
func FuzzEndpoint(f *testing.F) {
	for _, text := range []string{
		"/{{ .Previous.Outputs.X }}", "?a={{ .Previous.Outputs.X }}#{{ .Previous.Outputs.X }}", `/{{ env "E" }}`, "{{ .Subscription.Api }}",
		"{{ range .Previous.Outputs }}{{ . | printf \"%q\" }}{{ end }}", "{{ with .Previous }}{{ .Outputs.X }}{{ end }}", "@{{ .Previous.Outputs.X }}/",
		`{{ $x := .Previous.Outputs.X }}{{ if $x }}{{ slice $x 1 }}{{ end }}`, `/{{ index .Previous.Outputs "X" | js }}`, "{{ . }}", "{{", "\x00",
		`/{{ print "a" .Previous.Outputs.X | len }}`, ":{{ .Previous.Outputs.X }}/", "/{{ not .Previous.Outputs.X }}",
	} {
		f.Add(text, "../x?y#z@evil.example.com:1/")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		const canary = "qzqzq"
		value = canary + value + canary
		first := get("http://first.example.com/")
		first.Outputs = map[string]string{"X": ".x"}
		opts := pipeline.Options{LookupEnv: func(string) (string, bool) { return value, true }}
		p, err := pipeline.Parse(map[string][]pipeline.Step{"m": {first, get("http://h.example.com/" + text)}}, opts)
		if err != nil {
			if _, ok := errors.AsType[*pipeline.FieldError](err); !ok {
				t.Errorf("refused without a place: %v", err)
			}
			return
		}
		sent, shown, err := p.Endpoint(subscription(), map[string]string{"X": value})
		if err != nil {
			if strings.Contains(err.Error(), canary) {
				t.Errorf("the value is in %v", err)
			}
			return
		}
		u, err := url.Parse(sent)
		if err != nil || u.Host != "h.example.com" || u.User != nil {
			t.Errorf("%q is sent to %q", text, sent)
		}
		if strings.Contains(shown, canary) && !strings.Contains(text, canary) {
			t.Errorf("%q is shown as %q", text, shown)
		}
	})
}

// Any data that JSON can hold is sent as it is, but for what its templates say.
func FuzzData(f *testing.F) {
	f.Add(`{"a": ["x", 1, true, null, {"b": "}}<&>é\u0000"}]}`)
	f.Add(`"x"`)
	f.Fuzz(func(t *testing.T, text string) {
		var data any
		if json.Unmarshal([]byte(text), &data) != nil || strings.Contains(text, "{{") || strings.Contains(text, `\`) || data == nil {
			return
		}
		steps := []pipeline.Step{get("http://x/"), {Method: "POST", Endpoint: "http://x/", Data: data}}
		p, err := pipeline.Parse(map[string][]pipeline.Step{"m": steps}, pipeline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := p.Rendered(subscription(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(data)
		if err != nil || got != string(want) {
			t.Errorf("%s became %s", want, got)
		}
		shown, err := p.Preview("m", input(nil))
		if err != nil || !json.Valid(shown[1].Body) {
			t.Errorf("%s is shown as %s: %v", want, shown[1].Body, err)
		}
	})
}
