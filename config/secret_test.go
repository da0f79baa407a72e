package config_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kayra/config"

	"go.yaml.in/yaml/v3"
)

const hunter = "hunter2"

// hexed is hunter as %x would show it.
const hexed = "68756e74657232"

// tokens loads tokens in the forms given, in this order.
func tokens(t *testing.T, forms ...string) []config.Secret {
	t.Helper()
	var content strings.Builder
	content.WriteString("auth:\n  tokens:\n")
	for i, form := range forms {
		fmt.Fprintf(&content, "    - {user: u%d, token: %s}\n", i, form)
	}
	c, _ := load(t, content.String())
	var all []config.Secret
	for _, token := range c.Auth.Tokens {
		all = append(all, token.Token)
	}
	return all
}

func TestSecretCannotBePrinted(t *testing.T) {
	t.Parallel()
	s := tokens(t, hunter)[0]
	type hidden struct{ s config.Secret } // fmt cannot call methods on what is not exported
	type shown struct{ S config.Secret }
	holders := []any{
		s, &s,
		shown{s},
		&shown{s},
		hidden{s},
		&hidden{s},
		[]config.Secret{s},
		map[string]config.Secret{"k": s},
		[]hidden{{s}},
		map[string]*hidden{"k": {s}},
		fmt.Errorf("wrapped: %v", s),
		config.Token{Token: s},
		config.Header{Value: s},
	}
	var out bytes.Buffer
	for _, h := range holders {
		for verb := range strings.SplitSeq("v +v #v s q x X d t c b o U e g p T 20s -5v", " ") {
			fmt.Fprintf(&out, "%"+verb+"\n", h)
		}
		fmt.Fprintln(&out, h, s)
		for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
			log.Info("secret", slog.Any("holder", h), slog.Any("secret", s), slog.Group("g", slog.Any("s", &s)))
		}
		encodeInto(&out, h)
	}
	fmt.Fprint(&out, s.String(), s.GoString())
	for _, leak := range []string{hunter, hexed, strings.ToUpper(hexed)} {
		if i := strings.Index(out.String(), leak); i >= 0 {
			t.Errorf("a secret shows: %s", out.String()[max(0, i-80):i+20])
		}
	}
	if !strings.Contains(out.String(), "********") {
		t.Error("no mask shows")
	}
}

// encodeInto tries the encodings; some refuse what cannot be encoded, which is as good.
func encodeInto(out *bytes.Buffer, v any) {
	_ = json.NewEncoder(out).Encode(v)
	_ = xml.NewEncoder(out).Encode(v)
	_ = gob.NewEncoder(out).Encode(v)
	if text, err := yaml.Marshal(v); err == nil {
		out.Write(text)
	}
}

func TestSecretMasks(t *testing.T) {
	t.Parallel()
	for _, s := range append(tokens(t, hunter, "{env: A}", "{file: b}"), config.Secret{}) {
		asJSON, _ := json.Marshal(s)
		asText, _ := s.MarshalText()
		asYAML, _ := yaml.Marshal(s)
		for _, got := range []string{
			s.String(), s.GoString(), fmt.Sprintf("%q", s), fmt.Sprintf("%x", s), strings.Trim(string(asJSON), `"`),
			string(asText), strings.Trim(string(asYAML), "'\n"), s.LogValue().String(),
		} {
			if got != "********" {
				t.Errorf("%q is no mask", got)
			}
		}
	}
}

func TestReveal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return "{file: " + path + "}"
	}
	large := huge(t, "large", 1<<30)
	env := map[string]string{"SET": hunter, "EMPTY": ""}
	lookup := func(name string) (string, bool) { text, ok := env[name]; return text, ok }
	tests := []struct{ form, want, err string }{
		{hunter, hunter, ""},
		{"{env: SET}", hunter, ""},
		{"{env: UNSET}", "", "environment variable UNSET is not set"},
		{"{env: EMPTY}", "", "environment variable EMPTY is empty"},
		{file("plain", hunter), hunter, ""},
		{file("unix", hunter+"\n"), hunter, ""},
		{file("dos", hunter+"\r\n"), hunter, ""},
		{file("two", hunter+"\n\n"), hunter + "\n", ""},
		{file("none", "\n"), "", `secret file "` + dir + `/none" is empty`},
		{"{file: " + large + "}", "", `read secret file "` + large + `": larger than 1 MiB`},
		{"{file: " + dir + "/missing}", "", `read secret file "` + dir + `/missing": no such file or directory`},
		{"{sha256: " + strings.Repeat("aB", 32) + "}", "", "only the SHA-256 of the secret is known"},
	}
	for i, test := range tests {
		got, err := tokens(t, test.form)[0].Reveal(lookup)
		if got != test.want || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("%d: %s gives %q, %v", i, test.form, got, err)
		}
	}
	if got, err := (config.Secret{}).Reveal(lookup); got != "" || err != nil || !(config.Secret{}).IsZero() {
		t.Errorf("no secret gives %q, %v", got, err)
	}
}

