package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrecedence: which server is spoken to, and with which token. The servers are A and B and, in kayra.yaml, C; the token
// says who has been sent it.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	servers := map[string]string{}
	for _, name := range []string{"A", "B", "C"} {
		servers[name] = authority(t).URL
	}
	const (
		stored    = "contexts: [{name: a, server: 'A', token: of-a}, {name: b, server: 'B', token: of-b}, {name: spent, server: 'B'}]\n"
		currentA  = "current: a\n" + stored
		file      = "client: {server: 'C', token: of-file}\n"
		fileToken = "client: {token: of-file}\n"
		env       = "KAYRA_CLIENT_SERVER=B"
		envToken  = "KAYRA_CLIENT_TOKEN=of-env"
		inContext = "KAYRA_CONTEXT=b"
	)
	for name, c := range map[string]struct {
		stored, file, args, env string
		server, user            string
	}{
		"the current context":                      {currentA, "", "", "", "A", "of-a"},
		"kayra.yaml before the current context":    {currentA, file, "", "", "C", "of-file"},
		"$KAYRA_CONTEXT before kayra.yaml":         {currentA, file, "", inContext, "B", "of-b"},
		"the variable before $KAYRA_CONTEXT":       {currentA, file, "", "KAYRA_CONTEXT=a " + env, "B", "of-file"},
		"--context before the variable":            {currentA, file, "--context a", env, "A", "of-a"},
		"--server before --context":                {currentA, file, "--server B --context a", "", "B", "of-b"},
		"the context of --server":                  {currentA, "", "--server B/", "", "B", "of-b"},
		"the context of the variable":              {currentA, "", "", env, "B", "of-b"},
		"the context of kayra.yaml":                {currentA, "client: {server: 'B'}\n", "", "", "B", "of-b"},
		"a context before kayra.yaml for --server": {currentA, fileToken, "--server B", "", "B", "of-b"},
		"kayra.yaml for another --server":          {currentA, fileToken, "--server C", "", "C", "of-file"},
		"no context for another server":            {currentA, "", "--server C", "", "C", ""},
		"no kayra.yaml for the current context":    {currentA, fileToken, "", "", "A", "of-a"},
		"no kayra.yaml for a context":              {currentA, file, "--context spent", "", "B", ""},
		"no kayra.yaml for $KAYRA_CONTEXT":         {currentA, file, "", "KAYRA_CONTEXT=spent", "B", ""},
		"no token of another --context":            {currentA, "", "--server C --context a", "", "C", ""},
		"--context for its --server":               {currentA, file, "--server B --context b", envToken, "B", "of-b"},
		"--token-file before all":                  {currentA, file, "--context a --token-file -", envToken, "A", "of-stdin"},
		"--context before the token variable":      {currentA, file, "--context b", envToken, "B", "of-b"},
		"the token variable for a spent --context": {currentA, file, "--context spent", envToken, "B", "of-env"},
		"the token variable before $KAYRA_CONTEXT": {currentA, file, "", inContext + " " + envToken, "B", "of-env"},
		"the token variable before the current":    {currentA, "", "", envToken, "A", "of-env"},
		"the token variable before kayra.yaml":     {currentA, file, "", envToken, "C", "of-env"},
		"kayra.yaml where the variable decides":    {currentA, file, "", env, "B", "of-file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := strings.NewReplacer("'A'", servers["A"], "'B'", servers["B"], "'C'", servers["C"])
			word := strings.NewReplacer("--server A", "--server "+servers["A"], "--server B", "--server "+servers["B"],
				"--server C", "--server "+servers["C"], "SERVER=B", "SERVER="+servers["B"])
			h := newHome(t)
			h.store(t, url.Replace(c.stored))
			config := filepath.Join(t.TempDir(), "kayra.yaml")
			if err := os.WriteFile(config, []byte(url.Replace(c.file)), 0o600); err != nil {
				t.Fatal(err)
			}
			got := h.run(t, "of-stdin", word.Replace("whoami -o json --config "+config+" "+c.args), strings.Fields(word.Replace(c.env))...)
			if c.user == "" {
				if got.code != 3 || !strings.Contains(got.err, "kayra: there is no token for ") && !strings.Contains(got.err, `"status":401`) {
					t.Errorf("a token was sent: %+v", got)
				}
				return
			}
			var who struct{ User, Server string }
			if warned := name == "no token of another --context" || name == "--server before --context"; (got.err != "") != warned {
				t.Errorf("told %q", got.err)
			}
			if err := json.Unmarshal([]byte(got.out), &who); err != nil || who.User != c.user || strings.TrimSuffix(who.Server, "/") != servers[c.server] {
				t.Errorf("got %+v of %+v, want %s at %s %s", who, got, c.user, c.server, servers[c.server])
			}
		})
	}
}

