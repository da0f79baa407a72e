package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kayra/server/auth"
	"kayra/server/auth/oidctest"
)

func TestOneFetchForAll(t *testing.T) {
	t.Parallel()
	key := ec(t, "one")
	d := newDesk(t, oidctest.Start(t, key))
	token := d.issuer.Token(key, nil)
	var asked atomic.Bool
	release := make(chan struct{})
	d.issuer.Answer(func(w http.ResponseWriter, _ *http.Request) {
		asked.Store(true)
		<-release
		d.issuer.Answer(nil)
		w.Header().Set("Location", "/.well-known/openid-configuration")
		w.WriteHeader(http.StatusFound)
	})
	gone, cancel := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	callers.Go(func() {
		if _, err := d.Authenticate(gone, token); err == nil {
			t.Error("a caller who is gone was admitted")
		}
	})
	eventually(t, "the issuer is asked", asked.Load)
	cancel()
	callers.Wait()
	for range 50 {
		callers.Go(func() {
			if _, err := d.Authenticate(t.Context(), token); err != nil {
				t.Error(err)
			}
		})
	}
	close(release)
	callers.Wait()
	d.requests(2, 1) // the second one is the redirect
}

// Close ends a fetch that the issuer lets hang.
func TestSilentIssuer(t *testing.T) {
	t.Parallel()
	key := ec(t, "one")
	d := newDesk(t, oidctest.Start(t, key), func(o *auth.OIDCOptions) { o.Timeout = time.Hour })
	asked := d.hang()
	var callers sync.WaitGroup
	callers.Go(func() { d.postpones(d.issuer.Token(key, nil)) })
	eventually(t, "the issuer is asked", asked.Load)
	d.Close()
	callers.Wait()
	d.postpones(d.issuer.Token(key, nil))
	d.requests(1, 0)
}

// hang has the issuer answer nothing, and tells whether it was asked.
func (d *desk) hang() *atomic.Bool {
	asked := new(atomic.Bool)
	d.issuer.Answer(func(_ http.ResponseWriter, r *http.Request) {
		asked.Store(true)
		<-r.Context().Done()
	})
	return asked
}

// Who goes away while old keys are fetched anew is not taken for somebody by the old ones.
func TestGoneWhileKeysAreOld(t *testing.T) {
	t.Parallel()
	key := ec(t, "one")
	d := newDesk(t, oidctest.Start(t, key))
	token := d.issuer.Token(key, nil)
	d.admits(token)
	asked := d.hang()
	d.clock.advance(11 * time.Minute)
	gone, cancel := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	callers.Go(func() {
		if who, err := d.Authenticate(gone, token); !errors.Is(err, auth.ErrUnavailable) {
			t.Errorf("%v, %v", who, err)
		}
	})
	eventually(t, "the issuer is asked", asked.Load)
	cancel()
	callers.Wait()
}

// A slow issuer keeps nobody waiting whose key is known.
func TestSlowIssuer(t *testing.T) {
	t.Parallel()
	one, two := ec(t, "one"), ec(t, "two")
	d := newDesk(t, oidctest.Start(t, one))
	d.admits(d.issuer.Token(one, nil))
	release := make(chan struct{})
	d.issuer.Publish(one, two)
	d.issuer.Answer(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
			d.issuer.Answer(nil)
		case <-r.Context().Done():
		}
		oidctest.Cut(nil, nil)
	})
	d.clock.advance(6 * time.Minute)
	for range 10 {
		d.admits(d.issuer.Token(one, nil))
	}
	close(release)
	eventually(t, "the new key is known", func() bool {
		d.clock.advance(auth.FetchPause)
		_, err := d.Authenticate(t.Context(), d.issuer.Token(two, nil))
		return err == nil
	})
}

// Nothing that an issuer may publish for its keys lets a token through that it did not sign, or stops the server.
func TestGarbageOfTheIssuer(t *testing.T) {
	t.Parallel()
	key := ec(t, "one")
	good, err := key.Public().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	private, err := json.Marshal(jose.JSONWebKey{Key: key.Private, KeyID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	encrypting, err := json.Marshal(jose.JSONWebKey{Key: key.Private.Public(), KeyID: "one", Use: "enc"})
	if err != nil {
		t.Fatal(err)
	}
	strange := `{"kty":"OKP","crv":"X448","x":"AA"},{"kty":"ML","kid":"one"},7,null,"x",{},{"kty":"EC","crv":"P-256","x":"AA","y":"AA","kid":"one"},{"kty":"oct","k":"AAAA","kid":"one"}`
	for set, want := range map[string]error{
		``: auth.ErrUnavailable, `{`: auth.ErrUnavailable, `{}`: auth.ErrUnavailable, `{"keys":null}`: auth.ErrUnavailable, `{"keys":{}}`: auth.ErrUnavailable,
		`[]`: auth.ErrUnavailable, `null`: auth.ErrUnavailable, `{"keys":[` + string(good) + `],}`: auth.ErrUnavailable,
		`{"keys":[]}`: auth.ErrUnauthenticated, `{"keys":[` + strange + `]}`: auth.ErrUnauthenticated,
		`{"keys":[` + string(private) + `]}`: auth.ErrUnauthenticated, `{"keys":[` + string(encrypting) + `]}`: auth.ErrUnauthenticated,
		`{"keys":[` + strange + `,` + string(good) + `]}`: nil,
	} {
		d := newDesk(t, oidctest.Start(t, key))
		keys := serving(t, set)
		d.issuer.Describe("jwks_uri", keys)
		token := d.issuer.Token(key, nil)
		switch {
		case want == nil:
			d.admits(token)
		case errors.Is(want, auth.ErrUnauthenticated):
			d.refuses(token, "does not publish")
		default:
			d.postpones(token)
		}
	}
	for what, value := range map[string]any{"issuer": "https://other", "jwks_uri": "file:///etc/passwd", "id_token_signing_alg_values_supported": 7, "padding": strings.Repeat("x", 1<<20)} {
		d := newDesk(t, oidctest.Start(t, key))
		d.issuer.Describe(what, value)
		d.postpones(d.issuer.Token(key, nil))
	}
}

func TestWeakKeyOfTheIssuer(t *testing.T) {
	t.Parallel()
	weak := weakKey(t)
	d := newDesk(t, oidctest.Start(t, weak))
	d.refuses(d.issuer.Token(weak, nil), "does not publish")
}
