package auth_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kayra/server/auth"
	"kayra/server/auth/oidctest"
)

func TestTokenOfTheIssuer(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []jose.SignatureAlgorithm{jose.RS256, jose.RS512, jose.PS256, jose.ES256, jose.ES384, jose.EdDSA} {
		t.Run(string(algorithm), func(t *testing.T) {
			t.Parallel()
			key := oidctest.NewKey(t, "k1", algorithm)
			d := newDesk(t, oidctest.Start(t, key))
			who := d.admits(d.issuer.Token(key, nil))
			if !slices.Equal(who.Groups, []string{"tenants", "ops"}) {
				t.Errorf("groups %v", who.Groups)
			}
			bare := *key
			bare.Bare, bare.Nameless = true, true
			d.issuer.Publish(&bare)
			d.clock.advance(auth.FetchPause)
			d.admits(d.issuer.Token(&bare, nil))
		})
	}
}

func TestIssuerBehindItsOwnCA(t *testing.T) {
	t.Parallel()
	key := ec(t, "k1")
	issuer := oidctest.StartTLS(t, key)
	token := issuer.Token(key, nil)
	newDesk(t, issuer).postpones(token)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(issuer.CA())
	var broken error
	trusting := func(o *auth.OIDCOptions) { o.Roots = func() (*x509.CertPool, error) { return roots, broken } }
	d := newDesk(t, issuer, trusting)
	d.admits(token)
	broken = errors.New("a file that is gone")
	d = newDesk(t, issuer, trusting)
	d.postpones(token)
	broken = nil
	d.clock.advance(auth.FetchPause)
	d.admits(token)
	plain := oidctest.Start(t, key)
	issuer.Describe("jwks_uri", plain.URL+"/keys")
	d = newDesk(t, issuer, trusting)
	d.postpones(token)
	issuer.Answer(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL+r.URL.Path, http.StatusFound)
	})
	d.clock.advance(auth.FetchPause)
	d.postpones(token)
	if n, m := plain.Requests(); n+m != 0 || !strings.Contains(d.log.String(), "jwks_uri is not") || !strings.Contains(d.log.String(), "redirect") {
		t.Errorf("%d requests over plain HTTP; %s", n+m, d.log)
	}
}

