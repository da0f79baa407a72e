package pipeline_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/reconciler/pipeline"
)

func TestOutputsAreText(t *testing.T) {
	t.Parallel()
	a := newApp(t, says(200, `{"n": 12345678901, "big": 123456789012345678901234567890.10, "e": 1e3, "t": true, "f": false, "s": "x\"y",
		"items": [{"id": 5}, [{"a-b": "deep"}]], "object": {"b": 1, "a": "<&>"}, "empty": ""}`))
	first := get(a.URL)
	first.Outputs = map[string]string{
		"N": ".n", "Big": "big", "E": ".e", "T": ".t", "F": ".f", "S": ".s", "ID": ".items[0].id", "Deep": ".items[1][0].a-b",
		"Object": ".object", "Empty": ".empty", "Gone": ".items[2].id", "Not": ".n.x", "NotList": ".object[0]",
	}
	names := []string{"N", "Big", "E", "T", "F", "S", "ID", "Deep", "Object", "Empty"}
	data := map[string]any{}
	for _, n := range names {
		data[n] = "{{ .Previous.Outputs." + n + " }}"
	}
	j, err := run(t, quick(), first, pipeline.Step{Method: "POST", Endpoint: a.URL, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Big":"123456789012345678901234567890.10","Deep":"deep","E":"1e3","Empty":"","F":"false","ID":"5","N":"12345678901",` +
		`"Object":"{\"a\":\"\u003c\u0026\u003e\",\"b\":1}","S":"x\"y","T":"true"}`
	if got := a.seen()[1].body; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	wantNames := []any{"Big", "Deep", "E", "Empty", "F", "ID", "N", "Object", "S", "T"}
	if diff := cmp.Diff(wantNames, j.next(t)["outputs"]); diff != "" {
		t.Error(diff)
	}
}

// Only the step right before is seen.
func TestOutputsOfEarlierStepsAreGone(t *testing.T) {
	t.Parallel()
	a := newApp(t, inTurn(says(200, `{"id": 1}`), says(200, `{}`), says(200, `{}`)))
	step := get(a.URL)
	step.Outputs = map[string]string{"ID": ".id"}
	_, err := run(t, quick(), step, step, get(a.URL+"/{{ .Previous.Outputs.ID }}"))
	wantFailure(t, err, 2, pipeline.StepFailed, `no output "ID"`)
}

func TestAnswersWithoutOutputs(t *testing.T) {
	t.Parallel()
	huge := `{"id": 1, "fill": "` + strings.Repeat("x", 1<<20) + `"}`
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"not JSON":      {says(200, `{"id": 1} x`), `no output "ID"`},
		"empty":         {says(204, ""), `no output "ID"`},
		"over 1 MiB":    {says(200, huge), "more than 1 MiB"},
		"not 2xx":       {says(500, `{"id": 1}`), "answered 500"},
		"not 2xx, huge": {says(404, huge), "answered 404"},
		"cut short": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, `{"id": 1}`)
		}, "the answer ended early"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, c.answer)
			first := get(a.URL + "/first")
			first.Outputs = map[string]string{"ID": ".id"}
			for _, async := range []bool{false, true} {
				first.Async = async
				_, err := run(t, quick(), first, get(a.URL+"/{{ .Previous.Outputs.ID }}"))
				if async {
					wantFailure(t, err, 1, pipeline.StepFailed, `no output "ID"`)
				} else {
					wantFailure(t, err, strings.Count(c.says, "no output"), pipeline.StepFailed, c.says)
				}
			}
			for _, seen := range a.seen() {
				if seen.uri != "/first" {
					t.Errorf("sent %s", seen.uri)
				}
			}
		})
	}
}

func TestAHugeAnswerWithoutOutputsIsIgnored(t *testing.T) {
	t.Parallel()
	block := []byte(strings.Repeat("x", 64<<10))
	a := newApp(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 1 << 10 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	if _, err := run(t, quick(), get(a.URL), get(a.URL)); err != nil {
		t.Error(err)
	}
}

// An answer whose body never ends does not hold a step that wants nothing of it.
func TestAnEndlessAnswerIsIgnored(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, "x")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	if _, err := run(t, quick(), get(a.URL)); err != nil {
		t.Error(err)
	}
}

func TestWholeEndpoint(t *testing.T) {
	t.Parallel()
	other := newApp(t, says(200, ""))
	for name, c := range map[string]struct {
		endpoint string
		opts     func(*pipeline.Options)
		ok       bool
	}{
		"own host":         {endpoint: "OWN/next?a=b", ok: true},
		"space around":     {endpoint: "OWN/next?a=b", ok: true},
		"other port":       {endpoint: "OTHER/next?a=b"},
		"listed":           {endpoint: "OTHER/next?a=b", opts: func(o *pipeline.Options) { o.OutputHosts = []string{other.host()} }, ok: true},
		"listed, any port": {endpoint: "OTHER/next?a=b", opts: func(o *pipeline.Options) { o.OutputHosts = []string{"127.0.0.1"} }, ok: true},
		"IPv6 listed":      {endpoint: "OTHER/next?a=b", opts: func(o *pipeline.Options) { o.OutputHosts = []string{"[::1]"} }},
		"another listed":   {endpoint: "OTHER/next?a=b", opts: func(o *pipeline.Options) { o.OutputHosts = []string{"127.0.0.2", "127.0.0.1:1"} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var a *app
			a = newApp(t, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = fmt.Fprintf(w, `{"url": %q}`, strings.NewReplacer("OWN", a.URL, "OTHER", other.URL).Replace(c.endpoint))
			})
			opts := quick()
			if c.opts != nil {
				c.opts(&opts)
			}
			first := get(a.URL)
			first.Outputs = map[string]string{"URL": ".url"}
			j, err := run(t, opts, first, get("\n  {{ .Previous.Outputs.URL }}\n"))
			if !c.ok {
				wantFailure(t, err, 1, pipeline.StepFailed, "names another host", "reconciler.output_hosts")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			j.next(t)
			if shown := j.next(t)["endpoint"]; shown != "***" {
				t.Errorf("the log shows %v", shown)
			}
			if last := append(a.seen()[1:], other.seen()...); last[len(last)-1].uri != "/next?a=b" {
				t.Errorf("sent %v", last)
			}
		})
	}
}

// An output in the host itself has to pass the same check.
func TestOutputInTheHost(t *testing.T) {
	t.Parallel()
	var a *app
	a = newApp(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, `{"host": %q}`, a.host()) })
	first := get(a.URL)
	first.Outputs = map[string]string{"Host": ".host"}
	if _, err := run(t, quick(), first, get("http://{{ .Previous.Outputs.Host }}/next")); err != nil {
		t.Error(err)
	}
	if a.seen()[1].uri != "/next" {
		t.Errorf("sent %v", a.seen())
	}
}

// What another site than the called one gave, after a redirect, may send a step nowhere but to the hosts that are listed.
func TestOutputsAfterARedirectToAnotherSite(t *testing.T) {
	t.Parallel()
	var other *app
	other = newApp(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, `{"url": "%s/x"}`, other.URL) })
	a := newApp(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) })
	first := get(a.URL)
	first.Outputs = map[string]string{"URL": ".url"}
	_, err := run(t, quick(), first, get("{{ .Previous.Outputs.URL }}"))
	wantFailure(t, err, 1, pipeline.StepFailed, "names another host")
}
