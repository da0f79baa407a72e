package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What turns out to be wrong at the start is told with the line that it stands in, or the variable.
func TestAWrongStartSaysWhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "kayra.yaml")
	const head = "platform: p\nregion: r\n"
	for content, want := range map[string]string{
		"server:\n  tls:\n    cert_file: /nope\n    key_file: /nope\n":                                         ":5: server.tls.cert_file: read \"/nope\"",
		"server:\n  audit_log: /nope/a\n":                                                                      ":4: server.audit_log: ",
		"auth:\n  oidc:\n    issuer: https://i\n    audience: a\n    ca_file: /nope\n":                         ":7: auth.oidc.ca_file: read \"/nope\"",
		"auth:\n  tokens:\n    - user: a\n      token: {env: NOPE}\n":                                          ":6: auth.tokens[0].token: ",
		"auth:\n  tokens:\n    - {user: a, token: abcdef}\n    - user: b\n      token:\n        file: /nope\n": ":7: auth.tokens[1].token: ",
	} {
		if err := os.WriteFile(config, []byte(head+content), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(t, nil, "", "kayra", "serve", "--config", config)
		if got.code != 2 || !strings.Contains(got.err, "kayra: "+config+want) {
			t.Errorf("%s: got %+v, want %q", content, got, want)
		}
	}
	content := head + "reconciler: {tls: {cert_file: /nope, key_file: /nope}}\n"
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	got := run(t, nil, "", "kayra", "reconciler", "--config", config)
	if want := "kayra: " + config + ":3: reconciler.tls.cert_file: "; got.code != 2 || !strings.HasPrefix(got.err, want) {
		t.Errorf("got %+v, want %q", got, want)
	}
}
