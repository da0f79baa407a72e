package cli_test

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	a, b := authority(t), authority(t)
	h := newHome(t)
	host := strings.TrimPrefix(a.URL, "http://")
	for _, step := range []struct {
		line, in string
		want     result
	}{
		{"login --server " + a.URL + "/", "  hunter2\r\n", result{0, "logged in at " + a.URL + "/ as hunter2; context " + host + " is the current one\n", ""}},
		{"whoami", "", result{0, "USER GROUPS SYSADMIN SERVER CONTEXT\nhunter2 tenants,ops false " + a.URL + " " + host + "\n", ""}},
		{"login --server " + b.URL + " --context b", "bob", result{0, "logged in at " + b.URL + " as bob; context b is the current one\n", ""}},
		{"login --server " + a.URL + " --context b", "bob", result{5, "", `kayra: context "b" is for ` + b.URL + ", and this login is at " + a.URL + ": nothing was changed\nhint: name another one with --context, or `kayra context delete b` first\n"}},
		{"login --context " + host, "ann", result{0, "logged in at " + a.URL + " as ann; context " + host + " is the current one\n", ""}},
		{"login", "eve", result{0, "logged in at " + a.URL + " as eve; context " + host + " is the current one\n", ""}},
		{"whoami -o name --context b", "", result{0, "bob\n", ""}},
		{"login", "wrong", result{3, "", "kayra: nobody has this token: nothing was stored\nhint: this was " + a.URL + "\n"}},
		{"whoami -o name", "", result{0, "eve\n", ""}},
		{"login", "", result{2, "", "kayra: no token came from the standard input\nhint: pipe it in, or run `kayra login` at a terminal; see `kayra login --help`\n"}},
		{"login", "hunter2\nhunter3", result{2, "", "kayra: what came from the standard input is no token: a token has no spaces, and visible ASCII characters only\nhint: see `kayra login --help`\n"}},
		{"login --context c", "x", result{2, "", "kayra: there is no context \"c\"\nhint: for a new one say with --server where it is; did you mean b? there are " + host + ", b\n"}},
		{"login --server http://127.0.0.1:1 --context c", "x", result{6, "", "kayra: server is unreachable: http://127.0.0.1:1 (dial tcp 127.0.0.1:1: connect: connection refused): is it running, and is the URL right?: nothing was stored\n" +
			"hint: --server, --context, KAYRA_CLIENT_SERVER or client.server in kayra.yaml say where it is; `kayra serve` starts one\n"}},
		{"login --context -c --server " + a.URL, "x", result{2, "", "kayra: \"-c\" is no name for a context: use up to 260 letters, digits and marks, without spaces, and no dash in front\nhint: see `kayra login --help`\n"}},
		{"login --label a\u202eb", "x", result{2, "", "kayra: --label: \"a\\u202eb\" is no label for a context: use up to 20 letters, digits and marks, without spaces\nhint: see `kayra login --help`\n"}},
		{"login --gateway nowhere", "x", result{2, "", "kayra: --gateway is no URL of a server: use one such as https://kayra.example.com, without user, query and fragment\nhint: see `kayra login --help`\n"}},
		{"login eve-token", "x", result{2, "", "kayra: login takes no arguments, and \"eve-token\" is one\nhint: see `kayra login --help`\n"}},
		{"context list", "", result{0, "CURRENT  NAME             SERVER                  TOKEN\n*        " + host + "  " + a.URL + "  true\n        - b                " + b.URL + "  true\n", ""}},
		{"context list -o name", "", result{0, host + "\nb\n", ""}},
		{"logout", "", result{0, "logged out: the token of context " + host + " is forgotten\n", ""}},
		{"logout", "", result{0, "context " + host + " has no token\n", ""}},
		{"whoami", "", result{3, "", "kayra: there is no token for " + a.URL + " (context " + host + ")\nhint: log in with `kayra login`; --token-file, KAYRA_CLIENT_TOKEN and client.token in kayra.yaml give one, too\n"}},
		{"context rename b prod", "", result{0, "context b is called prod now\n", ""}},
		{"context rename prod " + host, "", result{5, "", "kayra: there is a context \"" + host + "\" already\nhint: take another name, or delete that one\n"}},
		{"context use prod", "", result{0, "context prod is the current one: " + b.URL + "\n", ""}},
		{"whoami -o yaml", "", result{0, "user: bob\ngroups:\n  - tenants\n  - ops\nsysadmin: false\nserver: " + b.URL + "\ncontext: prod\nserver_by: current context\ntoken_by: context prod\n", ""}},
		{"context delete prod", "", result{0, "context prod deleted\n", "context prod was the current one, and there is none now; `kayra context use NAME` chooses one\n"}},
		{"context delete " + host, "", result{0, "context " + host + " deleted\n", ""}},
		{"context list", "", result{0, "CURRENT NAME SERVER TOKEN\n", "there are no contexts; `kayra login` makes one\n"}},
	} {
		got := h.run(t, step.in, step.line)
		if step.line == "context list" || step.line == "whoami" { // the columns are as wide as the ports of the day
			got.out, step.want.out = squeeze(got.out), squeeze(step.want.out)
		}
		if got != step.want {
			t.Errorf("%s:\n got %+v\nwant %+v", step.line, got, step.want)
		}
	}
}

