package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/server/client"
)

// copied is a follower that notes what it is told.
type copied struct {
	mu   sync.Mutex
	said []string
	stop func(said []string) bool // ends the test when it is true
	end  context.CancelFunc
}

func (c *copied) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, fmt.Sprintf(format, args...))
	if c.stop(c.said) {
		c.end()
	}
}

func (c *copied) Reset() { c.note("reset") }
func (c *copied) Apply(e client.Event) error {
	c.note("%s %s", e.Type, client.Identity(e.Data))
	return nil
}
func (c *copied) Synced(data []byte) { c.note("synced %s", data) }
func (c *copied) Live(err error, _ time.Duration) {
	if err != nil {
		c.note("broken: %v", errors.Is(err, client.ErrEnded) || errors.Is(err, client.ErrUnreachable))
	}
}

// follow follows what the handler serves until stop is true of what was told.
func follow(t *testing.T, h http.HandlerFunc, stop func(said []string) bool) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := connect(t, client.Options{URL: answering(t, h)})
	f := &copied{stop: stop, end: cancel}
	now := make(chan struct{})
	close(now) // never wait
	if err := c.Follow(ctx, "/things?all=true", f, now); !errors.Is(err, context.Canceled) {
		t.Fatalf("Follow ended with %v after %q", err, f.said)
	}
	return f.said
}

func has(line string, times int) func([]string) bool {
	return func(said []string) bool {
		n := 0
		for _, s := range said {
			if s == line {
				n++
			}
		}
		return n >= times
	}
}

// streams serves a stream a request, the last one again and again, and notes what each request resumes from.
func streams(resumed *[]string, bodies ...string) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Query().Get("watch") != "true" || r.URL.Query().Get("all") != "true" {
			http.Error(w, "asked for "+r.URL.RawQuery, http.StatusTeapot)
			return
		}
		*resumed = append(*resumed, r.Header.Get("Last-Event-ID"))
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = fmt.Fprint(w, bodies[min(len(*resumed), len(bodies))-1])
	}
}

func event(kind, id, data string) string {
	text := "event: " + kind + "\n"
	if id != "" {
		text += "id: " + id + "\n"
	}
	return text + "data: " + data + "\n\n"
}

func TestAStreamIsResumedBehindTheLastRevisionThatWasToldInFull(t *testing.T) {
	t.Parallel()
	var resumed []string
	first := event("added", "0", `{"name":"a"}`) + ": keep-alive\n\n" + event("synced", "7", `{}`) +
		event("modified", "8", `{"name":"a"}`) + event("modified", "9", `{"name":"b"}`) + event("deleted", "9", `{"name":"b"}`) + "event: modified\nid: 10\ndata: {\"na"
	said := follow(t, streams(&resumed, first, event("modified", "12", `{"name":"c"}`)), has("modified /c/", 1))
	want := []string{"added /a/", "synced {}", "modified /a/", "modified /b/", "deleted /b/", "broken: true", "modified /c/"}
	if !slices.Equal(said, want) {
		t.Errorf("told %q, want %q", said, want)
	}
	if want := []string{"", "9"}; !slices.Equal(resumed, want) {
		t.Errorf("resumed from %q, want %q", resumed, want)
	}
}

func TestASnapshotThatBreaksBeginsAnew(t *testing.T) {
	t.Parallel()
	var resumed []string
	part := event("added", "0", `{"name":"a"}`)
	said := follow(t, streams(&resumed, part, part+event("synced", "7", `{}`)), has("synced {}", 1))
	if want := []string{"added /a/", "broken: true", "reset", "added /a/", "synced {}"}; !slices.Equal(said, want) {
		t.Errorf("told %q, want %q", said, want)
	}
	if want := []string{"", ""}; !slices.Equal(resumed, want) {
		t.Errorf("resumed from %q, want %q", resumed, want)
	}
}