func TestRefusedClaims(t *testing.T) {
	t.Parallel()
	key := ec(t, "k1")
	d := newDesk(t, oidctest.Start(t, key))
	type c = map[string]any
	at := func(ahead time.Duration) int64 { return d.clock.now().Add(ahead).Unix() }
	for _, r := range []struct {
		change c
		reason string
	}{
		{c{"exp": at(-time.Minute)}, "the token expired at " + time.Unix(at(-time.Minute), 0).UTC().Format(time.RFC3339)},
		{c{"exp": at(-32 * time.Second)}, "the token expired at"},
		{c{"exp": nil}, "no expiry time"},
		{c{"exp": "soon"}, "not a time"},
		{c{"exp": -1}, "not a time"},
		{c{"exp": 1e300}, "not a time"},
		{c{"exp": json.RawMessage("null")}, "not a time"},
		{c{"nbf": at(time.Minute)}, "not valid yet"},
		{c{"nbf": at(40 * time.Second)}, "not valid yet"},
		{c{"nbf": "now"}, "not valid yet"},
		{c{"iat": at(time.Minute)}, "issued in the future"},
		{c{"iat": c{}}, "issued in the future"},
		{c{"iss": d.issuer.URL + "/"}, "issuer"},
		{c{"iss": nil}, "issuer"},
		{c{"iss": c{}}, "issuer"},
		{c{"aud": "grafana"}, `another audience than "kayra"`},
		{c{"aud": []string{"grafana", "kayra2"}}, "audience"},
		{c{"aud": nil}, "audience"},
		{c{"aud": []any{"kayra", 7}}, "audience"},
		{c{"aud": []any{"kayra", nil}}, "audience"},
		{c{"aud": []string{}}, "audience"},
		{c{"EXP": at(time.Hour)}, "another case"},
		{c{"ſub": "root"}, "another case"},
		{c{"Aud": "kayra"}, "another case"},
		{c{"sub": nil}, `"sub"`},
		{c{"sub": ""}, "empty"},
		{c{"sub": "  "}, "empty"},
		{c{"sub": 7}, "not a text"},
		{c{"sub": []string{"ann"}}, "not a text"},
		{c{"sub": json.RawMessage("null")}, "missing"},
		{c{"sub": strings.Repeat("a", 257)}, "256"},
		{c{"sub": "ann\nroot"}, "cannot be shown"},
		{c{"sub": "ann\u202eroot"}, "cannot be shown"},
		{c{"sub": json.RawMessage(`"\ud800"`)}, "cannot be shown"},
		{c{"groups": 7}, "neither a text nor a list"},
		{c{"groups": []any{"a", 7}}, "neither"},
		{c{"groups": []any{"a", nil}}, "neither"},
		{c{"groups": []any{[]string{"a"}}}, "neither"},
		{c{"groups": c{"a": true}}, "neither"},
		{c{"groups": ""}, "empty"},
		{c{"groups": []string{"a", ""}}, "empty"},
		{c{"groups": []string{"a\x00"}}, "cannot be shown"},
		{c{"groups": []string{strings.Repeat("a", 257)}}, "256"},
		{c{"groups": slices.Repeat([]string{"a"}, 501)}, "501 groups"},
		{c{"_claim_names": c{"x": "y"}}, "not those of a valid token"},
	} {
		d.refuses(d.issuer.Token(key, r.change), r.reason)
	}
	for _, change := range []c{
		{"exp": at(-20 * time.Second)},
		{"nbf": at(20 * time.Second)},
		{"iat": at(20 * time.Second)},
		{"nbf": nil, "iat": nil},
		{"exp": float64(at(time.Hour)) + 0.5},
		{"aud": []string{"grafana", "kayra"}},
		{"email_verified": false},
		{"other": strings.Repeat("x", 9000)},
	} {
		d.admits(d.issuer.Token(key, change))
	}
	for groups, want := range map[string][]string{
		`null`: nil, `[]`: nil, `"ops"`: {"ops"}, `["ops"]`: {"ops"}, `["ops","Ünits / R&D"]`: {"ops", "Ünits / R&D"},
	} {
		if who := d.admits(d.issuer.Token(key, c{"groups": json.RawMessage(groups)})); !slices.Equal(who.Groups, want) {
			t.Errorf("%s: %q", groups, who.Groups)
		}
	}
	if who := d.admits(d.issuer.Token(key, c{"groups": nil})); len(who.Groups) != 0 {
		t.Errorf("no claim: %q", who.Groups)
	}
}

func TestOtherClaims(t *testing.T) {
	t.Parallel()
	key := ec(t, "k1")
	d := newDesk(t, oidctest.Start(t, key), func(o *auth.OIDCOptions) { o.UserClaim, o.GroupsClaim = "email", "roles" })
	type c = map[string]any
	for _, r := range []struct {
		change c
		reason string
	}{
		{c{}, `"email"`},
		{c{"email": "a@example.com", "email_verified": false}, "not verified"},
		{c{"email": "a@example.com", "email_verified": "false"}, "not verified"},
		{c{"email": "a@example.com", "email_verified": json.RawMessage("null")}, "not verified"},
		{c{"email": "a@example.com", "Email_Verified": true}, "another case"},
		{c{"email": "a@example.com", "roles": 1}, `"roles"`},
	} {
		d.refuses(d.issuer.Token(key, r.change), r.reason)
	}
	for _, verified := range []any{true, nil} {
		who, err := d.Authenticate(t.Context(), d.issuer.Token(key, c{"email": "a@example.com", "email_verified": verified, "roles": []string{"r"}}))
		if err != nil || who.User != "a@example.com" || !slices.Equal(who.Groups, []string{"r"}) {
			t.Errorf("%+v, %v", who, err)
		}
	}
}