func TestUnknownContexts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for want, line := range map[string][]string{
		"`kayra login --server URL` makes one": {"", "whoami --context prod"},
		`there is no context "prdo", which flag --context names` + "\nhint: did you mean prod? there are local, prod\n": {
			"contexts: [{name: prod, server: 'http://p'}, {name: local, server: 'http://l'}]", "get catalog namespaces --context prdo",
		},
		"which env KAYRA_CONTEXT names":        {"", "apis", "KAYRA_CONTEXT=prod"},
		"which current context names":          {"current: gone", "apis"},
		"which flag --context names":           {"", "apis --server http://127.0.0.1:1 --context prod"},
		"hint: there is a\n":                   {"contexts: [{name: a, server: 'http://p'}]", "context use quite-another"},
		"the form is rename NAME NEW":          {"", "context rename a"},
		`"x\u202ey" is no name for a context`:  {"contexts: [{name: a, server: 'http://p'}]", "context rename a x\u202ey"},
		"there is no current context":          {"", "logout"},
		"KAYRA_CONTEXT names\nhint: there is ": {"contexts: [{name: a, server: 'http://p'}]", "logout", "KAYRA_CONTEXT=prod"},
	} {
		h.store(t, line[0])
		got := h.run(t, "", line[1], line[2:]...)
		if got.code != 2 || !strings.Contains(got.err, want) {
			t.Errorf("%s: got %d %q, want %q", line[1], got.code, got.err, want)
		}
		if h.content(t) != line[0] {
			t.Errorf("%s: the file was changed", line[1])
		}
	}
}

// A file that cannot be understood is an error where it is needed, and nowhere else.
func TestABrokenFile(t *testing.T) {
	t.Parallel()
	const broken = "contexts:\n- name: a\n  token: hunter2\n"
	h, s := newHome(t), authority(t)
	h.store(t, broken)
	for _, line := range []string{
		"whoami", "whoami --context a", "whoami --server " + s.URL, "login --server " + s.URL, "context list", "context use a", "context delete a",
		"context rename a b", "logout",
	} {
		got := h.run(t, "of-stdin", line)
		if got.code == 0 || !strings.Contains(got.err, h.file) || !strings.Contains(got.err, "line 2: server is missing") || strings.Contains(got.err, "hunter2") {
			t.Errorf("%s: got %d %q", line, got.code, got.err)
		}
	}
	if h.content(t) != broken {
		t.Errorf("the file was changed: %s", h.content(t))
	}
	if got := h.run(t, "", "whoami -o name --server "+s.URL, "KAYRA_CLIENT_TOKEN=of-env"); got.code != 0 || got.out != "of-env\n" {
		t.Errorf("where it is not needed: %+v", got)
	}
}

// The token of a context goes to its server and its own gateway, and not to the one of whatever kayra.yaml is there.
func TestTheTokenAtTheGateway(t *testing.T) {
	t.Parallel()
	var sent string
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sent = r.Header.Get("Authorization"); sent == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = fmt.Fprint(w, `{}`)
	}))
	t.Cleanup(gateway.Close)
	s := authority(t)
	context := "current: c\ncontexts: [{name: c, server: '" + s.URL + "', token: of-c"
	elsewhere := "KAYRA_RECONCILER_GATEWAY_URL=" + gateway.URL
	for name, c := range map[string]struct{ context, args, want, hint string }{
		"of kayra.yaml":   {context + "}]", "", "", "hint: the token of " + s.URL + " (context c) is not sent to reconciler.gateway_url; `kayra login --gateway URL`"},
		"of the context":  {context + ", gateway_url: '" + gateway.URL + "'}]", "", "Bearer of-c", ""},
		"a token given":   {context + "}]", " --token-file -", "Bearer of-stdin", ""},
		"of --server":     {context + "}]", " --server " + s.URL, "", "is not sent to reconciler.gateway_url"},
		"own, --server":   {context + ", gateway_url: '" + gateway.URL + "'}]", " --server " + s.URL, "Bearer of-c", ""},
		"other --context": {context + "}]", " --context c", "", "is not sent to reconciler.gateway_url"},
	} {
		h := newHome(t)
		h.store(t, c.context)
		got := h.run(t, "of-stdin", "get compute -n sre machines x -o json"+c.args, elsewhere)
		var told struct{ Hint string }
		_ = json.Unmarshal([]byte(got.err), &told)
		if sent != c.want || !strings.Contains("hint: "+told.Hint, c.hint) {
			t.Errorf("%s: sent %q, want %q; %+v", name, sent, c.want, got)
		}
	}
}

// A refusal says where it came from, and what another token could come from.
func TestWhereItWas(t *testing.T) {
	t.Parallel()
	s := authority(t)
	h := newHome(t)
	h.store(t, "current: c\ncontexts: [{name: c, server: '"+s.URL+"', token: wrong}, {name: d, server: '"+s.URL+"', token: right}, {name: e, server: 'http://127.0.0.1:1'}]")
	for want, line := range map[string][]string{
		"hint: `kayra login --context c` stores another token\n":                               {"apis"},
		"hint: the token was that of env KAYRA_CLIENT_TOKEN; give another one":                 {"apis", "KAYRA_CLIENT_TOKEN=wrong"},
		"hint: the token was that of context c; `kayra login` stores another one\n":            {"apis --server " + s.URL},
		"hint: log in with `kayra login`; --token-file":                                        {"apis --context e --server " + s.URL + "/base"},
		"kayra: no: DELETE\nhint: this was " + s.URL + " (context d)\n":                        {"delete catalog namespaces a --context d"},
		"hint: it is the server of context e; `kayra context list` has the others":             {"apis --context e"},
		"hint: --server, --context, KAYRA_CLIENT_SERVER or client.server in kayra.yaml say wh": {"apis --server http://127.0.0.1:1"},
	} {
		if got := h.run(t, "", line[0], line[1:]...); got.code == 0 || !strings.Contains(got.err, want) {
			t.Errorf("%s: got %+v, want %q", line[0], got, want)
		}
	}
}