func TestAResetForgetsWhatWasKnown(t *testing.T) {
	t.Parallel()
	var resumed []string
	whole := event("added", "0", `{"name":"a"}`) + event("synced", "7", `{}`)
	cut := event("reset", "0", `{}`) + event("added", "0", `{"name":"b"}`)
	said := follow(t, streams(&resumed, whole, cut, whole), has("synced {}", 2))
	want := []string{"added /a/", "synced {}", "broken: true", "reset", "added /b/", "broken: true", "reset", "added /a/", "synced {}"}
	if !slices.Equal(said, want) {
		t.Errorf("told %q, want %q", said, want)
	}
	if want := []string{"", "7", ""}; !slices.Equal(resumed, want) {
		t.Errorf("resumed from %q, want %q", resumed, want)
	}
}

func TestWhatHasNoStreamsIsPolled(t *testing.T) {
	t.Parallel()
	lists := []string{
		`{"items":[{"namespace":"x","api":"a"},{"namespace":"y","api":"a"}],"continue":"next"}`, `{"items":[{"name":"z"}]}`,
		`{"items":[{"namespace":"x","api":"a","n":1},{"name":"z"}],"continue":""}`, `{"items":[]}`,
	}
	asked := 0
	answer := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "" {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"title":"Bad Request","status":400,"detail":"this server does not support the query parameter watch"}`)
			return
		}
		if wants := asked == 1; wants != (r.URL.Query().Get("continue") == "next") {
			t.Errorf("request %d asked for %s", asked, r.URL.RawQuery)
		}
		_, _ = fmt.Fprint(w, lists[min(asked, len(lists)-1)])
		asked++
	}
	said := follow(t, answer, has("deleted /z/", 1))
	want := []string{"reset", "added x//a", "added y//a", "added /z/", "synced ", "modified x//a", "deleted y//a", "synced "}
	if !slices.Equal(said[:len(want)], want) {
		t.Errorf("told %q, want %q", said, want)
	}
}

func TestFollowEndsWithARefusal(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{http.StatusForbidden: client.ErrUnauthorized, http.StatusUnauthorized: client.ErrUnauthorized} {
		c := connect(t, client.Options{URL: answering(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })})
		f := &copied{stop: func([]string) bool { return false }}
		if err := c.Follow(t.Context(), "/things", f, nil); !errors.Is(err, want) || len(f.said) > 0 {
			t.Errorf("%d: Follow ended with %v after %q", status, err, f.said)
		}
	}
}

func TestFollowEndsWithTheErrorOfItsFollower(t *testing.T) {
	t.Parallel()
	var resumed []string
	c := connect(t, client.Options{URL: answering(t, streams(&resumed, event("added", "", `{}`)))})
	if err := c.Follow(t.Context(), "/things?all=true", refusing{}, nil); !errors.Is(err, errRefused) {
		t.Errorf("Follow ended with %v", err)
	}
}

var errRefused = errors.New("enough")

type refusing struct{}

func (refusing) Reset()                    {}
func (refusing) Apply(client.Event) error  { return errRefused }
func (refusing) Synced([]byte)             {}
func (refusing) Live(error, time.Duration) {}

func TestAWatchWaitsForTheHeadOfAStreamNoLongerThanForAnAnswer(t *testing.T) {
	t.Parallel()
	hangs := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	c := connect(t, client.Options{URL: answering(t, hangs), Timeout: 50 * time.Millisecond})
	err := c.Watch(t.Context(), "/things", "", func(client.Event) error { return nil })
	if !errors.Is(err, client.ErrTimeout) {
		t.Errorf("Watch ended with %v", err)
	}
}

func TestAWatchOutlastsTheTimeoutOfRequests(t *testing.T) {
	t.Parallel()
	const timeout = 50 * time.Millisecond
	lasts := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, event("synced", "1", "{}"))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(4 * timeout):
			_, _ = fmt.Fprint(w, event("added", "2", `{"name":"late"}`))
		}
	}
	c := connect(t, client.Options{URL: answering(t, lasts), Timeout: timeout})
	var told []string
	err := c.Watch(t.Context(), "/things", "", func(e client.Event) error {
		told = append(told, string(e.Type))
		return nil
	})
	if !errors.Is(err, client.ErrEnded) || strings.Join(told, " ") != "synced added" {
		t.Errorf("Watch told %q and ended with %v", told, err)
	}
}
