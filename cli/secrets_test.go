package cli_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kayra/server/auth/oidctest"
	"kayra/store/etcd/etcdtest"
	"kayra/tlsfiles/tlstest"
)

// TestNoSecretShows plants a secret of its own in every place that can hold one, has everything go wrong that can, and
// then looks for each of them in every log, answer, metric, error and screen, and in the store itself.
func TestNoSecretShows(t *testing.T) {
	t.Parallel()
	formats := []string{"text", "json"}
	if etcdtest.Racing {
		formats = formats[:1]
	}
	for _, format := range formats {
		t.Run("local, logs in "+format, func(t *testing.T) {
			t.Parallel()
			f := newFortress(t)
			f.build(fmt.Sprintf("{backend: local, local: {path: %q}}", filepath.Join(f.dir, "kayra.db")))
			f.siege(format)
			if format == "text" && !etcdtest.Racing { // it is about no log, and one after another
				f.misconfigure()
			}
			for _, suffix := range []string{"", "-wal"} {
				content, err := os.ReadFile(filepath.Join(f.dir, "kayra.db"+suffix))
				if err != nil && suffix == "" {
					t.Fatal(err)
				}
				f.search(t, "the store's file", string(content))
			}
		})
	}
}

// On etcd, with all that keeps a network out, there are more: a password, private keys, and the tokens of an issuer.
func TestNoSecretShowsBehindTLS(t *testing.T) {
	t.Parallel()
	if etcdtest.Racing {
		t.Skip("one request after another is made")
	}
	f := newFortress(t)
	ca := tlstest.New(t, "ca")
	server := etcdtest.Start(t, etcdtest.Guarded(ca))
	pair := ca.Issue(tlstest.Leaf{Name: "kayra's"})
	cert, key := pair.Write(t, f.dir, "pair")
	roots := tlstest.Write(t, f.dir, "ca.pem", ca.PEM())
	f.note("private key", strings.Split(string(pair.Key), "\n")[1])
	f.note("password of etcd", etcdtest.Password)
	f.tls = fmt.Sprintf("cert_file: %q, key_file: %q, client_ca_file: %q", cert, key, roots)
	f.reconcilerTLS, f.clientTLS = f.tls, fmt.Sprintf("ca_file: %q, cert_file: %q, key_file: %q", roots, cert, key)
	f.trust = &tls.Config{RootCAs: ca.Pool(), Certificates: []tls.Certificate{ca.Certificate(tlstest.Leaf{})}, MinVersion: tls.VersionTLS12}
	f.issue()
	prefix := server.Prefix(t)
	f.build(fmt.Sprintf("{backend: etcd, etcd: {endpoints: [%q], prefix: %q, username: %s, password_file: %q, %s}}", server.Endpoints()[0], prefix,
		etcdtest.User, tlstest.Write(t, f.dir, "password", []byte(etcdtest.Password)), f.clientTLS))
	f.siege("json")
	for key, value := range server.Dump(t, prefix) {
		f.search(t, "etcd's key "+key, value)
	}
}

// issue has an issuer of tokens, and tokens that are good and bad in all ways.
func (f *fortress) issue() {
	signer, other := oidctest.NewKey(f.t, "k", jose.ES256), oidctest.NewKey(f.t, "other", jose.RS256)
	issuer := oidctest.Start(f.t, signer)
	f.oidc = fmt.Sprintf("issuer: %q, audience: %q", issuer.URL, oidctest.Audience)
	good := issuer.Token(signer, nil)
	header, rest, _ := strings.Cut(good, ".")
	f.jwts = map[string]string{
		"good": good, "late": issuer.Token(signer, map[string]any{"exp": 1}), "foreign": issuer.Token(other, nil),
		"for others": issuer.Token(signer, map[string]any{"aud": f.plant("audience of a token")}),
		"of others":  issuer.Token(signer, map[string]any{"iss": "https://u:" + f.plant("issuer of a token") + "@127.0.0.1"}),
		"forged":     header + "." + rest[:len(rest)-20] + "AAAAAAAAAAAAAAAAAAAA", "cut": good[:len(good)-30],
		"strange": issuer.Token(signer, map[string]any{"groups": map[string]any{"x": f.plant("claim of a token")}}),
	}
	for name, token := range f.jwts {
		for i, part := range strings.Split(token, ".")[1:] {
			f.note(fmt.Sprintf("part %d of the token that is %s", i+1, name), part[:min(len(part), 40)])
		}
	}
}

