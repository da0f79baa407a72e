package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
)

const (
	crowdStreams = 1_000
	crowdWrites  = 20
)

// BenchmarkStreamMemory measures what each of 1,000 idle streams costs the process, stacks included. The floor is as many
// answers of net/http that have begun and go on.
func BenchmarkStreamMemory(b *testing.B) {
	l, floor := streamed(b)
	status := regs + "/" + compute + "/status" + watchTrue
	var took, bare, goroutines float64
	for b.Loop() {
		each, many := costOf(b, l.url, status)
		took, goroutines = took+each, goroutines+many
		each, _ = costOf(b, floor.url, "/")
		bare += each
	}
	n := float64(b.N)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took/n, "B")
	b.ReportMetric(bare/n, "floor-B")
	b.ReportMetric(took/bare, "ratio")
	b.ReportMetric(goroutines/n, "goroutines")
}

// costOf is what a stream costs, in bytes and goroutines.
func costOf(b *testing.B, url, path string) (bytes, goroutines float64) {
	b.Helper()
	memoryBefore, before := memory(), runtime.NumGoroutine()
	streams := crowdAt(b, url, path, crowdStreams)
	bytes = float64(int64(memory())-int64(memoryBefore)) / crowdStreams //nolint:gosec // it is no more than this machine has
	goroutines = float64(runtime.NumGoroutine()-before) / crowdStreams
	for _, s := range streams {
		_ = s.Close()
	}
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before+crowdStreams/10 && time.Now().Before(end); {
		runtime.Gosched()
	}
	return bytes, goroutines
}

// BenchmarkStreamTold measures how long it takes from the answer to a write until the last one of 1,000 streams has been
// told of it, on etcd. The floor is a handler of net/http that writes nothing to any store, and has the same bytes written to
// as many answers, by a goroutine each.
func BenchmarkStreamTold(b *testing.B) { reportTold(b, 50) }

// BenchmarkStreamToldP99 is what one write in a hundred takes, or longer.
func BenchmarkStreamToldP99(b *testing.B) { reportTold(b, 99) }

func reportTold(b *testing.B, percentile int) {
	b.Helper()
	l, floor := streamed(b)
	streams, bare := l.crowd(crowdStreams), crowdAt(b, floor.url, "/", crowdStreams)
	var took, least []time.Duration
	for b.Loop() {
		for range crowdWrites {
			id := fmt.Sprintf("v%d", len(took)+1)
			want := `"sync_id":"` + id + `"`
			told, text := tell(b, streams, want, func() {
				l.want(http.StatusOK, "PUT", regs+"/"+compute, map[string]any{"sync_id": id})
			})
			took = append(took, told)
			told, _ = tell(b, bare, want, func() { floor.put(b, text) })
			least = append(least, told)
		}
	}
	at := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)*percentile/100].Nanoseconds()) / 1e3
	}
	reportChecks(b, at(took), at(least))
}

// tell has something written, and tells how long it took from when that was done until every stream had the text, and what
// came on one of them.
func tell(b *testing.B, streams []bare, text string, write func()) (last time.Duration, came string) {
	b.Helper()
	times := make([]time.Time, len(streams))
	var reading, begun sync.WaitGroup
	begun.Add(len(streams))
	for i, s := range streams {
		reading.Go(func() {
			begun.Done()
			read, err := s.readTo(text)
			if times[i] = time.Now(); err != nil {
				b.Error(err)
			}
			if i == 0 {
				came = read
			}
		})
	}
	begun.Wait()
	write()
	done := time.Now()
	reading.Wait()
	return max(slices.MaxFunc(times, time.Time.Compare).Sub(done), 0), came
}

// bareStreams are streams of net/http that all are sent the same.
type bareStreams struct {
	url string

	mu   sync.Mutex
	text []byte
	next chan struct{} // closed when there is another text
}

// put has what came on a stream sent to all.
func (s *bareStreams) put(b *testing.B, text string) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPut, s.url, strings.NewReader(chunks(text)))
	if err != nil {
		b.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	_ = res.Body.Close()
}

func (s *bareStreams) broadcast(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
	close(s.next)
	s.next = make(chan struct{})
}

// chunks are the data of what came in chunks.
func chunks(text string) string {
	data, err := io.ReadAll(httputil.NewChunkedReader(strings.NewReader(text + "0\r\n\r\n")))
	if err != nil {
		return text
	}
	return string(data)
}

func (s *bareStreams) now() ([]byte, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text, s.next
}

// ServeHTTP implements [http.Handler].
func (s *bareStreams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		text, _ := io.ReadAll(r.Body)
		s.broadcast(text)
		return
	}
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	_, next := s.now()
	text := []byte("event: synced\n\n")
	for {
		_, _ = w.Write(text)
		if control.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-next:
		}
		text, next = s.now()
	}
}

// streamed is a server on etcd whose statuses can be watched, and a bare one.
func streamed(b *testing.B) (*lab, *bareStreams) {
	b.Helper()
	cluster := etcdtest.Start(b, etcdtest.Fsync())
	s, err := etcd.Open(b.Context(), etcd.Options{Endpoints: cluster.Endpoints()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	l := newLab(b, s)
	l.world("a", "b")
	l.succeed("a", "b")
	floor := &bareStreams{next: make(chan struct{})}
	h := httptest.NewServer(floor)
	b.Cleanup(h.Close)
	floor.url = h.URL
	return l, floor
}
