package pipeline_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/reconciler/pipeline"
)

func TestRequestIsRendered(t *testing.T) {
	t.Parallel()
	a := newApp(t, says(200, ""))
	opts := quick()
	opts.LookupEnv = func(name string) (string, bool) { return "from " + name, name == "TOKEN" }
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := run(t, opts, pipeline.Step{
		Method:   "post",
		Endpoint: a.URL + "/api/v1/{{ .Subscription.Namespace }}/sync/{{ .Subscription.ExpectedSyncID }}?r={{ .Subscription.Region }}",
		Headers: map[string]pipeline.Header{
			"Authorization": {Type: "Bearer", Value: pipeline.Text("{{ .Subscription.Api }}")},
			"X-Env":         {Value: pipeline.Env("TOKEN")},
			"X-File":        {Type: "Basic", Value: pipeline.File(file)},
			"X-From":        {Value: pipeline.From(func() (string, error) { return "{{ verbatim }}", nil }, pipeline.Origin{})},
			"X-Inline":      {Value: pipeline.Text(`{{ env "TOKEN" | printf "%q" }}/{{ file "` + file + `" }}`)},
		},
		Data: map[string]any{
			"{{ key }}": "{{ .Subscription.Platform }}", "n": 12345678901, "f": 1.5, "on": true, "nil": nil,
			"big": json.Number("123456789012345678901234567890"),
			"variables": []any{
				map[string]any{"key": "T", "value": "{{ .Subscription.Namespace }}"},
				map[string]any{"key": "M", "value": "50", "more": []any{"{{ .Subscription.ShortName }}", 3}},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := a.seen()[0]
	if got.method != "POST" || got.uri != "/api/v1/sre/sync/s-2?r=eu-west-1" {
		t.Errorf("sent %s %s", got.method, got.uri)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer compute.example.com", "X-Env": "from TOKEN", "X-File": "Basic from file",
		"X-From": "{{ verbatim }}", "X-Inline": `"from TOKEN"/from file`,
		"Content-Type": "application/json", "User-Agent": "kayra", "Idempotency-Key": "run-1-1-0",
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.header.Get(name), want)
		}
	}
	want := `{"big":123456789012345678901234567890,"f":1.5,"n":12345678901,"nil":null,"on":true,"variables":[` +
		`{"key":"T","value":"sre"},{"key":"M","more":["compute",3],"value":"50"}],"{{ key }}":"sandbox"}`
	if got.body != want {
		t.Errorf("body is %s", got.body)
	}
}

func TestHeadersOfTheConfigurationWin(t *testing.T) {
	t.Parallel()
	a := newApp(t, says(200, ""))
	_, err := run(t, quick(), pipeline.Step{Method: "PUT", Endpoint: a.URL, Data: []any{"x"}, Headers: map[string]pipeline.Header{
		"idempotency-key": {Value: pipeline.Text("mine")}, "content-type": {Value: pipeline.Text("application/vnd.x+json")},
		"user-agent": {Value: pipeline.Text("me")}, "Host": {Value: pipeline.Text("virtual.example.com")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := a.seen()[0]
	if diff := cmp.Diff([]string{"mine", "application/vnd.x+json", "me", "virtual.example.com"}, []string{
		got.header.Get("Idempotency-Key"), got.header.Get("Content-Type"), got.header.Get("User-Agent"), got.host,
	}); diff != "" {
		t.Error(diff)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"} {
		for _, data := range []any{nil, map[string]any{"a": "b"}} {
			if data != nil && (method == "HEAD" || method == "OPTIONS") {
				continue
			}
			a := newApp(t, func(w http.ResponseWriter, r *http.Request) {
				if len(r.TransferEncoding) > 0 {
					w.WriteHeader(http.StatusLengthRequired)
				}
			})
			if _, err := run(t, quick(), pipeline.Step{Method: method, Endpoint: a.URL, Data: data}); err != nil {
				t.Errorf("%s with %v: %v", method, data, err)
			}
			want, contentType := "", ""
			if data != nil {
				want, contentType = `{"a":"b"}`, "application/json"
			}
			if got := a.seen()[0]; got.body != want || got.header.Get("Content-Type") != contentType {
				t.Errorf("%s with %v sent %q as %q", method, data, got.body, got.header.Get("Content-Type"))
			}
		}
	}
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	a := newApp(t, inTurn(says(200, "{}"), says(200, "{}"), says(200, `{"s":1}`)))
	p := parse(t, quick(), get(a.URL), pipeline.Step{
		Method: "GET", Endpoint: a.URL, Wait: []pipeline.Condition{{Key: ".s", Successes: []string{"1"}}},
	})
	in := input(nil)
	for _, attempt := range []int{1, 1, 2} {
		in.Attempt = attempt
		if err := p.Run(t.Context(), "m", in); err != nil {
			t.Fatal(err)
		}
	}
	in.RunID = "run-2"
	if err := p.Run(t.Context(), "m", in); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, c := range a.seen() {
		keys = append(keys, c.header.Get("Idempotency-Key"))
	}
	want := []string{
		"run-1-1-0", "run-1-1-1", "run-1-1-1", // a poll repeats its request
		"run-1-1-0", "run-1-1-1", // so does an attempt that was interrupted
		"run-1-2-0", "run-1-2-1", "run-2-2-0", "run-2-2-1",
	}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
}

func TestEndpointEscapes(t *testing.T) {
	t.Parallel()
	const evil = "a/../b?x=1&y=%2F #é"
	const asPath, asQuery = "a%2F..%2Fb%3Fx=1&y=%252F%20%23%C3%A9", "a%2F..%2Fb%3Fx%3D1%26y%3D%252F%20%23%C3%A9"
	cases := map[string]string{
		"/p/{{ .Previous.Outputs.X }}/q":                 "/p/" + asPath + "/q",
		"/p/{{ .Previous.Outputs.X | urlquery }}":        "/p/" + asPath,
		"/p/{{ urlquery .Previous.Outputs.X }}":          "/p/" + asPath,
		`/p/{{ printf "%s/" .Previous.Outputs.X }}`:      "/p/" + asPath + "%2F",
		`/{{ $x := .Previous.Outputs.X }}p/{{ $x }}`:     "/p/" + asPath,
		"/p?k={{ .Previous.Outputs.X }}&l=m n":           "/p?k=" + asQuery + "&l=m%20n",
		"/p?{{ .Previous.Outputs.X }}":                   "/p?" + asQuery,
		"/p/{{ .Subscription.Namespace }}/q":             "/p/" + asPath + "/q",
		"/p?k={{ .Subscription.Namespace }}":             "/p?k=" + asQuery,
		`/p/{{ index .Previous.Outputs "X" }}`:           "/p/" + asPath,
		"/p#{{ .Previous.Outputs.X }}":                   "/p",
		`/{{ range .Previous.Outputs }}{{ . }}{{ end }}`: "/" + asPath,
		`/{{ with .Previous }}{{ .Outputs.X }}{{ end }}`: "/" + asPath,
		`/p/{{ env "X" }}?t={{ env "X" }}`:               "/p/" + asPath + "?t=" + asQuery,
		"/lit%2Feral/{{ .Subscription.Region }}":         "/lit%2Feral/eu-west-1",
	}
	encoded, err := json.Marshal(map[string]string{"x": evil})
	if err != nil {
		t.Fatal(err)
	}
	for endpoint, want := range cases {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, says(200, string(encoded)))
			opts := quick()
			opts.LookupEnv = func(string) (string, bool) { return evil, true }
			first := get(a.URL + "/first")
			first.Outputs = map[string]string{"X": ".x"}
			j := newJournal()
			in := input(j)
			in.Subscription.Namespace = evil
			if err := parse(t, opts, first, get(a.URL+endpoint)).Run(t.Context(), "m", in); err != nil {
				t.Fatal(err)
			}
			if got := a.seen()[1].uri; got != want {
				t.Errorf("sent %s\nwant %s", got, want)
			}
			j.next(t)
			shown, _ := j.next(t)["endpoint"].(string)
			if strings.Contains(endpoint, "Outputs") && strings.Contains(shown, "%2F..") || strings.Contains(shown, "k=a") {
				t.Errorf("the log shows %s", shown)
			}
		})
	}
}

// What cannot be rendered fails its step before anything is sent.
func TestNothingIsSent(t *testing.T) {
	t.Parallel()
	text := func(s string) map[string]pipeline.Header {
		return map[string]pipeline.Header{"X-H": {Value: pipeline.Text(s)}}
	}
	cases := map[string]struct {
		step pipeline.Step
		says string
	}{
		"missing output":        {get("URL/{{ .Previous.Outputs.Gone }}"), `endpoint: the step before gave no output "Gone"`},
		"null output":           {get("URL/{{ .Previous.Outputs.Null }}"), `no output "Null"`},
		"indexed output":        {get(`URL/{{ index .Previous.Outputs "Gone" }}`), `no output "Gone"`},
		"missing in a header":   {pipeline.Step{Method: "GET", Endpoint: "URL", Headers: text("{{ .Previous.Outputs.Gone }}")}, `headers.X-H: the step before gave no output "Gone"`},
		"missing in data":       {pipeline.Step{Method: "GET", Endpoint: "URL", Data: []any{map[string]any{"k": "{{ .Previous.Outputs.Gone }}"}}}, `data[0].k: the step before gave no output "Gone"`},
		"missing in async":      {pipeline.Step{Method: "GET", Endpoint: "URL/{{ .Previous.Outputs.Gone }}", Async: true}, `no output "Gone"`},
		"empty output in path":  {get("URL/x/{{ .Previous.Outputs.Empty }}"), "an output in the path is empty"},
		"dots":                  {get("URL/x/{{ .Previous.Outputs.Dots }}/y"), "has a . or .. in its path"},
		"output as host":        {get("http://{{ .Previous.Outputs.Host }}/x"), "names another host than the one that gave it"},
		"output behind host":    {get("URL{{ .Previous.Outputs.Host }}/x"), "not a valid URL"},
		"output as userinfo":    {get("http://x{{ .Previous.Outputs.Host }}@HOST/"), "may not carry a user"},
		"output as beginning":   {get("{{ .Previous.Outputs.Host }}/x"), "either the whole endpoint or stands behind"},
		"whole, other host":     {get("{{ .Previous.Outputs.Other }}"), "names another host than the one that gave it"},
		"whole, not a URL":      {get("{{ .Previous.Outputs.Host }}"), "not an http or https URL"},
		"whole, other scheme":   {get("{{ .Previous.Outputs.File }}"), "not an http or https URL"},
		"whole, userinfo":       {get("{{ .Previous.Outputs.User }}"), "may not carry a user"},
		"subscription as host":  {get("http://{{ .Subscription.CurrentSyncID }}.local/x"), "cannot be a part of a host name"},
		"empty in host":         {get("http://{{ .Subscription.ShortName }}.local/x"), "is empty or cannot be a part of a host name"},
		"subscription as start": {get("{{ .Subscription.Api }}/x"), "stands behind http:// or https://"},
		"line break in header":  {pipeline.Step{Method: "GET", Endpoint: "URL", Headers: text("{{ .Previous.Outputs.Lines }}")}, "headers.X-H: the value has a line break"},
		"missing variable":      {get(`URL/{{ env "NOPE" }}`), "environment variable NOPE is not set"},
		"empty variable":        {get(`URL/{{ env "EMPTY" }}`), "environment variable EMPTY is empty"},
		"missing file":          {get(`URL/{{ file "/nope/token" }}`), `read file "/nope/token": no such file or directory`},
		"missing header value":  {pipeline.Step{Method: "GET", Endpoint: "URL", Headers: map[string]pipeline.Header{"X-H": {Value: pipeline.Env("NOPE")}}}, "headers.X-H: environment variable NOPE is not set"},
		"directory":             {pipeline.Step{Method: "GET", Endpoint: "URL", Headers: map[string]pipeline.Header{"X-H": {Value: pipeline.File(os.TempDir())}}}, "not a regular file"},
		"IPv6, other host":      {get("{{ .Previous.Outputs.Six }}"), "names another host than the one that gave it"},
		"too much":              {get(`URL/{{ printf "%01000000d%01000000d" 1 2 }}`), "produces more than 1 MiB"},
		"too much literally":    {get(`URL/{{ "" }}` + strings.Repeat("x", 1<<20)), "produces more than 1 MiB"},
		"bad slice":             {get(`URL/{{ slice .Subscription.Region 50 }}`), "the function slice cannot take these values"},
		"bad comparison":        {get(`URL/{{ if lt .Previous.Outputs.Host 3 }}{{ end }}`), "the function lt cannot take these values"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, says(200, `{"null":null,"empty":"","dots":"..","host":"evil.example.com","other":"http://evil.example.com/x",`+
				`"six":"http://[::1]:80/evil","file":"file:///etc/passwd","lines":"a\r\nX-Evil: 1","user":"http://u:p@127.0.0.1/"}`))
			opts := quick()
			opts.LookupEnv = func(name string) (string, bool) { return "", name == "EMPTY" }
			first := get(a.URL)
			first.Outputs = map[string]string{
				"Gone": ".gone", "Null": ".null", "Empty": ".empty", "Dots": ".dots", "Host": ".host", "Other": ".other",
				"File": ".file", "Lines": ".lines", "User": ".user", "Six": ".six",
			}
			c.step.Endpoint = strings.NewReplacer("URL", a.URL, "HOST", a.host()).Replace(c.step.Endpoint)
			j := newJournal()
			in := input(j)
			in.Subscription.CurrentSyncID, in.Subscription.ShortName = "a/b", ""
			err := parse(t, opts, first, c.step).Run(t.Context(), "m", in)
			wantFailure(t, err, 1, pipeline.StepFailed, "step 2: ", c.says, "; nothing was sent")
			failure := failureOf(t, err)
			if strings.Contains(failure.Message, "evil") || strings.Contains(failure.Message, "passwd") {
				t.Errorf("an output is in %q", failure.Message)
			}
			if n := len(a.seen()); n != 1 {
				t.Errorf("%d requests were sent", n)
			}
			j.next(t)
			if line := j.next(t); line["msg"] != "step failed" || line["attempts"] != 0.0 || line["error"] == "" {
				t.Errorf("logged %v", line)
			}
		})
	}
}