func newFortress(t *testing.T) *fortress {
	t.Helper()
	f := &fortress{t: t, dir: t.TempDir(), plants: &plants{}}
	f.config = filepath.Join(f.dir, "kayra.yaml")
	f.app = newHostileApp(t, f.plants)
	return f
}

// siege runs the deployment until everything has happened, and searches all that it says.
func (f *fortress) siege(logs string) {
	serve := f.start(logs, "serve")
	reconciler := f.start(logs, "reconciler")
	f.env = append(f.env, "KAYRA_CLIENT_SERVER="+serve.address)
	f.populate(serve.address)
	f.tell(serve.address)
	f.read(serve.address, reconciler.address)
	f.knock(serve.address)
	f.look()
	reconciler.end()
	serve.end()
	f.search(f.t, "the server's log", serve.log.String())
	f.search(f.t, "the reconciler's log", reconciler.log.String())
	audit, err := os.ReadFile(filepath.Join(f.dir, "audit.log"))
	if err != nil || len(audit) == 0 {
		f.t.Errorf("no audit: %v", err)
	}
	f.search(f.t, "the audit", string(audit))
	for _, path := range []string{"/login", "/echo", "/redirect", "/status", "/malformed", "/notify", "/apis/moved.example.com"} {
		if f.app.requests(path) == 0 {
			f.t.Errorf("nothing was ever sent to %s, so nothing was proved of it", path)
		}
	}
	f.t.Logf("%d places: %s", len(f.places()), strings.Join(f.places(), "; "))
}

// populate registers an API for each way to fail, subscribes to it, and waits until it has failed.
func (f *fortress) populate(server string) {
	catalog := server + "/apis/catalog.example.com/v1"
	f.want(http.StatusCreated, "POST", catalog+"/namespaces", `{"name": "sre"}`)
	names := documents()
	for mode := range f.modes() {
		if !slices.Contains(names, mode) {
			names = append(names, mode)
		}
	}
	for _, name := range names {
		f.want(http.StatusCreated, "POST", catalog+"/apiregistrations", fmt.Sprintf(
			`{"name": "%s.example.com", "mode": %q, "owner": "told", "operator": {"failure_threshold": 1}}`, name, name))
		f.want(http.StatusCreated, "POST", catalog+"/namespaces/sre/subscriptions", fmt.Sprintf(`{"api": "%s.example.com"}`, name))
	}
	for _, name := range names {
		var last string
		f.until("an outcome of "+name+", not "+last, func() bool {
			last = f.want(http.StatusOK, "GET", catalog+"/namespaces/sre/subscriptions/"+name+".example.com", "")
			var sub struct{ State string }
			return json.Unmarshal([]byte(last), &sub) == nil && sub.State == map[bool]string{true: "success", false: "error"}[name == "fine"]
		})
	}
	f.until("a reconciler to tell of that, in all ways", func() bool { return f.app.requests("/notify") >= len(names)-1 })
}

// read reads all that the two processes answer.
func (f *fortress) read(server, reconciler string) {
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(f.want(http.StatusOK, "GET", server+"/-/openapi.json", "")), &doc); err != nil {
		f.t.Fatal(err)
	}
	for path := range doc.Paths {
		for mode := range f.modes() {
			name := mode + ".example.com"
			at := strings.NewReplacer("{ns}", "sre", "{name}", name, "{api}", name).Replace(path)
			for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "POST"} {
				f.ask(method, server+at, `{"name": 1}`, f.root)
			}
		}
	}
	for _, path := range []string{"/-/healthz", "/-/readyz", "/-/metrics", "/"} {
		f.ask("GET", reconciler+path, "", f.root)
	}
	f.inspect(reconciler)
}

