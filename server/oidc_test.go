package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kayra/server"
	"kayra/server/auth"
	"kayra/server/auth/oidctest"
)

func TestTokensOfAnIssuer(t *testing.T) {
	t.Parallel()
	key := oidctest.NewKey(t, "one", jose.ES256)
	issuer := oidctest.Start(t, key)
	var log bytes.Buffer
	debug := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})) // it locks for each line
	ahead := time.Duration(0)
	oidc, err := auth.NewOIDC(auth.OIDCOptions{
		Issuer: issuer.URL, Audience: oidctest.Audience, Timeout: time.Minute, Logger: debug, Now: func() time.Time { return time.Now().Add(ahead) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(oidc.Close)
	l := newLab(t, openLocal(t), func(o *server.Options) {
		o.Authenticator, o.Logger = auth.NewChain(tokens(t), oidc), debug
	})
	bearer := func(change map[string]any) string { return "Bearer " + issuer.Token(key, change) }
	ann, admin := bearer(nil), bearer(map[string]any{"groups": "sysadmin"})
	expired := bearer(map[string]any{"exp": 1_700_000_000})
	foreign := bearer(map[string]any{"iss": `https://"other"`})

	issuer.Answer(oidctest.Cut)
	for _, token := range []string{ann, expired} {
		a := l.want(http.StatusServiceUnavailable, "GET", "/apis", nil, "Authorization", token)
		if after, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || after != int(auth.FetchPause.Seconds()) {
			t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
		}
		if detail, _ := a.body["detail"].(string); !strings.Contains(detail, "issuer") || a.header.Get("WWW-Authenticate") != "" {
			t.Errorf("%v %s", a.header, a.raw)
		}
	}
	l.want(http.StatusOK, "GET", "/apis", nil)
	l.want(http.StatusUnauthorized, "GET", "/apis", nil, "Authorization", foreign)

	issuer.Answer(nil)
	ahead = auth.FetchPause
	l.want(http.StatusOK, "GET", "/apis", nil, "Authorization", ann)
	l.want(http.StatusForbidden, "GET", regs, nil, "Authorization", ann)
	l.want(http.StatusOK, "GET", regs, nil, "Authorization", admin)
	a := l.want(http.StatusUnauthorized, "GET", "/apis", nil, "Authorization", expired)
	want := `Bearer realm="kayra", error="invalid_token", ` +
		`error_description="not authenticated: the token expired at 2023-11-14T22:13:20Z: send one that this server accepts"`
	if got := a.header.Get("WWW-Authenticate"); got != want {
		t.Errorf("WWW-Authenticate %q", got)
	}
	a = l.want(http.StatusUnauthorized, "GET", "/apis", nil, "Authorization", foreign)
	if got := a.header.Get("WWW-Authenticate"); strings.Count(got, `"`) != 6 || !strings.Contains(got, "'"+issuer.URL+"'") {
		t.Errorf("WWW-Authenticate %q", got)
	}
	l.close()
	l.silent(log.String(), ann, admin, expired, foreign, rootToken)
	if !strings.Contains(log.String(), "cannot fetch the keys") || strings.Contains(log.String(), "request failed") {
		t.Errorf("log: %s", log.String())
	}
}

// silent insists that a log has requests in it, and no part of the tokens.
func (l *lab) silent(log string, tokens ...string) {
	l.t.Helper()
	if !strings.Contains(log, "msg=request") {
		l.t.Errorf("no request was logged: %s", log)
	}
	for _, token := range tokens {
		for part := range strings.SplitSeq(strings.TrimPrefix(token, "Bearer "), ".") {
			if strings.Contains(log, part) {
				l.t.Errorf("a part of a token is logged: %s", part)
			}
		}
	}
}
