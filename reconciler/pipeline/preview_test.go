package pipeline_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/reconciler/pipeline"
)

// A preview reads nothing, sends nothing, and shows what is neither a secret nor may be one.
func TestPreview(t *testing.T) {
	t.Parallel()
	a := newApp(t, says(500, ""))
	p := parse(t, quick(),
		pipeline.Step{
			Name: "trigger", Method: "post", Endpoint: `{{ env "BASE" }}/x?token=LEAK&r={{ .Subscription.Region }}#LEAK`, Async: true,
			Headers: map[string]pipeline.Header{
				"Authorization": {Type: "Bearer", Value: pipeline.Env("NOPE")}, "X-File": {Value: pipeline.File("/nope")},
				"X-Text": {Value: pipeline.Text("LEAK {{ .Subscription.Namespace }}")}, "user-agent": {Value: pipeline.Text("LEAK")},
			},
			Data: map[string]any{
				"ns": "{{ .Subscription.Namespace }}", "t": `LEAK {{ file "/nope" }} LEAK`, "n": json.Number("42"), "on": true, "nil": nil,
				"mixed": "LEAK-{{ .Subscription.Api }}", "made": `{{ printf "LEAK%s" .Subscription.Api }}`, "cut": "{{ slice .Subscription.Region 0 2 }}",
				"text": `{{ "LEAK" }}`, "list": []any{"LEAK", 1.5, "{{ .Subscription.ExpectedSyncID }}", ""}, "a&b": "{{ .Subscription.CurrentSyncID }}",
			},
			Outputs: map[string]string{"ID": ".id", "URL": ".url"},
		},
		pipeline.Step{
			Method: "PUT", Endpoint: "https://LEAK:LEAK@h.example.com/{{ .Previous.Outputs.ID }}/{{ slice .Previous.Outputs.URL 0 8 }}?k={{ .Previous.Outputs.ID }}",
			Data: []any{
				"{{ .Previous.Outputs.ID }}", `{{ printf "%s LEAK" .Previous.Outputs.ID }}`, `{{ print .Previous.Outputs.ID (env "X") }}`,
				"{{ range .Previous.Outputs }}{{ . }} {{ end }}",
			},
			Outputs: map[string]string{"URL": ".url", "Host": ".host"},
		},
		get("{{ .Previous.Outputs.URL }}"),
		get("http://"+a.host()+"/{{ .Subscription.ShortName }}"),
	)
	got, err := p.Preview("m", input(nil))
	if err != nil {
		t.Fatal(err)
	}
	key := pipeline.HeaderLine{Name: "Idempotency-Key", Value: "***"}
	agent := pipeline.HeaderLine{Name: "User-Agent", Value: "kayra"}
	content := pipeline.HeaderLine{Name: "Content-Type", Value: "application/json"}
	want := []pipeline.RequestView{
		{
			Index: 0, Name: "trigger", Method: "POST", URL: "***/x?token=***&r=***", Async: true,
			Headers: []pipeline.HeaderLine{{"Authorization", "Bearer ***"}, {"X-File", "***"}, {"X-Text", "***"}, {"user-agent", "***"}, key, content},
			Body: json.RawMessage(`{"a\u0026b":"s-1","cut":"eu","list":["***","***","s-2",""],"made":"***","mixed":"***compute.example.com","n":"***",` +
				`"nil":null,"ns":"sre","on":true,"t":"***","text":"***"}`),
		},
		{
			Index: 1, Method: "PUT", URL: "https://***@h.example.com/<output ID of step 1>/<made of outputs of step 1>?k=***",
			Headers: []pipeline.HeaderLine{agent, key, content},
			Body:    json.RawMessage(`["<output ID of step 1>","<made of outputs of step 1>","***","<output ID of step 1> <output URL of step 1> "]`),
		},
		{Index: 2, Method: "GET", URL: "<output URL of step 2>", Headers: []pipeline.HeaderLine{agent, key}},
		{Index: 3, Method: "GET", URL: "http://" + a.host() + "/compute", Headers: []pipeline.HeaderLine{agent, key}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := len(a.seen()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	if _, err := p.Preview("other", input(nil)); err == nil || err.Error() != `preview mode "other": it has no steps` {
		t.Errorf("a mode without steps: %v", err)
	}
}

// A step that cannot be rendered says so, without a value, and the others are shown.
func TestPreviewGoesOnBehindAProblem(t *testing.T) {
	t.Parallel()
	header := func(value string) map[string]pipeline.Header {
		return map[string]pipeline.Header{"X-A": {Value: pipeline.Text("ok")}, "X-B": {Value: pipeline.Text(value)}}
	}
	p := parse(t, quick(),
		get("https://{{ .Subscription.ShortName }}.local/"),
		get("https://h.example.com/{{ .Subscription.Namespace }}/{{ .Previous.Outputs.Nope }}"),
		pipeline.Step{Method: "GET", Endpoint: "https://h.example.com/", Headers: header("{{ .Subscription.Nope }}")},
		pipeline.Step{Method: "POST", Endpoint: "https://h.example.com/", Data: []any{"{{ slice .Subscription.Api 99 }}"}},
		get("https://h.example.com/last"),
	)
	in := input(nil)
	in.Subscription.ShortName = ""
	got, err := p.Preview("m", in)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ url, problem string }{
		{"https://", "endpoint: a value of .Subscription is empty or cannot be a part of a host name"},
		{"…", "endpoint: there is no .Previous.Outputs.Nope: the step before declares no outputs"},
		{"https://h.example.com/", "headers.X-B: there is no .Subscription.Nope: use one of"},
		{"https://h.example.com/", "data[0]: the function slice cannot take these values"},
		{"https://h.example.com/last", ""},
	} {
		if got[i].URL != want.url || !strings.HasPrefix(got[i].Problem, want.problem) || (want.problem == "") != (got[i].Problem == "") || got[i].Body != nil {
			t.Errorf("step %d is shown as %+v", i, got[i])
		}
	}
}

// What a preview shows and a run sends are the same but for the masks.
func TestPreviewIsWhatIsSent(t *testing.T) {
	t.Parallel()
	a := newApp(t, says(http.StatusOK, "{}"))
	p := parse(t, quick(), pipeline.Step{
		Method: "POST", Endpoint: a.URL + "/a b/{{ .Subscription.Namespace }}/{{ .Subscription.Region }}", Data: map[string]any{
			"ns": "{{ .Subscription.Namespace }}", "deep": []any{map[string]any{"id": "{{ .Subscription.ExpectedSyncID }}"}, true},
		},
	})
	if err := p.Run(t.Context(), "m", input(nil)); err != nil {
		t.Fatal(err)
	}
	shown, err := p.Preview("m", input(nil))
	if err != nil {
		t.Fatal(err)
	}
	sent := a.seen()[0]
	if shown[0].Method != sent.method || strings.ReplaceAll(shown[0].URL, " ", "%20") != a.URL+sent.uri || string(shown[0].Body) != sent.body {
		t.Errorf("%+v is shown, and %+v was sent", shown[0], sent)
	}
	for _, h := range shown[0].Headers {
		if got := sent.header.Get(h.Name); got == "" || h.Value != "***" && h.Value != got {
			t.Errorf("%s: %q is shown, and %q was sent", h.Name, h.Value, got)
		}
	}
}
