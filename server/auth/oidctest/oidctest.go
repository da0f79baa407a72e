// Package oidctest runs an OpenID Connect issuer for tests, with keys of its own, over HTTP or HTTPS.
package oidctest

import (
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Audience is the audience of the tokens.
const Audience = "kayra"

// Issuer is an issuer. Its URL is the one that its tokens name.
type Issuer struct {
	URL string

	tb     testing.TB
	server *httptest.Server

	mu          sync.Mutex
	keys        []*Key
	discovery   map[string]any // over what the document has otherwise
	answer      http.HandlerFunc
	discoveries int
	keySets     int
}

// Start starts an issuer that publishes the keys.
func Start(tb testing.TB, keys ...*Key) *Issuer {
	tb.Helper()
	i := &Issuer{tb: tb}
	i.server = httptest.NewServer(http.HandlerFunc(i.serve))
	return i.started(keys)
}

// StartTLS starts an issuer that is reached over HTTPS only.
func StartTLS(tb testing.TB, keys ...*Key) *Issuer {
	tb.Helper()
	i := &Issuer{tb: tb}
	i.server = httptest.NewTLSServer(http.HandlerFunc(i.serve))
	return i.started(keys)
}

func (i *Issuer) started(keys []*Key) *Issuer {
	i.tb.Helper()
	i.tb.Cleanup(i.server.Close)
	i.URL = i.server.URL
	i.Publish(keys...)
	return i
}

// CA is the authority of an issuer that was started by StartTLS, in PEM.
func (i *Issuer) CA() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.server.Certificate().Raw})
}

// Publish has the key set hold these keys and no others.
func (i *Issuer) Publish(keys ...*Key) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = keys
}

// Describe puts a value into the discovery document.
func (i *Issuer) Describe(key string, value any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.discovery == nil {
		i.discovery = map[string]any{}
	}
	i.discovery[key] = value
}

// Answer has every request answered by the handler. nil: as an issuer does.
func (i *Issuer) Answer(h http.HandlerFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answer = h
}

// Cut answers nothing: it cuts the connection. It is for Answer.
func Cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Requests tells how often the discovery document and the key set were asked for.
func (i *Issuer) Requests() (discoveries, keySets int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.discoveries, i.keySets
}

func (i *Issuer) serve(w http.ResponseWriter, r *http.Request) {
	const discovery = "/.well-known/openid-configuration"
	i.mu.Lock()
	body, answer := i.keySet(), i.answer
	if r.URL.Path == discovery {
		i.discoveries++
		body = i.document()
	} else {
		i.keySets++
	}
	i.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func (i *Issuer) document() any {
	doc := map[string]any{
		"issuer": i.URL, "jwks_uri": i.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"none", "HS256", "RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"},
	}
	maps.Copy(doc, i.discovery)
	return doc
}

func (i *Issuer) keySet() any {
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for _, k := range i.keys {
		set.Keys = append(set.Keys, k.Public())
	}
	return set
}

// Claims are those of a token of ann's, of the groups tenants and ops, that is ten minutes old and has an hour to go. change is put over them; nil takes a claim away.
func (i *Issuer) Claims(change map[string]any) map[string]any {
	const age, life = 600, 3600 // seconds
	now := time.Now().Unix()
	c := map[string]any{
		"iss": i.URL, "aud": Audience, "sub": "ann", "groups": []string{"tenants", "ops"}, "iat": now - age, "nbf": now - age, "exp": now + life,
	}
	maps.Copy(c, change)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// Token is a token that the key has signed, with Claims.
func (i *Issuer) Token(k *Key, change map[string]any) string {
	i.tb.Helper()
	return k.Sign(i.tb, i.Claims(change))
}