// inspect reads all that a reconciler tells those who may ask, after everything has failed.
func (f *fortress) inspect(reconciler string) {
	f.want(http.StatusServiceUnavailable, "GET", reconciler+"/katalog", "") // since nearly all are degraded
	for _, path := range []string{"/raw", "/enriched"} {
		f.want(http.StatusOK, "GET", reconciler+"/katalog"+path, "")
	}
	for mode := range f.modes() {
		at := reconciler + "/katalog/" + mode + ".example.com"
		f.ask("GET", at+"/health", "", f.root)
		for _, path := range []string{"", "/raw", "/enriched", "/cr", "/cr/sre", "/cr/sre/events"} {
			f.want(http.StatusOK, "GET", at+path, "")
		}
		for _, token := range []string{"", f.at["token in the environment"], f.plant("token at a reconciler"), f.jwts["late"], f.jwts["strange"]} {
			if status, _ := f.ask("GET", at, "", token); status != http.StatusUnauthorized && status != http.StatusForbidden {
				f.t.Errorf("%s: %d", at, status)
			}
		}
	}
}

// knock tries all tokens, and what looks like one.
func (f *fortress) knock(server string) {
	for _, place := range []string{"token in the environment", "token in a file of its own"} {
		if status, _ := f.ask("GET", server+"/apis", "", f.at[place]); status != http.StatusOK {
			f.t.Errorf("%s: %d", place, status)
		}
		f.ask("POST", server+"/apis/catalog.example.com/v1/apiregistrations", `{"name": "x.example.com"}`, f.at[place])
	}
	for name, token := range f.jwts {
		want := map[bool]int{true: http.StatusOK, false: http.StatusUnauthorized}[name == "good"]
		if status, text := f.ask("GET", server+"/apis", "", token); status != want {
			f.t.Errorf("the token that is %s: %d, want %d; %s", name, status, want, text)
		}
		f.ask("POST", server+"/apis/catalog.example.com/v1/namespaces", `{"name": "x"}`, token)
	}
	wrong := f.plant("wrong token")
	for _, token := range []string{wrong, "e30." + wrong + "." + wrong, wrong + "\t" + wrong, strings.Repeat(wrong, 100)} {
		if status, _ := f.ask("GET", server+"/apis", "", token); status != http.StatusUnauthorized {
			f.t.Errorf("a wrong token: %d", status)
		}
	}
	f.ask("GET", server+"/apis?token="+f.plant("query of a caller"), "", f.root)
}

// look runs the command line, in every format.
func (f *fortress) look() {
	for _, line := range []string{
		"config view", "apis", "get catalog subscriptions -A", "get catalog apiregistrations", "get catalog namespaces", "get catalog reconcilers",
		"get catalog -n sre subscriptions places.example.com", "get catalog apiregistrations outputs.example.com/status",
		"get places.example.com machines", "why outputs.example.com -n sre", "why places.example.com -n sre", "update catalog apiregistrations none.example.com/sync -d {}",
		"create catalog namespaces -d {", "get catalog namespaces --server http://127.0.0.1:1", "serve --log-level loud",
	} {
		for _, format := range []string{"table", "wide", "json", "yaml", "name"} {
			args := append([]string{"kayra"}, strings.Fields(line)...)
			if slices.Contains([]string{"get", "apis", "update", "create", "why"}, args[1]) {
				args = append(args, "-o", format)
			}
			got := run(f.t, f.env, "", args...)
			f.search(f.t, line, got.out+got.err)
		}
	}
	f.logIn()
}

