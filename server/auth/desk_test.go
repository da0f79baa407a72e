package auth_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kayra/server/auth"
	"kayra/server/auth/oidctest"
)

// desk is an authenticator in front of an issuer, with a clock and a log.
type desk struct {
	*auth.OIDC

	t      testing.TB
	issuer *oidctest.Issuer
	clock  *clock
	log    *transcript
}

func newDesk(tb testing.TB, issuer *oidctest.Issuer, change ...func(*auth.OIDCOptions)) *desk {
	tb.Helper()
	d := &desk{t: tb, issuer: issuer, clock: &clock{at: time.Now()}, log: new(transcript)}
	o := auth.OIDCOptions{
		Issuer: issuer.URL, Audience: oidctest.Audience, Now: d.clock.now, Timeout: time.Minute,
		Logger: slog.New(slog.NewTextHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&o)
	}
	var err error
	if d.OIDC, err = auth.NewOIDC(o); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(d.Close)
	return d
}

// admits insists that the token is ann's.
func (d *desk) admits(token string) auth.Identity {
	d.t.Helper()
	who, err := d.Authenticate(d.t.Context(), token)
	if err != nil || who.User != "ann" {
		d.t.Fatalf("%+v, %v; want ann", who, err)
	}
	return who
}

// refuses insists that the token is refused for good, for the reason, and that neither the error nor the log show any of it.
func (d *desk) refuses(token, reason string) {
	d.t.Helper()
	d.fails(token, auth.ErrUnauthenticated, reason)
}

// postpones insists that the token cannot be checked now.
func (d *desk) postpones(token string) {
	d.t.Helper()
	d.fails(token, auth.ErrUnavailable, "")
}

func (d *desk) fails(token string, want error, reason string) {
	d.t.Helper()
	who, err := d.Authenticate(d.t.Context(), token)
	if !errors.Is(err, want) || !strings.Contains(err.Error(), reason) || who.User != "" || who.Groups != nil {
		d.t.Errorf("%+v, %v; want %v: %s", who, err, want, reason)
		return
	}
	for part := range strings.SplitSeq(token, ".") {
		if said := err.Error() + d.log.String(); len(part) > 8 && strings.Contains(said, part) {
			d.t.Errorf("a part of the token is shown: %s", said)
		}
	}
}

// clock stands still until it is set forward.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// transcript is a log.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *transcript) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *transcript) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func eventually(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !is(); <-tick.C {
		if time.Now().After(end) {
			tb.Fatalf("not within a minute: %s", what)
		}
	}
}

func ec(tb testing.TB, id string) *oidctest.Key {
	tb.Helper()
	return oidctest.NewKey(tb, id, jose.ES256)
}

// serving is the URL of a document.
func serving(tb testing.TB, document string) string {
	tb.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, document) }))
	tb.Cleanup(s.Close)
	return s.URL
}

// weakKey is shorter than a key may be.
func weakKey(tb testing.TB) *oidctest.Key {
	tb.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		tb.Fatal(err)
	}
	return &oidctest.Key{ID: "weak", Algorithm: jose.RS256, Private: private}
}
