package cli_test

import (
	"os"
	"path/filepath"
	"slices"
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

// Of an operator block, every mistake is told with its own line, whatever the command.
func TestAWrongOperatorSaysWhere(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "kayra.yaml")
	content := `platform: p
region: r
reconciler:
  operator:
    resync: 30
    maxDepth: 3
    retry: {initial: 2s, max: 1s}
    "a/b.c": 1
    autoscale:
      when:
        - {metric: queueDepth, op: gt, value: 1}
        - metric: queueDepth
          op: "<"
    rollback:
`
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range []string{
		"5: reconciler.operator.resync: 30 is a number; write a duration such as \"30s\", from 1s to 720h, or 0s",
		"6: reconciler.operator.maxDepth: is not a key that is known here: did you mean \"max_depth\"?",
		"8: reconciler.operator.\"a/b.c\": is not a key that is known here: there are autoscale, failure_threshold, max_depth, resync, retry, rollback, workers",
		"7: reconciler.operator.retry.max: \"1s\" is less than initial, \"2s\": raise the one or lower the other",
		"11: reconciler.operator.autoscale.when[0].op: \"gt\" is not allowed; did you mean \">\"?",
		"12: reconciler.operator.autoscale.when[1].value: is missing",
	} {
		lines = append(lines, "kayra: "+config+":"+line+"\n")
	}
	want := strings.Join(lines, "")
	for _, command := range []string{"serve", "reconciler", "config view", "get catalog namespaces"} {
		got := run(t, nil, "", append(append([]string{"kayra"}, strings.Fields(command)...), "--config", config)...)
		if got.code != 2 || sorted(got.err) != sorted(want) {
			t.Errorf("%s: code %d\n%swant\n%s", command, got.code, got.err, want)
		}
	}
}

func sorted(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}
