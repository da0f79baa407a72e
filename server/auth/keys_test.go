package auth_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kayra/server/auth"
	"kayra/server/auth/oidctest"
)

func (d *desk) requests(discoveries, keySets int) {
	d.t.Helper()
	if n, m := d.issuer.Requests(); n != discoveries || m != keySets {
		d.t.Fatalf("the issuer was asked %d times for discovery and %d times for keys, want %d and %d", n, m, discoveries, keySets)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	one, two := oidctest.NewKey(t, "one", jose.RS256), ec(t, "two")
	d := newDesk(t, oidctest.Start(t, one))
	d.requests(0, 0)
	before, after := d.issuer.Token(one, nil), d.issuer.Token(two, nil)
	for range 20 {
		d.admits(before)
	}
	d.requests(1, 1)
	d.issuer.Publish(one, two)
	d.admits(after)
	d.admits(before)
	d.requests(2, 2)
	d.issuer.Publish(two)
	d.admits(before)
	d.refuses(d.issuer.Token(ec(t, "three"), nil), "does not publish")
	d.requests(3, 3)
	d.refuses(before, "does not publish")
	d.admits(after)
	d.requests(4, 4)
}

// An issuer may sign with another key under the same name.
func TestAKeyIsReplaced(t *testing.T) {
	t.Parallel()
	one, two := ec(t, "default"), ec(t, "default")
	d := newDesk(t, oidctest.Start(t, one))
	d.admits(d.issuer.Token(one, nil))
	d.issuer.Publish(two)
	d.clock.advance(auth.FetchPause)
	d.admits(d.issuer.Token(two, nil))
	d.refuses(d.issuer.Token(one, nil), "signature is wrong")
}

// The first use after a while finds that the key was withdrawn; in constant use that is found in the background.
func TestAWithdrawnKeyDies(t *testing.T) {
	t.Parallel()
	one, two := ec(t, "one"), ec(t, "two")
	d := newDesk(t, oidctest.Start(t, one, two))
	token := d.issuer.Token(one, nil)
	d.admits(token)
	d.issuer.Publish(two)
	d.clock.advance(4 * time.Minute)
	d.admits(token)
	d.requests(1, 1)
	d.clock.advance(time.Minute)
	d.admits(token)
	eventually(t, "the key is refused", func() bool {
		_, err := d.Authenticate(t.Context(), token)
		return err != nil
	})
	d.requests(3, 3) // one in the background, and one for a key that was not there any more

	d.issuer.Publish(one)
	d.clock.advance(10 * time.Minute)
	d.refuses(d.issuer.Token(two, nil), "does not publish")
	d.admits(token)
	d.issuer.Publish()
	d.clock.advance(10 * time.Minute)
	d.refuses(token, "does not publish")
	d.requests(5, 5)
}

func TestIssuerDownAtStart(t *testing.T) {
	t.Parallel()
	key := ec(t, "one")
	d := newDesk(t, oidctest.Start(t, key))
	token := d.issuer.Token(key, nil)
	for i, down := range []http.HandlerFunc{
		oidctest.Cut,
		func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "a hunter2 of the issuer", http.StatusBadGateway)
		},
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hunter2</html>") },
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") },
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) },
		func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"issuer":"`+strings.Repeat("x", 2<<20)+`"}`)
		},
	} {
		d.issuer.Answer(down)
		for range 5 {
			d.postpones(token)
		}
		if n, m := d.issuer.Requests(); i == 0 && n != 1 || n+m > 10 {
			t.Errorf("%d requests without a pause, or after redirects", n+m)
		}
		d.clock.advance(auth.FetchPause)
	}
	d.refuses(d.issuer.Token(key, map[string]any{"iss": "https://other"}), "issuer") // that needs no keys
	d.issuer.Answer(nil)
	d.admits(token)
	if strings.Contains(d.log.String(), "hunter2") || !strings.Contains(d.log.String(), "status 502") || strings.Count(d.log.String(), "level=WARN") != 6 {
		t.Errorf("log: %s", d.log)
	}
}

func TestIssuerDownLater(t *testing.T) {
	t.Parallel()
	one, two := ec(t, "one"), ec(t, "two")
	d := newDesk(t, oidctest.Start(t, one))
	long := map[string]any{"exp": time.Now().Add(100 * time.Hour).Unix()}
	token, unknown, forged := d.issuer.Token(one, long), d.issuer.Token(two, long), d.issuer.Token(ec(t, "one"), long)
	d.admits(token)
	d.issuer.Answer(oidctest.Cut)
	d.admits(token)
	d.requests(1, 1)
	d.clock.advance(time.Hour)
	d.admits(token)
	d.postpones(unknown)
	d.refuses(forged, "signature is wrong")
	d.refuses(d.issuer.Token(one, map[string]any{"exp": time.Now().Unix()}), "expired")
	d.requests(2, 1)
	d.clock.advance(time.Hour)
	d.admits(token)
	d.postpones(unknown)
	d.issuer.Answer(nil)
	d.issuer.Publish(two)
	d.clock.advance(auth.FetchPause)
	d.admits(unknown)
	d.refuses(token, "does not publish")
	if !strings.Contains(d.log.String(), "known_keys_in_force=true") {
		t.Error(d.log)
	}
}

// Made-up key ids cost the issuer a few fetches and then one a pause, whether it answers or not.
func TestFloodOfKeyIDs(t *testing.T) {
	t.Parallel()
	key, nobody := ec(t, "one"), ec(t, "")
	d := newDesk(t, oidctest.Start(t, key))
	good := d.issuer.Token(key, nil)
	d.admits(good)
	flood := func() {
		for i := range 100 {
			nobody.ID = fmt.Sprint("made-up-", i)
			if who, err := d.Authenticate(t.Context(), d.issuer.Token(nobody, nil)); err == nil {
				t.Errorf("admitted as %v", who)
			}
			d.admits(good)
		}
	}
	flood()
	d.requests(4, 4)
	for i := range 3 {
		d.clock.advance(auth.FetchPause)
		flood()
		d.requests(5+i, 5+i)
	}
	d.issuer.Answer(oidctest.Cut)
	d.clock.advance(time.Hour)
	flood()
	d.requests(8, 7)
}

// Tokens that are no good keep no good one out that is signed with a new key.
func TestBadTokensBeforeARotation(t *testing.T) {
	t.Parallel()
	one, two, forger, nobody := ec(t, "one"), ec(t, "two"), ec(t, "one"), ec(t, "")
	d := newDesk(t, oidctest.Start(t, one))
	d.admits(d.issuer.Token(one, nil))
	for range 20 {
		d.refuses(d.issuer.Token(forger, nil), "signature is wrong")
	}
	d.requests(1, 1)
	d.issuer.Publish(two)
	d.admits(d.issuer.Token(two, nil))
	for i := range 20 {
		nobody.ID = fmt.Sprint("made-up-", i)
		_, _ = d.Authenticate(t.Context(), d.issuer.Token(nobody, nil))
	}
	d.clock.advance(2 * time.Second)
	d.issuer.Publish(one)
	d.postpones(d.issuer.Token(one, nil)) // it may well be good
	d.clock.advance(auth.FetchPause)
	d.admits(d.issuer.Token(one, nil))
}