// A name that was mistyped does not become a context of whatever server kayra.yaml or the default names.
func TestANewNameNeedsAServer(t *testing.T) {
	t.Parallel()
	s := authority(t)
	config := filepath.Join(t.TempDir(), "kayra.yaml")
	if err := os.WriteFile(config, []byte("client: {server: '"+s.URL+"'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHome(t)
	for _, line := range []string{"login --context nosuch --config " + config, "login --context nosuch"} {
		got := h.run(t, "ann", line)
		want := "kayra: there is no context \"nosuch\"\nhint: for a new one say with --server where it is\n"
		if got.code != 2 || got.err != want || h.content(t) != "" {
			t.Errorf("%s: %+v", line, got)
		}
	}
	for _, line := range []string{"login --context new", "login --config " + config} {
		if got := h.run(t, "ann", line, "KAYRA_CLIENT_SERVER="+s.URL); got.code != 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if got := newHome(t).run(t, "ann", "login --config "+config); got.code != 0 || !strings.HasPrefix(got.out, "logged in at "+s.URL) {
		t.Errorf("without a name: %+v", got)
	}
}

func squeeze(table string) string {
	lines := strings.Split(table, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return strings.Join(lines, "\n")
}

// What a login has not stored, it has not left a trace of either.
func TestALoginThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	a := authority(t)
	old := answering(t, http.NotFound)
	for line, want := range map[string]int{
		"login --server " + a.URL: 3, "login --server http://127.0.0.1:1": 6, "login --server " + old.URL: 1, "login --server ftp://x": 2,
	} {
		h := newHome(t)
		got := h.run(t, "wrong", line)
		if got.code != want || got.out != "" || !strings.HasPrefix(got.err, "kayra: ") {
			t.Errorf("%s: %+v", line, got)
		}
		if _, err := os.Stat(filepath.Dir(h.file)); !os.IsNotExist(err) {
			t.Errorf("%s: left %v", line, err)
		}
	}
}

// What is stored beside the token, and what a login without it keeps.
func TestLoginStoresHowItWasReached(t *testing.T) {
	t.Parallel()
	s := authority(t)
	h := newHome(t)
	if got := h.run(t, "ann", "login --context c --gateway https://gateway.example.com --server "+s.URL); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	want := "current: c\ncontexts:\n  - name: c\n    server: " + s.URL + "\n    token: ann\n    gateway_url: https://gateway.example.com\n"
	if h.content(t) != want {
		t.Errorf("stored\n%s", h.content(t))
	}
	if got := h.run(t, "bob", "login"); got.code != 0 || h.content(t) != strings.Replace(want, "ann", "bob", 1) {
		t.Errorf("%+v, stored\n%s", got, h.content(t))
	}
	if got := h.run(t, "bob", "login --gateway= --label production --reconcilers"); got.code != 0 || strings.Contains(h.content(t), "gateway") {
		t.Errorf("%+v, stored\n%s", got, h.content(t))
	}
	want = "current: c\ncontexts:\n  - name: c\n    server: " + s.URL + "\n    token: bob\n    reconcilers: true\n    label: production\n"
	for _, line := range []string{"login", "login --context c"} {
		if got := h.run(t, "bob", line); got.code != 0 || h.content(t) != want {
			t.Errorf("%s: %+v, stored\n%s", line, got, h.content(t))
		}
	}
	if got := h.run(t, "bob", "login --label= --reconcilers=false"); got.code != 0 || strings.Contains(h.content(t), "label") || strings.Contains(h.content(t), "reconcilers") {
		t.Errorf("%+v, stored\n%s", got, h.content(t))
	}
}

// The authority that a server was found with stays with its context: through logging out and in again, and in every folder.
func TestACAFileStaysWithItsContext(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(authorize())
	t.Cleanup(s.Close)
	h := newHome(t)
	ca, other := filepath.Join(t.TempDir(), "ca.pem"), filepath.Join(t.TempDir(), "other.pem")
	content := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := errors.Join(os.WriteFile(ca, content, 0o600), os.WriteFile(other, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "kayra.yaml")
	if err := os.WriteFile(config, []byte("client: {ca_file: "+other+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(wd, ca)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		line, env string
		code      int
	}{
		{"login --server " + s.URL + " --context c", "", 6},
		{"login --server " + s.URL + " --context c --ca-file " + relative, "", 0},
		{"whoami", "", 0},
		{"whoami --config " + config, "", 0},
		{"whoami --server " + s.URL, "", 0},
		{"whoami", "KAYRA_CLIENT_CA_FILE=" + other, 2},
		{"logout", "", 0},
		{"login --server " + s.URL + " --context c", "", 0},
		{"logout", "", 0},
		{"login", "", 0},
		{"context rename c " + strings.TrimPrefix(s.URL, "https://"), "", 0},
		{"logout", "", 0},
		{"login --server " + s.URL, "", 0},
		{"whoami --config " + config, "", 0},
	} {
		if got := h.run(t, "ann", step.line, step.env); got.code != step.code {
			t.Fatalf("%s %s: %+v", step.line, step.env, got)
		}
	}
	if !strings.Contains(h.content(t), "ca_file: "+ca+"\n") {
		t.Errorf("stored\n%s", h.content(t))
	}
}

func TestWhatDecidesInsteadIsToldOf(t *testing.T) {
	t.Parallel()
	s := authority(t)
	h := newHome(t)
	config := filepath.Join(t.TempDir(), "kayra.yaml")
	if err := os.WriteFile(config, []byte("client:\n  server: http://elsewhere:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.store(t, "contexts: [{name: c, server: '"+s.URL+"', token: x}, {name: d, server: 'http://d'}]")
	for want, env := range map[string]string{
		"": "", "warning: env KAYRA_CLIENT_SERVER decides here: without --context, commands speak to http://x:1\n": "KAYRA_CLIENT_SERVER=http://x:1",
		"warning: env KAYRA_CONTEXT decides here: without --context, commands speak to http://d\n":                            "KAYRA_CONTEXT=d",
		"warning: file " + config + ":2 decides here: without --context, commands speak to http://elsewhere:1\n":              "KAYRA_CONFIG=" + config,
		"warning: env KAYRA_CLIENT_TOKEN decides here: without --context, its token is sent and not the one of the context\n": "KAYRA_CLIENT_TOKEN=y",
		"warning: there is no context \"e\", which env KAYRA_CONTEXT names\n":                                                 "KAYRA_CONTEXT=e",
	} {
		for _, line := range []string{"context use c", "login --server " + s.URL + " --context c", "context list"} {
			if got := h.run(t, "ann", line, env); got.code != 0 || got.err != want {
				t.Errorf("%s with %s: got %+v, want %q", line, env, got, want)
			}
		}
	}
}

// Where neither the server nor the token is that of a context, the contexts are looked at all the same.
func TestWhatDecidesWithoutAnyContext(t *testing.T) {
	t.Parallel()
	s := authority(t)
	h := newHome(t)
	h.store(t, "current: c\ncontexts: [{name: c, server: '"+s.URL+"', token: x}, {name: d, server: 'http://d', token: y}]")
	for server, want := range map[string]string{
		s.URL: "warning: env KAYRA_CLIENT_TOKEN decides here", "http://elsewhere": "warning: env KAYRA_CLIENT_SERVER decides here",
	} {
		for _, line := range []string{"context use c", "login --context c", "context list"} {
			got := h.run(t, "ann", line, "KAYRA_CLIENT_SERVER="+server, "KAYRA_CLIENT_TOKEN=token")
			if got.code != 0 || !strings.HasPrefix(got.err, want) {
				t.Errorf("%s: got %+v, want %q", line, got, want)
			}
		}
	}
}

// Another user at the same server is another context.
func TestAnotherContextAtTheSameServerIsToldOf(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.store(t, "current: ann\ncontexts: [{name: ann, server: 'http://s', token: x}, {name: root, server: 'http://s', token: y}, {name: spent, server: 'http://s'}]")
	for _, other := range []string{"root", "spent"} {
		for _, line := range []string{"context use ann", "context list"} {
			got := h.run(t, "", line, "KAYRA_CONTEXT="+other)
			if want := "warning: env KAYRA_CONTEXT decides here: without --context, commands use context " + other + "\n"; got.code != 0 || got.err != want {
				t.Errorf("%s: got %+v, want %q", line, got, want)
			}
		}
	}
	if got := h.run(t, "", "context use ann", "KAYRA_CONTEXT=ann"); got.code != 0 || got.err != "" {
		t.Errorf("with the same context: %+v", got)
	}
}

// A folder that cannot be written to is said to be one, and nothing is half done.
func TestAFolderThatCannotBeWrittenTo(t *testing.T) {
	t.Parallel()
	s := authority(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/proc", file} {
		got := home{env: []string{"XDG_CONFIG_HOME=" + dir}}.run(t, "hunter2", "login --server "+s.URL)
		if got.code != 1 || got.out != "" || !strings.Contains(got.err, ": nothing was stored\n") || !strings.Contains(got.err, dir) || strings.Contains(got.err, "hunter2") {
			t.Errorf("%s: %+v", dir, got)
		}
	}
	got := run(t, []string{"HOME="}, "hunter2", "kayra", "login", "--server", s.URL)
	if got.code != 2 || !strings.Contains(got.err, "neither XDG_CONFIG_HOME nor HOME") {
		t.Errorf("without a home: %+v", got)
	}
}

func TestATokenInTheClearIsWarnedOf(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"http://kayra.invalid:1": true, "https://kayra.invalid:1": false, "http://127.0.0.1:1": false, "http://[::1]:1": false, "http://10.255.255.1.invalid": true,
	} {
		got := newHome(t).run(t, "x", "login --timeout 5s --server "+url)
		if warned := strings.Contains(got.err, "warning: "+url+" is not https"); warned != want || got.code == 0 {
			t.Errorf("%s: %s", url, fmt.Sprint(got))
		}
	}
}
