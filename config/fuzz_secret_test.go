package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kayra/config"
)

// planted stands around every secret of the fuzzer's, and nowhere else.
const planted = "qzjxkvq"

// hideouts are files with a place for a secret, %s, that no error and no view shows.
func hideouts() []string {
	step := "reconciler:\n  mode:\n    api:\n    - method: post\n      endpoint: http://h/\n"
	return []string{
		"client:\n  token: %s\n",
		"client:\n  token:\n    sha256: %s\n",
		"client: {token: %s}\n",
		"auth:\n  tokens:\n  - user: root\n    token: %s\n",
		"auth:\n  tokens:\n  - token: %s\n    colour: red\n",
		"auth:\n  tokens:\n  - user: root\n    token: {sha256: %s}\n",
		"auth:\n  tokens:\n  - user: root\n    token: {text: %s}\n",
		"auth:\n  tokens:\n  - %s\n",
		"auth:\n  tokens: %s\n",
		"reconciler:\n  gateway:\n    headers:\n      X-Key: %s\n",
		"reconciler:\n  gateway:\n    headers:\n      Authorization: {type: Bearer, value: %s}\n",
		"reconciler:\n  server:\n    token: %s\n",
		step + "      headers:\n        X-Key: %s\n",
		step + "      headers:\n        Authorization: {type: Bearer, value: %s}\n",
		step + "      data:\n        token: %s\n",
		step + "      data:\n        variables: [{key: DB_PASSWORD, value: %s}]\n",
		step + "      data: {credentials: {user: a, nested: [%s]}}\n",
		"notification:\n  teams:\n    a:\n      slack_webhook: %s\n",
		"notification:\n  teams:\n    a: {webhook: %s}\n",
		"notification:\n  teams:\n    a: %s\n",
		"notification:\n  smtp:\n    password: %s\n",
	}
}

// spellings are pieces of text that YAML, a template or a URL could take for something else than a secret's own.
func spellings() []string {
	return []string{
		"", " ", "'", `"`, `\x`, "*", "&", "!", "|", ">", "%", "@", "`", "{", "[", ",", ": ", ":", " #", "?", "-", "{{ .A }}", `{{ env "`,
		"\t", "\x00", "é", "://a:b@", "0", "=",
	}
}

// FuzzSecrets plants a secret of any spelling where one belongs, in the file, in a variable or in a flag: nothing that is
// said of the configuration has it.
func FuzzSecrets(f *testing.F) {
	path := filepath.Join(f.TempDir(), "kayra.yaml")
	var sources []func(secret string) (content string, o config.Options)
	for _, place := range hideouts() {
		sources = append(sources, func(secret string) (string, config.Options) {
			return fmt.Sprintf(place, secret), config.Options{Path: path}
		})
	}
	for _, name := range []string{"KAYRA_CLIENT_TOKEN", "KAYRA_RECONCILER_SERVER_TOKEN", "KAYRA_NOTIFICATION_SMTP_PASSWORD", "KAYRA_NOTIFICATION_TEAMS", "KAYRA_AUTH_TOKENS", "KAYRA_RECONCILER_GATEWAY_HEADERS"} {
		sources = append(sources, func(secret string) (string, config.Options) {
			return "", config.Options{Path: path, Env: []string{name + "=" + secret}}
		})
	}
	sources = append(sources, func(secret string) (string, config.Options) {
		return "", config.Options{Path: path, Flags: map[string]string{"client.token": secret}}
	})
	for i, spelling := range spellings() {
		f.Add(uint(i), spelling, "")
		f.Add(uint(i+1), "", spelling)
	}
	f.Add(uint(14), "", "{{ .A }}") // of data
	f.Fuzz(func(t *testing.T, place uint, before, after string) {
		if strings.ContainsAny(before+after, "\r\n\u0085\u2028\u2029") { // another line may be another key, whose value may be shown
			return
		}
		if strings.Contains(before, "{{") && strings.Contains(after, "}}") { // within a template, where secrets are named and not written
			return
		}
		content, options := sources[place%uint(len(sources))](before + planted + after)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		tells(t, content, options)
	})
}

// tells checks all that is said of a configuration.
func tells(t *testing.T, what string, o config.Options) {
	t.Helper()
	c, warnings, err := config.Load(o)
	said := fmt.Sprint(err, warnings)
	if err == nil {
		text, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		said += string(text) + fmt.Sprintf("%+v %+v %+v", c.Settings(), c.Client, c.Notification)
	}
	if strings.Contains(said, planted) {
		t.Errorf("the secret of %s shows: %s", what, said)
	}
}

// FuzzSources sets keys by variables and by flags to anything: each is taken and viewed, or refused by the name of what
// gave it.
func FuzzSources(f *testing.F) {
	empty := filepath.Join(f.TempDir(), "kayra.yaml")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		f.Fatal(err)
	}
	defaults, _, err := config.Load(config.Options{Path: empty})
	if err != nil {
		f.Fatal(err)
	}
	keys := defaults.Settings()
	texts := []string{
		"", "x", "1", "true", "1s", "a,b,,", "http://u:p@h:1/?q#f", "127.0.0.1:0", "\x00", "\xff", "{env: X}", "~", "[", "é", "-1", "0x1", "1e999",
	}
	for i := range keys {
		f.Add(uint(i), texts[i%len(texts)])
		f.Add(uint(i), texts[i*7%len(texts)])
	}
	f.Fuzz(func(t *testing.T, at uint, text string) {
		name := keys[at%uint(len(keys))].Key
		variable := "KAYRA_" + strings.ToUpper(strings.ReplaceAll(name, ".", "_"))
		for from, o := range map[string]config.Options{
			"env " + variable: {Path: empty, Env: []string{variable + "=" + text}},
			"flag --it":       {Path: empty, Flags: map[string]string{name: text}, FlagNames: map[string]string{name: "it"}},
		} {
			c, _, err := config.Load(o)
			if err != nil {
				for line := range strings.Lines(err.Error()) {
					if !strings.HasPrefix(line, from+": ") && !strings.HasPrefix(line, empty+": ") && !strings.HasPrefix(line, "set ") {
						t.Errorf("%s=%q: %q does not say where", name, text, line)
					}
				}
				continue
			}
			if _, err := c.YAML(); err != nil {
				t.Errorf("%s=%q: no view: %v", name, text, err)
			}
			if source := c.Source(name); source != from && source != "default" {
				t.Errorf("%s=%q comes from %s", name, text, source)
			}
		}
	})
}
