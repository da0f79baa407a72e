package pipeline_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kayra/reconciler/pipeline"
)

func TestNothingIsConfigured(t *testing.T) {
	t.Parallel()
	p, err := pipeline.Parse(nil, pipeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Has("api") || p.Steps("api") != 0 {
		t.Error("there is a mode")
	}
	err = p.Run(t.Context(), "api", pipeline.Input{})
	if _, failed := errors.AsType[*pipeline.Error](err); err == nil || failed {
		t.Errorf("a mode that is not there gave %v", err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
	p, err = pipeline.Parse(map[string][]pipeline.Step{"empty": nil, "a.B": {get("http://x")}}, pipeline.Options{})
	if err != nil || p.Has("empty") || !p.Has("a.B") || p.Steps("a.B") != 1 {
		t.Errorf("modes are not kept as written: %v", err)
	}
}

func TestMistakesAreRefused(t *testing.T) {
	t.Parallel()
	header := func(v string) pipeline.Step {
		return pipeline.Step{Method: "GET", Endpoint: "http://x", Headers: map[string]pipeline.Header{"X-A": {Value: pipeline.Text(v)}}}
	}
	with := func(change func(*pipeline.Step)) pipeline.Step {
		s := get("http://x/")
		change(&s)
		return s
	}
	notPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(notPEM, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		step  pipeline.Step
		field string
		says  string
	}{
		{get("http://x/{{ .Subscription.Namespace }"), "endpoint", `line 1: unexpected "}" in operand`},
		{get("http://x/{{ nope .Subscription.Namespace }}"), "endpoint", `function "nope" not defined`},
		{header("a\nb {{ if }}"), "headers.X-A", "line 2: missing value for if"},
		{get("http://x/{{ . }}"), "endpoint", ". is not a text"},
		{get("http://x/{{ .Previous.Outputs }}"), "endpoint", "is not a text"},
		{get(`http://x/{{ printf "%v" $ }}`), "endpoint", "printf takes texts and numbers"},
		{get("http://x/{{ $.Emit 0 1 }}"), "endpoint", "takes no arguments"},
		{get(`http://x/{{ .Env "X" }}`), "endpoint", "takes no arguments"},
		{get(`http://x/{{ $ = 1 }}`), "endpoint", "$ cannot be set"},
		{get(`http://x/{{ $x := 1 }}{{ $x = .Previous }}`), "endpoint", "$x cannot hold values of different kinds"},
		{get(`http://x/{{ range 1000000000000 }}{{ end }}`), "endpoint", "range goes over .Previous.Outputs only"},
		{get(`http://x/{{ env .Previous.Outputs.ID }}`), "endpoint", "env takes one quoted name"},
		{get(`http://x/{{ .Previous.Outputs.ID | file }}`), "endpoint", "file takes one quoted name"},
		{get(`http://x/{{ print env }}`), "endpoint", "env cannot be an argument"},
		{get(`http://x/{{ define "x" }}{{ end }}`), "endpoint", "define, template and block are not available"},
		{get(`http://x/{{ template "t" . }}`), "endpoint", "define, template and block are not available"},
		{get(`http://x/{{ index .Previous.Outputs .Subscription }}`), "endpoint", "index takes .Previous.Outputs and one name"},
		{get(`http://x/{{ index .Subscription.Api 0 }}`), "endpoint", "index takes .Previous.Outputs and one name"},
		{get("ftp://x/"), "endpoint", "is not an absolute http or https URL"},
		{get("/x"), "endpoint", "is not an absolute http or https URL"},
		{get(""), "endpoint", "is not an absolute http or https URL"},
		{with(func(s *pipeline.Step) { s.Method = "FETCH" }), "method", `"FETCH" is not allowed: use GET`},
		{with(func(s *pipeline.Step) { s.Method = "head"; s.Data = "x" }), "data", "a HEAD request has no body"},
		{with(func(s *pipeline.Step) { s.Timeout = -time.Second }), "timeout", "is negative"},
		{with(func(s *pipeline.Step) { s.Data = map[string]any{"a": []any{0, map[string]any{"b": "{{"}}} }), "data.a[1].b", "line 1"},
		{with(func(s *pipeline.Step) { s.Data = map[string]any{"a": []string{"{{ .X }}"}} }), "data.a", "a []string is not allowed"},
		{with(func(s *pipeline.Step) { s.Data = []any{math.NaN()} }), "data[0]", "is not a number that JSON has"},
		{with(func(s *pipeline.Step) { s.Outputs = map[string]string{"A": ".a[x]"} }), "outputs.A", `".a[x]" is not a path: use object fields and [n] indices`},
		{with(func(s *pipeline.Step) {
			s.Wait = []pipeline.Condition{{Key: "$", Successes: []string{"a"}}, {Key: "..a", Successes: []string{"a"}}}
		}), "wait[1].key", "is not a path"},
		{with(func(s *pipeline.Step) { s.Wait = []pipeline.Condition{{Key: ".a"}} }), "wait[0].successes", "at least one value"},
		{with(func(s *pipeline.Step) {
			s.Wait = []pipeline.Condition{{Key: ".a", Successes: []string{"x"}, Failures: []string{"x"}}}
		}), "wait[0]", `"x" is both a success and a failure`},
		{with(func(s *pipeline.Step) { s.Headers = map[string]pipeline.Header{"a b": {}} }), "headers.a b", "is not a header's name"},
		{with(func(s *pipeline.Step) { s.Headers = map[string]pipeline.Header{"X-A": {}, "x-a": {}} }), "headers.x-a", "is given twice"},
		{with(func(s *pipeline.Step) { s.Headers = map[string]pipeline.Header{"X-A": {Type: "{{ .X }}"}} }), "headers.X-A.type", "is a word such as Bearer"},
		{with(func(s *pipeline.Step) { s.TLS.CAFile = "/nope/ca.pem" }), "tls", `ca_file: read "/nope/ca.pem": no such file or directory`},
		{with(func(s *pipeline.Step) { s.TLS.CAFile = notPEM }), "tls", "holds no PEM certificate"},
		{with(func(s *pipeline.Step) { s.TLS.CertFile = notPEM }), "tls", "cert_file and key_file belong together"},
		{with(func(s *pipeline.Step) { s.TLS.CertFile, s.TLS.KeyFile = notPEM, "/nope/key.pem" }), "tls", `key_file: read "/nope/key.pem": no such file`},
		{with(func(s *pipeline.Step) { s.TLS.CertFile, s.TLS.KeyFile = notPEM, notPEM }), "tls", "holds no PEM certificate"},
	}
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s", i, c.says), func(t *testing.T) {
			t.Parallel()
			first := get("http://x/")
			first.Outputs = map[string]string{"ID": ".id"}
			c.step.Name = "second"
			_, err := pipeline.Parse(map[string][]pipeline.Step{"api": {first, c.step}}, pipeline.Options{})
			at, ok := errors.AsType[*pipeline.FieldError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if at.Mode != "api" || at.Step != 1 || at.Name != "second" || at.Field != c.field {
				t.Errorf("the place is %+v", at)
			}
			want := `mode "api": step 2 (second): ` + c.field + ": "
			if !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q\nwant %q… %q", err, want, c.says)
			}
		})
	}
}

