package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// operations are all that the server's own document describes: path, then method.
func (l *lab) operations() map[string]map[string]operation {
	l.t.Helper()
	var doc struct {
		Paths map[string]map[string]operation
	}
	l.must(json.Unmarshal(l.want(http.StatusOK, "GET", "/-/openapi.json", nil, "Authorization", "").raw, &doc))
	return doc.Paths
}

type operation struct {
	OperationID string           `json:"operationId"`
	Security    []map[string]any `json:"security"`
	RequestBody map[string]any   `json:"requestBody"`
}

// filler has a name for every wildcard; all of them are there in a lab's world.
func filler() *strings.Replacer {
	return strings.NewReplacer("{ns}", "sre", "{name}", compute, "{api}", compute, "{role}", "viewer", "{binding}", "viewers", "{file}", "page.js")
}

func TestGates(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world("sre")
	known := map[string]bool{"/apis": true, regs + "/{name}/openapi.json": true, access + "/check": true, access + "/whoami": true}
	fill := filler()
	for path, methods := range l.operations() {
		for method, op := range methods {
			method, at := strings.ToUpper(method), fill.Replace(path)
			if strings.HasPrefix(path, "/-/") {
				if len(op.Security) != 0 {
					t.Errorf("%s asks for a token", path)
				}
				l.want(http.StatusOK, method, at, nil, "Authorization", "")
				continue
			}
			for authorization, says := range challenges() {
				a := l.want(http.StatusUnauthorized, method, at, `{}`, "Authorization", authorization)
				if got := a.header["Www-Authenticate"]; len(got) != 1 || got[0] != says {
					t.Errorf("%q: WWW-Authenticate %q, want %q", authorization, got, says)
				}
			}
			a := l.call(method, at, `{}`, "Authorization", "Bearer "+annToken)
			if (a.status == http.StatusForbidden) == known[path] {
				t.Errorf("%s %s for ann: %d %s", method, path, a.status, a.raw)
			}
			if !known[path] && !strings.Contains(string(a.raw), "ann") {
				t.Errorf("%s %s does not say who may not: %s", method, path, a.raw)
			}
		}
	}
	if got := l.registration()["sync_id"]; got == "" {
		t.Error("no sync_id")
	}
}

// challenges are what a server says to an Authorization header that it takes nobody for.
func challenges() map[string]string {
	const (
		none  = `Bearer realm="kayra"`
		wrong = none + `, error="invalid_token", error_description="not authenticated: the token is not known: send one that this server accepts"`
		shape = none + `, error="invalid_token", error_description="not authenticated: what follows Bearer is not one token: ` +
			`a token has no spaces, and visible ASCII characters only: send one that this server accepts"`
	)
	return map[string]string{
		"": none, "Bearer ": none, "Bearer": none, "Basic cm9vdDpyb290LXRva2Vu": none, rootToken: none,
		"Bearer wrong": wrong, "Bearer " + rootToken + "x": wrong, "Bearer a.b.c": wrong,
		"Bearer " + rootToken + " x": shape, `Bearer "` + rootToken + `"`: wrong, "Bearer " + rootToken + ", Bearer x": shape,
	}
}

func TestSeveralAuthorizationHeaders(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, l.url+"/apis", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header["Authorization"] = []string{"Bearer " + rootToken, "Bearer " + rootToken}
	res, err := l.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := res.Header.Get("WWW-Authenticate"); res.StatusCode != http.StatusUnauthorized || !strings.Contains(got, "several Authorization headers") {
		t.Errorf("status %d, WWW-Authenticate %q", res.StatusCode, got)
	}
}

func TestBearerScheme(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.want(http.StatusOK, "GET", "/apis", nil, "Authorization", "bearer "+rootToken)
	l.want(http.StatusOK, "GET", "/apis", nil, "Authorization", "BEARER  "+rootToken)
}
