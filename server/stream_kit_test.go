package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for what must come. It is far longer than anything takes.
const patience = time.Minute

// event is one of a stream, as it was sent. One that has a comment has nothing else.
type event struct {
	kind, id, data, comment string
}

// watcher reads a stream in the background.
type watcher struct {
	t      testing.TB
	res    *http.Response
	events chan event
	leave  context.CancelFunc
	last   string // id that came last
	err    error  // why it broke; to be read after the end
}

// watch opens a stream as root.
func (l *lab) watch(path string, headers ...string) *watcher {
	l.t.Helper()
	return watchWith(l.t, l.http, l.url+path, headers...)
}

func watchWith(tb testing.TB, client *http.Client, url string, headers ...string) *watcher {
	tb.Helper()
	ctx, leave := context.WithCancel(tb.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+rootToken)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := client.Do(r) //nolint:bodyclose // read closes it
	if err != nil {
		leave()
		tb.Fatal(err)
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		body, _ := io.ReadAll(res.Body)
		leave()
		tb.Fatalf("%s: status %d, %v: %s", url, res.StatusCode, res.Header, body)
	}
	w := &watcher{t: tb, res: res, events: make(chan event, 1000), leave: leave}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.read(ctx)
	}()
	tb.Cleanup(func() {
		leave()
		<-ended
	})
	return w
}

func (w *watcher) read(ctx context.Context) {
	defer close(w.events)
	defer func() { _ = w.res.Body.Close() }()
	lines := bufio.NewScanner(w.res.Body)
	lines.Buffer(nil, 4<<20)
	var e event
	defer func() { w.err = lines.Err() }()
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch strings.TrimSuffix(name, ":") {
		case "":
			if lines.Text() != "" {
				e.comment = value
				continue
			}
			select {
			case w.events <- e:
			case <-ctx.Done():
				return
			}
			e = event{}
		case "event":
			e.kind = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		default:
			w.t.Errorf("a line of the stream is %q", lines.Text())
		}
	}
}

// next is the next event. Of a stream that has ended it is none.
func (w *watcher) next() event {
	w.t.Helper()
	select {
	case e := <-w.events:
		if e.kind != "" {
			w.last = e.id
		}
		return e
	case <-time.After(patience):
		w.t.Fatal("no event came")
		return event{}
	}
}

// want insists on the next events, each written as its kind and what its data must have, one of which may be a key and its
// value, such as synced=true.
func (w *watcher) want(events ...string) {
	w.t.Helper()
	for _, want := range events {
		e, words := w.next(), strings.Fields(want)
		if e.kind != words[0] {
			w.t.Fatalf("%+v came, not %s", e, want)
		}
		var data map[string]any
		if err := json.Unmarshal([]byte(e.data), &data); err != nil {
			w.t.Fatalf("%+v: %v", e, err)
		}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			if got, _ := json.Marshal(data[key]); strings.Trim(string(got), `"`) != value {
				w.t.Fatalf("%s came, not %s", e.data, want)
			}
		}
	}
}

// until reads on to the event.
func (w *watcher) until(kind string) []event {
	w.t.Helper()
	var all []event
	for {
		e := w.next()
		if e.kind == "" && e.comment == "" {
			w.t.Fatalf("the stream ended, and no %s came", kind)
		}
		if e.comment == "" {
			all = append(all, e)
		}
		if e.kind == kind {
			return all
		}
	}
}

// ends insists that the stream ends, without anything more.
func (w *watcher) ends() {
	w.t.Helper()
	if e := w.next(); e != (event{}) {
		w.t.Fatalf("%+v came, and not the end", e)
	}
}

// resume leaves the stream, and opens another one that begins where it ended.
func (l *lab) resume(w *watcher, path string) *watcher {
	l.t.Helper()
	w.leave()
	return l.watch(path, "Last-Event-ID", w.last)
}