// logIn stores a token, and uses it. At a terminal it is typed, and must not be echoed.
func (f *fortress) logIn() {
	token, wrong := f.at["token that logs in"], f.plant("token that is no good")
	env := append(slices.Clone(f.env), "XDG_CONFIG_HOME="+f.dir, "KAYRA_CONFIG="+filepath.Join(f.dir, "none.yaml"))
	if err := os.WriteFile(filepath.Join(f.dir, "none.yaml"), []byte("platform: x\nclient: {"+f.clientTLS+"}\n"), 0o600); err != nil {
		f.t.Fatal(err)
	}
	for _, step := range []struct {
		in, line string
		code     int
	}{
		{wrong + "\n", "login", 3},
		{token + "\n", "login --context prod", 0},
		{"", "whoami -o json", 0},
		{"", "context list -o yaml", 0},
		{"", "config view", 0},
		{"", "check -n sre fine.example.com machines get --as ann", 3},
		{"", "context rename prod " + "live", 0},
		{"", "get catalog namespaces -o yaml", 0},
		{"", "logout", 0},
		{"", "get catalog namespaces", 3},
	} {
		got := run(f.t, env, step.in, append([]string{"kayra"}, strings.Fields(step.line)...)...)
		if got.code != step.code {
			f.t.Errorf("%s: %d, want %d; %s", step.line, got.code, step.code, got.err)
		}
		f.search(f.t, step.line, got.out+got.err)
	}
	s := sit(f.t, env, "login", "--context", "live")
	s.await(f.t, "token for ")
	if _, err := s.keys.WriteString(token + "\r"); err != nil {
		f.t.Fatal(err)
	}
	s.await(f.t, "logged in")
	if code := s.code(); code != 0 {
		f.t.Errorf("login at a terminal: %d", code)
	}
	f.search(f.t, "the screen of a login", s.screen())
	s = sit(f.t, env, "get", "catalog", "subscriptions", "-A", "-o", "wide")
	s.await(f.t, "outputs.example.com")
	if code := s.code(); code != 0 {
		f.t.Errorf("a table at a terminal: %d", code)
	}
	f.search(f.t, "the screen of a table", s.screen())
}

// misconfigure has the configuration refused in many ways, each about a line that holds secrets.
func (f *fortress) misconfigure() {
	content, err := os.ReadFile(f.config)
	if err != nil {
		f.t.Fatal(err)
	}
	for i, line := range strings.Split(string(content), "\n") {
		for _, spoilt := range []string{line + " {{", strings.Replace(line, ": ", ": [", 1), strings.Replace(line, `"`, "", 1), strings.Replace(line, "{env:", "{envy:", 1), "\t" + line} {
			lines := strings.Split(string(content), "\n")
			lines[i] = spoilt
			path := filepath.Join(f.dir, "spoilt.yaml")
			if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
				f.t.Fatal(err)
			}
			got := run(f.t, f.env, "", "kayra", "config", "view", "--config", path)
			f.search(f.t, fmt.Sprintf("config view of line %d as %q", i, spoilt[:min(len(spoilt), 20)]), got.out+got.err)
		}
	}
}

func (f *fortress) want(status int, method, url, body string) string {
	f.t.Helper()
	got, text := f.ask(method, url, body, f.root)
	if got != status {
		f.t.Fatalf("%s %s: %d %s", method, url, got, text)
	}
	return text
}

// ask makes a request, and searches the answer.
func (f *fortress) ask(method, url, body, token string) (int, string) {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: f.trust}, Timeout: patience}
	res, err := client.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // only read from
	content, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	f.search(f.t, method+" "+url, fmt.Sprint(res.Header)+string(content))
	return res.StatusCode, string(content)
}

func (f *fortress) until(what string, done func() bool) {
	f.t.Helper()
	deadline := time.After(patience)
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	for !done() {
		select {
		case <-deadline:
			f.t.Fatalf("waited %s for %s in vain", patience, what)
		case <-pause.C:
		}
	}
}

// daemon is one of Kayra's processes.
type daemon struct {
	t       *testing.T
	cmd     *exec.Cmd
	log     *tape
	address string
}

func (f *fortress) start(logs, verb string) *daemon {
	f.t.Helper()
	d := &daemon{t: f.t, log: &tape{}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.t.Context()))
	d.cmd = exec.CommandContext(ctx, "kayra", verb, "--log-format", logs)
	d.cmd.Dir, d.cmd.Env, d.cmd.Stdout, d.cmd.Stderr = f.dir, f.env, d.log, d.log
	if err := d.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		cancel()
		_ = d.cmd.Wait() // has ended already, if all went well
	})
	said := regexp.MustCompile(`address"?[=:]"?(https?://[0-9.:]+)`)
	f.until(verb+" to listen", func() bool {
		found := said.FindStringSubmatch(d.log.String())
		if found != nil {
			d.address = found[1]
		}
		return found != nil
	})
	return d
}

// end asks the process to end, and waits.
func (d *daemon) end() {
	d.t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		d.t.Fatal(err)
	}
	if err := d.cmd.Wait(); err != nil {
		d.t.Errorf("%v: %v", d.cmd.Args, err)
	}
}

// tape keeps what is written to it.
type tape struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *tape) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.Write(b)
}

func (t *tape) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}