// What a template names and no run can have is said when the modes are read, and fails the step before it is sent.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	header := func(v string) pipeline.Step {
		return pipeline.Step{Method: "GET", Endpoint: "http://x", Headers: map[string]pipeline.Header{"X-A": {Value: pipeline.Text(v)}}}
	}
	a := newApp(t, says(200, `{"id": 1}`))
	for _, c := range []struct {
		step  pipeline.Step
		field string
		says  string
	}{
		{get("http://x/{{ .Subscription.Nope }}"), "endpoint", "there is no .Subscription.Nope: use one of Api, ShortName, Namespace"},
		{header("{{ .Sub.Namespace }}"), "headers.X-A", "there is no .Sub: use .Subscription or .Previous.Outputs"},
		{get("http://x/{{ .Previous.Status }}"), "endpoint", "there is no .Previous.Status"},
		{get("http://x/{{ .Previous.Outputs.Nope }}"), "endpoint", "there is no .Previous.Outputs.Nope: the step before declares ID"},
		{get(`http://x/{{ index .Previous.Outputs "Nope" }}`), "endpoint", "there is no .Previous.Outputs.Nope"},
		{get("http://x/{{ with .Previous.Outputs }}{{ .Nope }}{{ end }}"), "endpoint", "there is no .Previous.Outputs.Nope"},
		{get("http://x/{{ $p := .Previous }}{{ $p.Outputs.Nope }}"), "endpoint", "there is no .Previous.Outputs.Nope"},
		{get("http://x/{{ (.Previous).Outputs.Nope }}"), "endpoint", "there is no .Previous.Outputs.Nope"},
		{get("http://x/{{ .Previous.Outputs.ID.X }}"), "endpoint", "a text has no field .X"},
		{get(`http://x/{{ $.Subscription.Namespace.Env }}`), "endpoint", "a text has no field"},
		{get(`http://x/{{ index .Previous.Outputs .Subscription.Nope }}`), "endpoint", "there is no .Subscription.Nope"},
		{get("http://x/{{ .A.B.C }}{{ .D }}"), "endpoint", "there is no .A: use .Subscription or .Previous.Outputs; there is no .D"},
		{get("http://x/{{ $x := .A }}{{ $x = .Subscription.Api }}{{ $x.B }}{{ range .B }}{{ . }}{{ end }}{{ print .C }}"), "endpoint", "there is no .A"},
		{pipeline.Step{Method: "POST", Endpoint: "http://x", Data: []any{"{{ .Subscription.Nope }}"}}, "data[0]", "there is no .Subscription.Nope"},
	} {
		first := get(a.URL)
		first.Outputs = map[string]string{"ID": ".id"}
		p := parse(t, quick(), first, c.step)
		want := `mode "m": step 2: ` + c.field + ": " + c.says
		if got := p.Warnings(); len(got) != 1 || !strings.HasPrefix(got[0].Error(), want) {
			t.Errorf("warned of %v, want %s", got, want)
		}
		wantFailure(t, p.Run(t.Context(), "m", input(nil)), 1, pipeline.StepFailed, "step 2: "+c.field+": "+c.says, "nothing was sent")
		if views, err := p.Preview("m", input(nil)); err != nil || !strings.HasPrefix(views[1].Problem, c.field+": "+c.says) {
			t.Errorf("previewed %+v, %v", views, err)
		}
	}
}

