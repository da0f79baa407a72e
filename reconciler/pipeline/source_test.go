package pipeline_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kayra/reconciler/pipeline"
)

func TestSource(t *testing.T) {
	t.Parallel()
	p := parse(t, withToken())
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"found":      {says(200, "document"), ""},
		"created":    {says(201, "document"), "answered 201"},
		"missing":    {says(404, "hunter2"), "answered 404"},
		"over 1 MiB": {says(200, strings.Repeat("x", 1<<20+1)), "answered with more than 1 MiB"},
		"1 MiB":      {says(200, strings.Repeat("x", 1<<20)), ""},
		"hanging":    {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "timed out after 500ms"},
		"dropped":    {hangUp, "closed without an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, c.answer)
			step := credentials(pipeline.Step{Endpoint: a.URL + "/apis/{{ .Subscription.Api }}/-/openapi.json?t=hunter2", Timeout: time.Minute})
			if name == "hanging" {
				step.Timeout = 500 * time.Millisecond
			}
			source, err := p.NewSource(step)
			if err != nil {
				t.Fatal(err)
			}
			document, err := source.Get(t.Context(), subscription())
			switch {
			case c.says == "" && (err != nil || len(document) == 0):
				t.Error(err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hunter2")):
				t.Errorf("got %v, want %q", err, c.says)
			}
			got := a.seen()[0]
			if got.uri != "/apis/compute.example.com/-/openapi.json?t=hunter2" || got.header.Get("Authorization") != "Bearer tok" ||
				got.header.Get("Idempotency-Key") != "" {
				t.Errorf("sent %v", got)
			}
		})
	}
	if _, err := p.NewSource(pipeline.Step{Endpoint: "nope"}); err == nil {
		t.Error("a source without a URL was accepted")
	}
	source, err := p.NewSource(get(`http://{{ env "HOST" }}/{{ .Subscription.ShortName | printf "%s" }}`))
	if err != nil {
		t.Fatal(err)
	}
	sub := subscription()
	sub.ShortName = strings.Repeat("x", 2<<20)
	if _, err := source.Get(t.Context(), sub); err == nil || !strings.Contains(err.Error(), "nothing was sent") {
		t.Errorf("got %v", err)
	}
}
