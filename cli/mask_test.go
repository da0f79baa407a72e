package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server that repeats the token that it was sent does not get it onto the screen.
func TestTheTokenIsMaskedInFailures(t *testing.T) {
	t.Parallel()
	const token = `s3cr"et<to\ken`
	quoted, _ := json.Marshal(token)
	problem := func(status int, members string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"status":%d,%s}`, status, members)
		}
	}
	for name, echo := range map[string]http.HandlerFunc{
		"detail": problem(403, `"detail":`+string(quoted)),
		"errors": problem(400, `"detail":"no","errors":[{"pointer":"/a","detail":`+string(quoted)+`}]`),
		"request id": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", token)
			w.WriteHeader(http.StatusInternalServerError)
		},
		"redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://elsewhere/?t="+token)
			w.WriteHeader(http.StatusFound)
		},
		"escaped redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/a?token=s3cr%22et%3Cto%5Cken", http.StatusFound)
		},
		"no HTTP": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 %s\r\n\r\n", token)
			_ = conn.Close()
		},
	} {
		s := answering(t, echo)
		for _, format := range []string{"table", "json"} {
			got := run(t, append(at(s.URL), "KAYRA_CLIENT_TOKEN="+token), "", "kayra", "get", "catalog", "namespaces", "-o", format)
			said := got.err
			var told struct{ Message, Hint string }
			if json.Unmarshal([]byte(got.err), &told) == nil {
				said = told.Message + told.Hint
			}
			for _, form := range []string{token, `s3cr\"et`, "s3cr%22et"} {
				if strings.Contains(got.out+said, form) {
					t.Errorf("%s: shows the token: %q", name, said)
				}
			}
			if got.code == 0 || !strings.Contains(said, "********") {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// A short token is a part of too many words, and what was asked for is shown as it is.
func TestWhatIsNotMasked(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/mine") {
			_, _ = fmt.Fprint(w, `{"name":"secret-token"}`)
			return
		}
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprint(w, `{"status":409,"detail":"admin is taken"}`)
	})
	got := run(t, append(at(s.URL), "KAYRA_CLIENT_TOKEN=admin"), "", "kayra", "get", "catalog", "namespaces", "other")
	if got.err != "kayra: admin is taken\n" {
		t.Errorf("a short token: %+v", got)
	}
	got = run(t, append(at(s.URL), "KAYRA_CLIENT_TOKEN=secret-token"), "", "kayra", "get", "catalog", "namespaces", "mine", "-o", "json")
	if got.code != 0 || !strings.Contains(got.out, "secret-token") {
		t.Errorf("data: %+v", got)
	}
}

func TestATokenThatNoRequestCanCarry(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.store(t, "current: c\ncontexts: [{name: c, server: 'http://127.0.0.1:1', token: \"one\\ntwo\"}]")
	dir := t.TempDir()
	file, config := filepath.Join(dir, "token"), filepath.Join(dir, "kayra.yaml")
	for path, content := range map[string]string{file: "one\ntwo\n", config: "client: {server: 'http://127.0.0.1:1', token: {file: " + file + "}}\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, by := range map[string]string{
		"apis": "context c", "apis --config " + config: "file " + config + ":1", "apis --token-file " + file: "flag --token-file",
	} {
		got := h.run(t, "", line)
		want := "kayra: what " + by + " gives is no token: a token is one line"
		if got.code != 2 || !strings.HasPrefix(got.err, want) || strings.Contains(got.err, "two") {
			t.Errorf("%s: got %+v, want %q", line, got, want)
		}
	}
}
