package notify_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kayra/notice"
	"kayra/server/notify"
	"kayra/tlsfiles"
	"kayra/tlsfiles/tlstest"
)

// The secrets of the tests, which must show nowhere.
const (
	hookSecret = "s3cr3t-hook"
	password   = "s3cr3t-password"
)

// received is a request that a receiver got.
type received struct {
	header http.Header
	uri    string
	body   string
}

// receiver answers each request in its turn as it is told, the last answer for good, and remembers the requests.
type receiver struct {
	*httptest.Server

	mu   sync.Mutex
	seen []received
}

func receive(t *testing.T, answers ...http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		r.seen = append(r.seen, received{q.Header, q.RequestURI, string(body)})
		answer := answers[min(len(r.seen), len(answers))-1]
		r.mu.Unlock()
		answer(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) requests() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received{}, r.seen...)
}

// hook is the URL of a webhook at the receiver.
func (r *receiver) hook() notify.Secret {
	return secret("http://user:" + hookSecret + "@" + strings.TrimPrefix(r.URL, "http://") + "/" + hookSecret + "?key=" + hookSecret)
}

func secret(text string) notify.Secret { return func() (string, error) { return text, nil } }

// says answers with a status, and a header if there is one.
func says(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "answer of "+r.RequestURI)
	}
}

func event() notice.Event {
	return notice.Event{
		Team: "sre-a", Kind: notice.Degraded, API: "compute.example.com", Message: "5 attempts in a row have failed.",
		SyncID: "v2", State: "degraded", At: time.Date(2026, 11, 30, 3, 8, 41, 0, time.FixedZone("", 3600)), Reconciler: "r-1",
	}
}

// notifier has short pauses, and knows the one team of the event.
func notifier(t *testing.T, team notify.Team, change ...func(*notify.Options)) *notify.Notifier {
	t.Helper()
	o := notify.Options{
		Teams: map[string]notify.Team{"sre-a": team}, Platform: "sandbox", Region: "eu-west-1", Version: "v0",
		Pause: time.Millisecond, Timeout: time.Minute, Registry: prometheus.NewRegistry(),
	}
	for _, c := range change {
		c(&o)
	}
	n, err := notify.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// failed insists that the one channel failed, and gives why.
func failed(t *testing.T, a notice.Answer) string {
	t.Helper()
	if len(a.Delivered) != 0 || len(a.Failed) != 1 {
		t.Fatalf("delivered %v, failed %v", a.Delivered, a.Failed)
	}
	why := a.Failed[0].Error
	for _, hidden := range []string{"s3cr3t", "127.0.0.1", "answer of"} {
		if strings.Contains(why, hidden) {
			t.Errorf("%q shows %q", why, hidden)
		}
	}
	return why
}

func delivered(t *testing.T, a notice.Answer, by ...notice.Channel) {
	t.Helper()
	if len(a.Failed) != 0 || len(a.Delivered) != len(by) {
		t.Fatalf("delivered %v, failed %v; want %v", a.Delivered, a.Failed, by)
	}
	for i, channel := range by {
		if a.Delivered[i] != channel {
			t.Errorf("delivered %v, want %v", a.Delivered, by)
		}
	}
}

// trust has a file of an authority, and the authority.
func trust(t *testing.T) (*tlstest.Authority, *tlsfiles.CA) {
	t.Helper()
	authority := tlstest.New(t, "ca")
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, authority.PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	ca, err := tlsfiles.OpenCA(path)
	if err != nil {
		t.Fatal(err)
	}
	return authority, ca
}

// counted is all that a registry has counted, a line for each.
func counted(t *testing.T, r *prometheus.Registry) []string {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			words := []string{f.GetName()}
			for _, l := range m.GetLabel() {
				words = append(words, l.GetValue())
			}
			lines = append(lines, fmt.Sprint(strings.Join(words, " "), " ", m.GetCounter().GetValue()))
		}
	}
	return lines
}
