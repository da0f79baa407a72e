package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kayra/cli"
	"kayra/cli/term"
)

// told is what a command writes while it runs.
type told struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *told) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *told) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await waits until it has been written.
func (o *told) await(tb testing.TB, text string) {
	tb.Helper()
	deadline := time.After(patience)
	for !strings.Contains(o.String(), text) {
		select {
		case <-deadline:
			tb.Fatalf("waited for %q in vain; there is %q", text, o.String())
		case <-time.After(time.Millisecond):
		}
	}
}

// watcher is a command that goes on.
type watcher struct {
	out, err told
	end      context.CancelFunc
	code     chan int
}

func watch(t *testing.T, streams term.Streams, env []string, line string) *watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watcher{end: cancel, code: make(chan int, 1)}
	streams.In, streams.Err = strings.NewReader(""), &w.err
	if streams.Out == nil {
		streams.Out = &w.out
	}
	go func() {
		w.code <- cli.Run(ctx, cli.Process{
			Args: strings.Fields(line), Environ: append([]string{"HOME=/nonexistent"}, env...), Streams: streams, Now: time.Now,
		})
	}()
	t.Cleanup(func() {
		cancel()
		if len(w.code) == 0 {
			w.code <- <-w.code
		}
	})
	return w
}

// interrupted ends the command as Ctrl-C does.
func (w *watcher) interrupted(t *testing.T) {
	t.Helper()
	w.end()
	if code := w.wait(t); code != 130 {
		t.Errorf("exit code %d, want 130; %s", code, w.err.String())
	}
}

func (w *watcher) wait(t *testing.T) int {
	t.Helper()
	select {
	case code := <-w.code:
		w.code <- code
		return code
	case <-time.After(patience):
		t.Fatalf("it has not ended; %q %q", w.out.String(), w.err.String())
		return 0
	}
}

// source is a server whose streams say what a test has them say.
type source struct {
	*httptest.Server

	first   string // of each stream that begins anew
	events  chan string
	queries queried
	cut     chan struct{} // ends the stream that runs
	away    atomic.Bool
}

func event(kind, id, data string) string {
	return fmt.Sprintf("event: %s\nid: %s\ndata: %s\n\n", kind, id, data)
}

