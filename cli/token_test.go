package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A token that no request can carry as it stands is a mistake, which the start tells and not the first caller.
func TestTokensThatCannotBeSent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "kayra.yaml")
	content := "platform: p\nregion: r\nauth: {tokens: [{user: u, token: {env: THE_TOKEN}}]}\ndatabase: {local: {path: " + dir + "/none/k.db}}\n"
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for token, refused := range map[string]bool{
		"hunter2": false, "hunter2 ": true, "\thunter2": true, "hunter\n2": true, "hunter2\n": true, "hunter\x7f2": true, " ": true,
		"hunter 2": true, "hünter2": true, "hunter=2": false, `"hunter2"`: false, "hunter2=": false,
	} {
		r := run(t, []string{"THE_TOKEN=" + token}, "", "kayra", "serve", "--config", config)
		if got := strings.Contains(r.err, "auth.tokens[0].token: "); got != refused || strings.Contains(r.err, "unter") {
			t.Errorf("%q: exit code %d: %s", token, r.code, r.err)
		}
	}
}
