package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/reconciler/pipeline"
)

// lines are hosts in short.
func lines(hosts []pipeline.Host) []string {
	var all []string
	for _, h := range hosts {
		all = append(all, fmt.Sprintf("%s %s %d/%d", h.Name, strings.Join(h.Kinds, ","), h.Errors, h.Calls))
	}
	return all
}

func wantHosts(t *testing.T, p *pipeline.Pipelines, api string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, lines(p.Hosts(api))); diff != "" {
		t.Errorf("hosts of %s:\n%s", api, diff)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	a := newApp(t, inTurn(says(201, ""), says(503, ""), hangUp, says(200, `{"status": "done"}`), says(302, ""), says(404, "")))
	poll := waiting(strings.ToUpper(a.URL[:4])+a.URL[4:]+"/LEAK?x=http://LEAK/", status("done", ""))
	poll.Name = "poll"
	bad := get("http://LEAK:LEAK@" + a.host())
	bad.Async = true
	p := parse(t, patient(), pipeline.Step{Method: "post", Endpoint: a.URL}, poll, bad, get(a.URL))
	wantHosts(t, p, "compute.example.com")
	wantFailure(t, p.Run(t.Context(), "m", input(nil)), 3, pipeline.StepFailed)
	wantHosts(t, p, "compute.example.com", a.host()+" GET,POST,poll 4/6")
	if rate := p.Hosts("compute.example.com")[0].ErrorRate(); rate < 0.66 || rate > 0.67 || (pipeline.Host{}).ErrorRate() != 0 {
		t.Errorf("rate %v", rate)
	}
	wantHosts(t, p, "other.example.com")
	p.Forget("compute.example.com")
	wantHosts(t, p, "compute.example.com")
}

// A host that an output or a secret gave is as masked as it is in the log.
func TestHostsAreMasked(t *testing.T) {
	t.Parallel()
	var a *app
	a = newApp(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"url": "%s/x", "host": "%s", "name": "127"}`, a.URL, a.host())
	})
	opts := quick()
	opts.OutputHosts = []string{"127.0.0.1"}
	first := get(a.URL + "/first")
	first.Outputs = map[string]string{"URL": ".url", "Host": ".host", "Name": ".name"}
	port := a.host()[strings.LastIndex(a.host(), ":"):]
	opts.LookupEnv = func(name string) (string, bool) {
		v, ok := map[string]string{"BASE": a.URL, "PORT": port[1:], "SCHEME": "http"}[name]
		return v, ok
	}
	steps := []pipeline.Step{first}
	for name, endpoint := range map[string]string{
		"whole": "{{ .Previous.Outputs.URL }}", "base": `{{ env "BASE" }}/proxy/http://LEAK/`, "scheme": `{{ env "SCHEME" }}://` + a.host(),
		"host": "http://{{ .Previous.Outputs.Name }}.0.0.1" + port + "?http://LEAK", "port": `http://127.0.0.1:{{ env "PORT" }}#LEAK`,
	} {
		step := get(endpoint)
		step.Name, step.Outputs = name, first.Outputs
		steps = append(steps, step)
	}
	p := parse(t, opts, steps...)
	if err := p.Run(t.Context(), "m", input(nil)); err != nil {
		t.Fatal(err)
	}
	wantHosts(t, p, "compute.example.com", "*** base,scheme,whole 0/3", "***.0.0.1"+port+" host 0/1", "127.0.0.1:*** port 0/1", a.host()+" GET 0/1")
}

// An API that calls many hosts, as many tenants' hosts may be, has few of them told apart.
func TestHostsAreBounded(t *testing.T) {
	t.Parallel()
	p := parse(t, quick(), get("http://{{ .Subscription.Namespace }}.Invalid:1/"))
	var all sync.WaitGroup
	for i := range 50 {
		in := input(nil)
		in.Subscription.Namespace = fmt.Sprintf("ns-%02d", i)
		all.Go(func() { _ = p.Run(t.Context(), "m", in) })
	}
	all.Wait()
	hosts := p.Hosts("compute.example.com")
	if len(hosts) != 21 {
		t.Fatalf("%d hosts", len(hosts))
	}
	var calls, rest int64
	for _, h := range hosts {
		calls += h.Calls
		if h.Name == "other" {
			rest = h.Calls
		} else if !strings.HasSuffix(h.Name, ".invalid:1") {
			t.Errorf("host %s", h.Name)
		}
	}
	if calls != 50 || rest != 30 {
		t.Errorf("%d calls, %d of them to the rest", calls, rest)
	}
}

// What a run was cut off from is no error of the host, and what is forgotten does not come back with a late answer.
func TestHostsOfWhatIsCut(t *testing.T) {
	t.Parallel()
	h := newHeld()
	a := newApp(t, h.answer(200))
	ctx, cancel := context.WithCancel(t.Context())
	p := parse(t, quick(), async(a.URL), get(a.URL))
	go func() {
		<-h.reached
		<-h.reached
		cancel()
	}()
	if err := p.Run(ctx, "m", input(nil)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	wantHosts(t, p, "compute.example.com", a.host()+" GET 0/1")
	p.Forget("compute.example.com")
	close(h.free)
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantHosts(t, p, "compute.example.com")
}