func stream(t *testing.T, first string) *source {
	t.Helper()
	s := &source{first: first, events: make(chan string, 100), cut: make(chan struct{})}
	s.Server = answering(t, func(w http.ResponseWriter, r *http.Request) {
		s.queries.note(r)
		if s.away.Load() {
			panic(http.ErrAbortHandler)
		}
		if r.URL.Query().Get("watch") != "true" {
			_, _ = io.WriteString(w, `{"name":"sre","active":true}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if r.Header.Get("Last-Event-ID") == "" {
			_, _ = io.WriteString(w, s.first)
		} else {
			_, _ = io.WriteString(w, event("synced", "", "{}"))
		}
		for flush := w.(http.Flusher).Flush; ; {
			flush()
			select {
			case <-r.Context().Done():
				return
			case <-s.cut:
				return
			case e := <-s.events:
				_, _ = io.WriteString(w, e)
			}
		}
	})
	return s
}

const twoNamespaces = "event: added\ndata: {\"name\":\"apps\",\"active\":false}\n\nevent: added\ndata: {\"name\":\"sre\",\"active\":true}\n\n" +
	"event: synced\nid: 5\ndata: {}\n\n"

func TestWatchInAPipe(t *testing.T) {
	t.Parallel()
	for line, c := range map[string]struct{ first, rest string }{
		"-w": {
			"NAME   ACTIVE   EVENT\napps   false    added\nsre    true     added\n",
			"apps   true     modified\nsre    true     deleted\n",
		},
		"-w --no-headers":      {"apps   false   added\nsre    true    added\n", "apps   true    modified\nsre    true    deleted\n"},
		"--watch-only":         {"NAME   ACTIVE   EVENT\n", "apps   true     modified\nsre    true     deleted\n"},
		"-w -o name":           {"namespaces/apps\nnamespaces/sre\n", "namespaces/apps\nnamespaces/sre deleted\n"},
		"--watch-only -o json": {"", `{"type":"modified","object":{"name":"apps","active":true}}` + "\n" + `{"type":"deleted","object":{"name":"sre","active":true}}` + "\n"},
		"-w -o json": {
			`{"type":"added","object":{"name":"apps","active":false}}` + "\n" + `{"type":"added","object":{"name":"sre","active":true}}` + "\n",
			`{"type":"modified","object":{"name":"apps","active":true}}` + "\n" + `{"type":"deleted","object":{"name":"sre","active":true}}` + "\n",
		},
		"--watch-only -o yaml":            {"", "---\ntype: modified\nobject:\n  name: apps\n  active: true\n---\ntype: deleted\nobject:\n  name: sre\n  active: true\n"},
		"-w -o jsonpath={.name}":          {"apps\nsre\n", "apps\nsre\n"},
		"-w -o custom-columns=N:.name":    {"N      EVENT\napps   added\nsre    added\n", "apps   modified\nsre    deleted\n"},
		"-w --sort-by -name -o name":      {"namespaces/sre\nnamespaces/apps\n", "namespaces/apps\nnamespaces/sre deleted\n"},
		"-w --field-selector active=true": {"NAME   ACTIVE   EVENT\nsre    true     added\n", "apps   true     added\nsre    true     deleted\n"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := stream(t, twoNamespaces)
			w := watch(t, term.Streams{}, at(s.URL), "kayra get catalog namespaces "+line)
			w.out.await(t, c.first)
			s.events <- event("modified", "6", `{"name":"apps","active":true}`)
			s.events <- event("deleted", "7", `{"name":"sre","active":true}`)
			w.out.await(t, c.first+c.rest)
			w.interrupted(t)
			if got := w.out.String(); got != c.first+c.rest {
				t.Errorf("got\n%s\nwant\n%s", got, c.first+c.rest)
			}
		})
	}
}

// One of them is watched as a part of the list, and has to be there.
func TestWatchOne(t *testing.T) {
	t.Parallel()
	s := stream(t, twoNamespaces)
	w := watch(t, term.Streams{}, at(s.URL), "kayra get catalog namespaces sre -w -o name")
	w.out.await(t, "namespaces/sre\n")
	s.events <- event("modified", "6", `{"name":"apps","active":true}`) + event("modified", "7", `{"name":"sre","active":false}`)
	w.out.await(t, "namespaces/sre\nnamespaces/sre\n")
	w.interrupted(t)
	none := answering(t, http.NotFound)
	if got := run(t, at(none.URL), "", "kayra", "get", "catalog", "namespaces", "sre", "-w"); got.code != 4 {
		t.Errorf("of what is not there: got %d %q", got.code, got.err)
	}
}

// What is said of all rows together stands beside each of them.
func TestWatchStatus(t *testing.T) {
	t.Parallel()
	row := `{"namespace":"sre","state":"success","synced":true,"reason":"synced","current_sync_id":"s1"}`
	s := stream(t, event("added", "", row)+event("synced", "3", `{"name":"a.b","sync_id":"s1"}`))
	w := watch(t, term.Streams{}, at(s.URL), "kayra get catalog apiregistrations a.b/status -w")
	w.out.await(t, "sre         success   true     synced   s1        s1       added\n")
	s.events <- event("synced", "4", `{"name":"a.b","sync_id":"s2"}`)
	s.events <- event("modified", "5", strings.Replace(row, `"reason":"synced"`, `"reason":"queued"`, 1))
	w.out.await(t, "queued   s1        s2       modified\n")
	w.interrupted(t)
	if got := s.queries.queries[0]; got != "watch=true" {
		t.Errorf("asked %q", got)
	}
}

// What the server can select by itself it is asked for.
func TestWatchSelected(t *testing.T) {
	t.Parallel()
	s := stream(t, event("synced", "3", `{}`))
	w := watch(t, term.Streams{}, at(s.URL), "kayra get catalog subscriptions -w --field-selector state=error,namespace=sre")
	w.out.await(t, "NAMESPACE")
	s.events <- event("added", "5", subscription("apps", "error", false)) + event("added", "6", subscription("sre", "error", false))
	w.out.await(t, "sre ")
	w.interrupted(t)
	if got := s.queries.queries[0]; got != "state=error&watch=true" && got != "watch=true&state=error" {
		t.Errorf("asked %q", got)
	}
	if strings.Contains(w.out.String(), "apps") {
		t.Errorf("showed what was not asked for: %s", w.out.String())
	}
}

// An outage is told of once, and its end. What is told again after it is not shown again; what has gone meanwhile is.
func TestWatchOutlastsTheServer(t *testing.T) {
	t.Parallel()
	s := stream(t, strings.Replace(twoNamespaces, "id: 5\n", "", 1)) // nothing to resume from
	w := watch(t, term.Streams{}, at(s.URL), "kayra get catalog namespaces -w -o name")
	w.out.await(t, "namespaces/apps\nnamespaces/sre\n")
	s.away.Store(true)
	s.first = event("added", "", `{"name":"new","active":false}`) + event("added", "", `{"name":"sre","active":true}`) + event("synced", "9", "{}")
	s.cut <- struct{}{}
	w.err.await(t, "connection lost")
	s.away.Store(false)
	w.err.await(t, "connected again\n")
	w.out.await(t, "namespaces/apps deleted\n")
	w.interrupted(t)
	if got := w.out.String(); got != "namespaces/apps\nnamespaces/sre\nnamespaces/new\nnamespaces/apps deleted\n" {
		t.Errorf("got %q", got)
	}
	if got := w.err.String(); strings.Count(got, "connection lost") != 1 || strings.Count(got, "connected") != 1 || !strings.HasSuffix(got, "kayra: interrupted\n") {
		t.Errorf("told %q", got)
	}
}

// Where it cannot begin it has failed, as without -w. What is refused later ends it, too.
func TestWatchThatFails(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{401: 3, 403: 3, 404: 4, 500: 1, 503: 6} {
		s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"status":%d,"detail":"the reason"}`, status)
		})
		got := run(t, append(at(s.URL), "KAYRA_CLIENT_TOKEN=t"), "", "kayra", "get", "catalog", "namespaces", "-w")
		if got.code != want || !strings.Contains(got.err, "kayra: the reason") || got.out != "" {
			t.Errorf("%d: got %d %q %q, want %d", status, got.code, got.out, got.err, want)
		}
	}
	if got := run(t, at("http://127.0.0.1:1"), "", "kayra", "get", "catalog", "namespaces", "-w"); got.code != 6 {
		t.Errorf("without a server: got %d %q", got.code, got.err)
	}
}