func TestUnknownOutputsByPlace(t *testing.T) {
	t.Parallel()
	p := parse(t, quick(), get("http://x/{{ .Previous.Outputs.X }}"), get("http://x/{{ .Previous.Outputs.X }}"))
	for i, says := range []string{"the first step has none before it", "the step before declares no outputs"} {
		at, ok := errors.AsType[*pipeline.FieldError](p.Warnings()[i])
		if !ok || at.Step != i || at.Unwrap().Error() != "there is no .Previous.Outputs.X: "+says {
			t.Errorf("warned of %v", p.Warnings()[i])
		}
	}
}

func TestAllMistakesAreReported(t *testing.T) {
	t.Parallel()
	_, err := pipeline.Parse(map[string][]pipeline.Step{
		"b": {get("http://x/{{ }}"), {Method: "nope", Endpoint: "nope", Timeout: -1}},
		"a": {get("http://x/{{ . }}/{{ .Previous }}"), get("http://x/{{ env 1 }}")},
	}, pipeline.Options{OutputHosts: []string{"ok.example.com", "[::1]:80", "https://x", "a/b", ""}})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, part := range []string{
		`output_hosts[2]: "https://x" is not a host or host:port`,
		`mode "a": step 1: endpoint: . is not a text`, ".Previous is not a text",
		`mode "a": step 2: endpoint: env takes one quoted name`,
		`mode "b": step 1: endpoint: line 1: missing value for command`,
		`mode "b": step 2: method: "nope"`, `mode "b": step 2: timeout`, `mode "b": step 2: endpoint`,
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in\n%v", part, err)
		}
	}
}

func TestUsefulTemplatesAreAccepted(t *testing.T) {
	t.Parallel()
	first := get("http://x/")
	first.Outputs = map[string]string{"ID": ".id", "a.b": ".c"}
	for _, text := range []string{
		"", "{{/* nothing */}}", "}}", "{{- .Subscription.Api -}}",
		`{{ if and (eq .Subscription.Region "x") (not .Previous.Outputs) }}a{{ else if .Subscription.ShortName }}b{{ else }}c{{ end }}`,
		`{{ with .Subscription }}{{ .Api }}{{ $.Previous.Outputs.ID }}{{ else with .Previous }}{{ .Outputs.ID }}{{ end }}`,
		`{{ range $k, $v := .Previous.Outputs }}{{ $k }}={{ $v | html }}{{ break }}{{ else }}none{{ end }}`,
		`{{ $x := "" }}{{ range .Previous.Outputs }}{{ $x }}{{ $x = . }}{{ end }}`,
		`{{ printf "%s-%d" (.Subscription.Api | print) (len .Previous.Outputs) | urlquery }}`,
		`{{ index .Previous.Outputs "a.b" }}`, `{{ env "A" | printf "%s:%s" (file "/b") }}`,
	} {
		step := pipeline.Step{Method: "POST", Endpoint: "http://x/", Data: text}
		if _, err := pipeline.Parse(map[string][]pipeline.Step{"m": {first, step}}, pipeline.Options{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAValueIsNotPrinted(t *testing.T) {
	t.Parallel()
	step := get("http://x/")
	step.Headers = map[string]pipeline.Header{"A": {Value: pipeline.Text("hunter2")}}
	var log strings.Builder
	v := pipeline.Text("hunter2")
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", slog.Any("v", v), slog.Any("s", step))
	text, _ := v.MarshalText()
	nested := struct{ v any }{v}
	all := log.String() + string(text) + v.String() + v.GoString() +
		fmt.Sprintf("%v %+v %#v %s %q %x %d", v, v, v, v, v, v, v) +
		fmt.Sprintf("%v %+v %#v", step, step, step) + fmt.Sprintf("%v %+v %#v", nested, nested, nested)
	if strings.Contains(all, "hunter2") || strings.Contains(all, fmt.Sprintf("%x", "hunter2")) {
		t.Errorf("printed: %s", all)
	}
}