// What nobody but the issuer can sign is all that is accepted.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	rsaKey, other := oidctest.NewKey(t, "k1", jose.RS256), oidctest.NewKey(t, "k1", jose.RS256)
	d := newDesk(t, oidctest.Start(t, rsaKey))
	good := d.issuer.Token(rsaKey, nil)
	d.admits(good)
	payload, err := json.Marshal(d.issuer.Claims(nil))
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(rsaKey.Private.Public())
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	parts := strings.Split(good, ".")
	unsigned := func(header string) string { return encode([]byte(header)) + "." + encode(payload) + "." }
	for _, f := range []struct{ token, reason string }{
		{d.issuer.Token(other, nil), "signature is wrong"},
		{oidctest.Sign(t, jose.HS256, jose.JSONWebKey{Key: der, KeyID: "k1"}, payload), "never accepted"},
		{oidctest.Sign(t, jose.HS512, []byte(strings.Repeat("k", 64)), payload), "never accepted"},
		{unsigned(`{"alg":"none"}`), "never accepted"},
		{unsigned(`{"alg":"none","kid":"k1"}`) + parts[2], "never accepted"},
		{unsigned(`{"alg":"NONE"}`), "never accepted"},
		{unsigned(`{}`), "never accepted"},
		{unsigned(`{"alg":"RS256","kid":"k1"}`), "signature is wrong"},
		{oidctest.Sign(t, jose.RS384, jose.JSONWebKey{Key: rsaKey.Private, KeyID: "k1"}, payload), "does not publish"}, // alg of the key is RS256
		{parts[0] + "." + encode([]byte(strings.Replace(string(payload), "ann", "bob", 1))) + "." + parts[2], "signature is wrong"},
		{parts[0] + ".." + parts[2], "not"},
		{"..", "never accepted"},
		{"a.b.c", "not a JWT"},
		{good + ".", "not a JWT"},
		{good + "\n", "not a JWT"},
		{" " + good, "not a JWT"},
		{`{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, "not a JWT"},
		{rsaKey.Sign(t, []string{"ann"}), "issuer"},
		{strings.Repeat("a", 6000) + "." + strings.Repeat("b", 6000) + "." + strings.Repeat("c", 6000), "longer than 16384"},
		{d.issuer.Token(rsaKey, map[string]any{"x": strings.Repeat("x", 16<<10)}), "longer than 16384"},
	} {
		d.refuses(f.token, f.reason)
	}
	d.admits(good)
}

// The algorithms are those of the discovery document, and RS256 where that lists none that is accepted.
func TestAlgorithmsOfTheIssuer(t *testing.T) {
	t.Parallel()
	one, two := ec(t, "k1"), oidctest.NewKey(t, "k2", jose.RS256)
	issuer := oidctest.Start(t, one, two)
	for _, c := range []struct {
		listed   any
		good, no *oidctest.Key
	}{
		{[]string{"ES256"}, one, two}, {[]string{"RS256", "none"}, two, one}, {[]string{"HS256", "none"}, two, one}, {nil, two, one},
	} {
		issuer.Describe("id_token_signing_alg_values_supported", c.listed)
		d := newDesk(t, issuer)
		d.admits(issuer.Token(c.good, nil))
		d.refuses(issuer.Token(c.no, nil), "does not publish")
	}
}

func TestIssuersThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, issuer := range []string{"", "login.example.com", "ldap://a", "https://", "https://u:p@a", "https://a?b", "https://a?", "https://a#b", "/a", "https://a b"} {
		if _, err := auth.NewOIDC(auth.OIDCOptions{Issuer: issuer, Audience: "kayra"}); err == nil {
			t.Errorf("%q: accepted", issuer)
		}
	}
	if _, err := auth.NewOIDC(auth.OIDCOptions{Issuer: "https://a"}); err == nil {
		t.Error("accepted without an audience")
	}
}

func TestAWarningOfPlainHTTP(t *testing.T) {
	t.Parallel()
	for issuer, want := range map[string]bool{
		"http://login.example.com": true, "http://10.0.0.1:80": true, "https://login.example.com": false, "http://localhost:1": false,
		"http://127.0.0.2": false, "http://[::1]:80": false, "http://localhost.example.com": true,
	} {
		d := newDesk(t, &oidctest.Issuer{URL: issuer})
		if got := strings.Contains(d.log.String(), "plain HTTP"); got != want {
			t.Errorf("%s: %t", issuer, got)
		}
	}
}