// The time that a request may take is not that of a watch.
func TestWatchIsNotCut(t *testing.T) {
	t.Parallel()
	s := stream(t, twoNamespaces)
	w := watch(t, term.Streams{}, at(s.URL), "kayra get catalog namespaces -w -o name --timeout 2s")
	w.out.await(t, "namespaces/sre\n")
	select {
	case code := <-w.code:
		t.Fatalf("it ended with %d: %s", code, w.err.String())
	case <-time.After(2200 * time.Millisecond):
	}
	s.events <- event("added", "6", `{"name":"late"}`)
	w.out.await(t, "namespaces/late\n")
	w.interrupted(t)
	if got := w.err.String(); got != "kayra: interrupted\n" {
		t.Errorf("told %q", got)
	}
}

// An app has no streams, and is asked every two seconds.
func TestWatchAnApp(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 {
			_, _ = io.WriteString(w, `{"items":[{"name":"m1","size":1},{"name":"m2","size":1}]}`)
			return
		}
		_, _ = io.WriteString(w, `{"items":[{"name":"m1","size":2},{"name":"m3","size":1}]}`)
	}))
	t.Cleanup(gateway.Close)
	s := answering(t, http.NotFound)
	w := watch(t, term.Streams{}, append(at(s.URL), "KAYRA_RECONCILER_GATEWAY_URL="+gateway.URL), "kayra get compute -n sre machines -w")
	w.out.await(t, "m2     1      deleted\n")
	w.interrupted(t)
	want := "NAME   SIZE   EVENT\nm1     1      added\nm2     1      added\nm1     2      modified\nm3     1      added\nm2     1      deleted\n"
	if got := w.out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A reader that has gone ends it.
func TestWatchWithoutAReader(t *testing.T) {
	t.Parallel()
	s := stream(t, twoNamespaces)
	var errs bytes.Buffer
	code := cli.Run(t.Context(), cli.Process{
		Args: strings.Fields("kayra get catalog namespaces -w"), Environ: append([]string{"HOME=/nonexistent"}, at(s.URL)...), Now: time.Now,
		Streams: term.Streams{In: strings.NewReader(""), Out: gone{}, Err: &errs},
	})
	if code != 1 || !strings.Contains(errs.String(), "write output: gone") {
		t.Errorf("got %d %q", code, errs.String())
	}
}

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, errors.New("gone") }
