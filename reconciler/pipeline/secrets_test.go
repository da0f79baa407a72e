package pipeline_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kayra/reconciler/pipeline"
)

// Every place that may hold a secret holds one of its own, and every way in which a step can end is taken. None of them may
// be in a log line or an error.
func TestNoSecretIsShown(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("LEAK-file"), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := quick()
	opts.LookupEnv = func(name string) (string, bool) { return "LEAK-env-" + name, true }
	const answered = `{"id": "LEAK-output", "url": "SELF/LEAK-path?LEAK-key=LEAK-value", "status": "LEAK-status", "host": "LEAK-host"}`
	endings := map[string]func(self string) http.HandlerFunc{
		"succeeds": func(string) http.HandlerFunc { return says(200, "{}") },
		"500":      func(string) http.HandlerFunc { return says(500, `{"error": "LEAK-error"}`) },
		"dropped":  func(string) http.HandlerFunc { return hangUp },
		"timed out": func(string) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		},
		"redirect": func(string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "http://LEAK-user:LEAK-pass@127.0.0.1:1/LEAK-location")
				w.WriteHeader(http.StatusFound)
			}
		},
		"bad header": func(string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				c, rw, err := http.NewResponseController(w).Hijack()
				if err == nil {
					_, _ = rw.WriteString("HTTP/1.1 LEAK-status\r\nLEAK-header\r\n\r\n")
					_ = rw.Flush()
					_ = c.Close()
				}
			}
		},
	}
	endpoints := map[string]string{
		"inside":      "http://LEAK-user:LEAK-pass@HOST/{{ .Previous.Outputs.ID }}/{{ env \"A\" }}?k=LEAK-literal&t={{ env \"B\" }}&{{ .Previous.Outputs.ID }}#LEAK-fragment",
		"whole":       "{{ .Previous.Outputs.URL }}",
		"host":        "http://{{ env \"HOST\" }}..invalid/{{ file \"FILE\" }}",
		"start":       "{{ env \"URL\" }}/x",
		"output host": "http://{{ .Previous.Outputs.Host }}/",
		"processed":   "http://HOST/{{ printf \"%q-%s\" .Previous.Outputs.ID (env \"A\") | html }}/{{ slice .Previous.Outputs.ID 5 }}{{ with $x := .Previous.Outputs.ID }}{{ . }}{{ $x }}{{ end }}",
		"missing":     "http://HOST/{{ .Previous.Outputs.ID }}/{{ .Previous.Outputs.Gone }}",
	}
	leak := regexp.MustCompile(`(?i)leak`)
	for ending, answer := range endings {
		for place, endpoint := range endpoints {
			for _, async := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/%t", ending, place, async), func(t *testing.T) {
					t.Parallel()
					var a *app
					a = newApp(t, func(w http.ResponseWriter, r *http.Request) {
						if r.URL.Path == "/first" {
							says(200, strings.ReplaceAll(answered, "SELF", a.URL))(w, r)
							return
						}
						answer(a.URL)(w, r)
					})
					first := get(a.URL + "/first")
					first.Outputs = map[string]string{"ID": ".id", "URL": ".url", "Host": ".host", "Gone": ".gone"}
					step := pipeline.Step{
						Name: "last", Method: "POST", Async: async, Timeout: 50 * time.Millisecond,
						Endpoint: strings.NewReplacer(`"HOST"`, `"HOST"`, "HOST", a.host(), "FILE", file).Replace(endpoint),
						Headers: map[string]pipeline.Header{
							"Authorization": {Type: "Bearer", Value: pipeline.Text("LEAK-literal-header")},
							"X-Env":         {Value: pipeline.Env("C")}, "X-File": {Value: pipeline.File(file)},
							"X-Output": {Value: pipeline.Text("{{ .Previous.Outputs.ID }}")},
						},
						Data:    map[string]any{"LEAK-data": "LEAK-data-{{ env \"D\" }}"},
						Outputs: map[string]string{"S": ".status"},
					}
					if !async && ending == "500" {
						step.Wait = []pipeline.Condition{status("done", "failed")}
					}
					j, err := run(t, opts, first, step)
					if text := fmt.Sprintf("%v %+v %#v", err, err, err) + j.String(); leak.MatchString(text) {
						t.Errorf("shown: %s", text)
					}
				})
			}
		}
	}
}

func TestStepLine(t *testing.T) {
	t.Parallel()
	a := newApp(t, says(201, `{"id": 1, "b": 2}`))
	j, err := run(t, quick(), pipeline.Step{
		Name: "start", Method: "post", Endpoint: a.URL + "/start/{{ .Subscription.Namespace }}/?q=x&r={{ .Subscription.Region }}&flag",
		Outputs: map[string]string{"ID": ".id", "B": ".b", "Gone": ".gone"},
	})
	if err != nil {
		t.Fatal(err)
	}
	line := j.next(t)
	for key, want := range map[string]any{
		"level": "INFO", "msg": "step succeeded", "lock_id": 7.0, "sync_id": "s-2", "mode": "m", "step": "start", "index": 0.0,
		"method": "POST", "endpoint": a.URL + "/start/sre/?q=***&r=***&***", "async": false, "attempts": 1.0, "status": 201.0,
		"outputs": "[B ID]", "error": nil,
	} {
		got := line[key]
		if key == "outputs" {
			got = fmt.Sprint(got)
		}
		if got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
}

// A parameter without a value may be a token by itself, wherever it stands in the query.
func TestBareParameter(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"?LEAK": "?***", "?LEAK&a=1": "?***&a=***", "?a=1&LEAK&b=2": "?a=***&***&b=***", "?LEAK#LEAK": "?***", "?&LEAK": "?&***",
		"?{{ env \"A\" }}LEAK": "?***", "?LEAK{{ .Previous.Outputs.X }}=LEAK": "?LEAK***=***", "?a": "?***", "?": "?", "?a=": "?a=***",
	} {
		opts := quick()
		opts.LookupEnv = func(string) (string, bool) { return "LEAK-env", true }
		first := get("http://a.example.com")
		first.Outputs = map[string]string{"X": ".x"}
		p := parse(t, opts, first, get("http://b.example.com/p"+query))
		_, shown, err := p.Endpoint(subscription(), map[string]string{"X": "LEAK-output"})
		if err != nil || shown != "http://b.example.com/p"+want {
			t.Errorf("%s is shown as %s, want %s: %v", query, shown, want, err)
		}
	}
}
