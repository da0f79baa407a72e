package pipeline_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kayra/reconciler/pipeline"
)

// redirecting sends everything but /end on to where.
func redirecting(status int, where func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/end" {
			return
		}
		w.Header().Set("Location", where())
		w.WriteHeader(status)
	}
}

func credentials(step pipeline.Step) pipeline.Step {
	step.Headers = map[string]pipeline.Header{
		"Authorization": {Type: "Bearer", Value: pipeline.Text("tok")}, "Cookie": {Value: pipeline.Text("a=tok")},
		"X-Secret": {Value: pipeline.Env("TOKEN")}, "Private-Token": {Value: pipeline.Text("tok")},
		"Accept": {Value: pipeline.Text("application/json")}, "Accept-Language": {Value: pipeline.Text(`{{ env "TOKEN" }}`)},
	}
	return step
}

func withToken() pipeline.Options {
	opts := quick()
	opts.LookupEnv = func(string) (string, bool) { return "tok", true }
	return opts
}

func TestRedirectWithinTheSite(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{301: "GET ", 302: "GET ", 303: "GET ", 307: `POST "x"`, 308: `POST "x"`} {
		a := newApp(t, redirecting(status, func() string { return "/end" }))
		_, err := run(t, withToken(), credentials(pipeline.Step{Method: "POST", Endpoint: a.URL + "/a?q=tok", Data: "x"}))
		if err != nil {
			t.Fatal(err)
		}
		last := a.seen()[1]
		if got := last.method + " " + last.body; got != want || last.header.Get("Authorization") != "Bearer tok" || last.header.Get("X-Secret") != "tok" {
			t.Errorf("%d: sent %v", status, last)
		}
		if last.header.Get("Referer") != "" {
			t.Errorf("%d: the endpoint is in Referer", status)
		}
	}
}

// To another host, another port, or from https to http goes nothing that could be a credential, and never comes back.
func TestRedirectToAnotherSite(t *testing.T) {
	t.Parallel()
	plain := newApp(t, func(http.ResponseWriter, *http.Request) {})
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/end", http.StatusFound))
	t.Cleanup(secure.Close)
	var back *app
	away := newApp(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, back.URL+"/end", http.StatusFound) })
	back = newApp(t, redirecting(http.StatusFound, func() string { return away.URL }))
	port := newApp(t, redirecting(http.StatusTemporaryRedirect, func() string { return plain.URL + "/end" }))
	name := newApp(t, redirecting(http.StatusSeeOther, func() string { return strings.Replace(plain.URL, "127.0.0.1", "localhost", 1) + "/end" }))
	user := newApp(t, redirecting(http.StatusFound, func() string { return strings.Replace(plain.URL, "//", "//hunter2:hunter2@", 1) + "/end" }))
	for label, c := range map[string]struct {
		from string
		end  *app
	}{
		"https to http": {secure.URL, plain}, "another port": {port.URL, plain}, "another name": {name.URL, plain},
		"there and back": {back.URL, back}, "with userinfo": {user.URL, plain},
	} {
		step := credentials(get(c.from + "/a?q=tok"))
		step.TLS.InsecureSkipVerify = true
		j, err := run(t, withToken(), step)
		if err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		calls := c.end.seen()
		last := calls[len(calls)-1]
		if last.uri != "/end" || last.header.Get("Accept") != "application/json" || last.header.Get("Idempotency-Key") == "" {
			t.Errorf("%s: sent %v", label, last)
		}
		if strings.Contains(fmt.Sprint(last.header), "tok") {
			t.Errorf("%s: a credential was sent on: %v", label, last.header)
		}
		if strings.Contains(j.String(), "hunter2") {
			t.Errorf("%s: logged %s", label, j)
		}
	}
}

func TestRedirectThatIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := newApp(t, func(http.ResponseWriter, *http.Request) {})
	for name, c := range map[string]struct {
		location string
		status   int
		says     string
		calls    int
	}{
		"body to another site": {strings.Replace(other.URL, "//", "//hunter2:hunter2@", 1) + "/?hunter2", 307, "redirected to another host, to which the body of the request is not sent", 1},
		"loop":                 {"/again?hunter2", 308, "redirected more than 10 times", 11},
		"bad address":          {"http://hunter2:hunter2@[bad/hunter2", 302, "could not be carried out", 1},
		"other scheme":         {"ftp://hunter2:hunter2@127.0.0.1/hunter2", 302, "could not be carried out", 1},
		"no address":           {"", 302, "answered 302", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, redirecting(c.status, func() string { return c.location }))
			step := pipeline.Step{Method: "POST", Endpoint: a.URL, Data: "x"}
			j, err := run(t, quick(), step)
			wantFailure(t, err, 0, pipeline.StepFailed, c.says)
			failure := failureOf(t, err)
			if strings.Contains(failure.Message+j.String(), "hunter2") {
				t.Errorf("the address is in %q or %s", failure.Message, j)
			}
			if n := len(a.seen()); n != c.calls {
				t.Errorf("%d calls", n)
			}
			step.Wait = []pipeline.Condition{status("done", "")}
			if c.status == 307 {
				_, err := run(t, quick(), step)
				wantFailure(t, err, 0, pipeline.StepFailed, c.says)
			}
		})
	}
	if len(other.seen()) != 0 {
		t.Error("the body was sent to another site")
	}
}