func TestSecretForms(t *testing.T) {
	t.Parallel()
	all := tokens(t, hunter, "{env: SET}", "{sha256: "+strings.Repeat("aB", 32)+"}")
	if text, ok := all[0].Literal(); !ok || text != hunter {
		t.Error("a text is no literal")
	}
	if _, ok := all[1].Literal(); ok {
		t.Error("a variable is a literal")
	}
	if sum, ok := all[2].SHA256(); !ok || !bytes.Equal(sum, bytes.Repeat([]byte{0xab}, 32)) {
		t.Errorf("digest %x", sum)
	}
	if _, ok := all[0].SHA256(); ok {
		t.Error("a text is a digest")
	}
	if !(config.Etcd{}).Password().IsZero() {
		t.Error("a password without a file")
	}
	if _, err := (config.Etcd{PasswordFile: "/none/pw"}).Password().Reveal(os.LookupEnv); err == nil {
		t.Error("a password out of nothing")
	}
}

func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	const forms = "use text in quotes, {env: NAME}, {file: PATH} or {sha256: HEX}"
	for written, want := range map[string]string{
		"{}":                                    ": a mapping is not allowed: use a list of {user, groups, token}",
		"[a]":                                   `[0]: this text is not allowed: use a mapping of groups, token or user`,
		"[{token: hunter2}]":                    "[0]: user is missing",
		"[{user: a}]":                           "[0]: token is missing",
		"[{user: '', token: hunter2}]":          `[0].user: "" is not allowed: use the name of a user`,
		"[{usr: a, token: hunter2}]":            "[0].usr: unknown key: did you mean user?",
		"[{user: a, groups: b}]":                `[0].groups: "b" is not allowed: use a list, each of it the name of a group`,
		"[{user: a, groups: [5]}]":              "[0].groups[0]: 5 (a number) is not allowed: use text, with quotes around it",
		"[{user: a, token: 12345}]":             "[0].token: a number is not allowed: " + forms,
		"[{user: a, token: a,hunter2}]":         "[0]: a name without a value is not allowed within braces: use quotes around a text with a comma, and null for no value",
		"[{hunter2: , user: a, token: x}]":      "[0]: a name without a value is not allowed within braces: use quotes around a text with a comma, and null for no value",
		"[{hunter2: y, user: a, token: x}]":     "[0]: an unknown key: use groups, token or user",
		"[{user: a, token: [hunter2]}]":         "[0].token: a list is not allowed: " + forms,
		"[{user: a, token: ''}]":                "[0].token: an empty token, or one with spaces around it, is not allowed",
		"[{user: a, token: ' hunter2'}]":        "[0].token: an empty token, or one with spaces around it, is not allowed",
		"[{user: a, token: {}}]":                "[0].token: a mapping of other keys, or of several, is not allowed: " + forms,
		"[{user: a, token: {hunter2}}]":         "[0].token: a mapping of other keys, or of several, is not allowed: " + forms,
		"[{user: a, token: {text: hunter2}}]":   "[0].token: a mapping of other keys, or of several, is not allowed: " + forms,
		"[{user: a, token: {sha256: hunter2}}]": "[0].token.sha256: this text is not allowed: use the SHA-256 of the token: 64 hexadecimal digits",
		"[{user: a, token: {env: hunter-2}}]":   "[0].token.env: this text is not allowed: use the name of an environment variable, such as KAYRA_ROOT_TOKEN",

		"[{user: a, token: hunter2}, {user: b, token: hunter2}]": "[1]: has the same token as auth.tokens[0]: give each its own",
	} {
		t.Run(written, func(t *testing.T) {
			t.Parallel()
			got := reject(t, "auth: {tokens: "+written+"}")
			if !strings.Contains("\n"+got+"\n", "\nF:1: auth.tokens"+want+"\n") {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if strings.Contains(got, "hunter") || strings.Contains(got, "12345") {
				t.Errorf("a secret shows: %s", got)
			}
		})
	}
}

// Whoever writes a secret where a mapping or a list is wanted does not find it in the error.
func TestMisplacedSecrets(t *testing.T) {
	t.Parallel()
	const step = "reconciler: {mode: {m: [{method: get, endpoint: 'http://h', "
	for _, content := range []string{
		"auth: {tokens: [hunter2]}", "auth: {tokens: hunter2}", "reconciler: {gateway: {headers: hunter2}}",
		step + "headers: hunter2}]}}", step + "headers: {A: {type: 'hunter2 hunter2', value: x}}}]}}",
		step + "headers: {A: [hunter2]}}]}}", "reconciler: {gateway: {headers: {A: {value: {hunter2: x}}}}}",
	} {
		if got := reject(t, content); strings.Contains(got, "hunter2") || !strings.Contains(got, "not allowed") {
			t.Errorf("%s: %s", content, got)
		}
	}
}
