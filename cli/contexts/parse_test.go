package contexts_test

import (
	"errors"
	"strings"
	"testing"

	"kayra/cli/contexts"
	"kayra/config"
)

const whole = `# mine
current: prod
theme: dark # of a newer version
contexts:
  # the one with the customers
  - name: prod
    server: https://kayra.example.com # behind the VPN
    token: secret-token
    color: {text: red}
  - {name: local, server: "http://localhost:8080"}
`

func parse(t *testing.T, content string) *contexts.Contexts {
	t.Helper()
	c, err := contexts.Parse([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encode(t *testing.T, c *contexts.Contexts) string {
	t.Helper()
	content, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestWhatIsNotKnownSurvives(t *testing.T) {
	t.Parallel()
	c := parse(t, whole)
	prod, _ := c.Find("prod")
	if token, _ := prod.Token.Literal(); c.Current != "prod" || token != "secret-token" || prod.Server != "https://kayra.example.com" || len(c.All) != 2 {
		t.Fatalf("read %+v", c)
	}
	prod.Token, prod.CAFile = config.SecretOf("0123"), "/ca.pem"
	c.Put(prod)
	c.Put(contexts.Context{Name: "new", Server: "http://new"})
	c.Delete("local")
	c.Rename("prod", "live")
	want := `# mine
current: live
theme: dark # of a newer version
contexts:
  # the one with the customers
  - name: live
    server: https://kayra.example.com # behind the VPN
    token: "0123"
    color: {text: red}
    ca_file: /ca.pem
  - name: new
    server: http://new
`
	if got := encode(t, c); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

func TestTheFirstFile(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "# nothing yet\n", "null\n", "contexts:\n", "contexts: []\ncurrent:\n"} {
		c := parse(t, content)
		c.Put(contexts.Context{Name: "a", Server: "http://a", Token: config.SecretOf("yes")})
		c.Current = "a"
		again := parse(t, encode(t, c))
		x, _ := again.Find("a")
		if token, _ := x.Token.Literal(); again.Current != "a" || token != "yes" {
			t.Errorf("%q: got %+v", content, again)
		}
	}
}

// What is refused is never shown, since it may be a token.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	const entry = "contexts: [{name: a, server: 'http://a'"
	for content, want := range map[string]string{
		"hunter2":                          "line 1: the file must have the keys current and contexts",
		"- hunter2":                        "line 1: the file must have",
		"a: b: hunter2":                    "is not valid YAML",
		"a: *hunter2":                      "is not valid YAML",
		"a: {b\n\thunter2":                 "is not valid YAML",
		"a: &b hunter2":                    "line 1: aliases and anchors are not allowed",
		"a: \xff":                          "is not UTF-8",
		"a: 1\n---\nb: 2":                  "line 2: a second document",
		"current: [hunter2]":               "line 1: current must be a text",
		"\ncontexts: hunter2":              "line 2: contexts must be a list",
		"contexts: [hunter2]":              "line 1: a context must have the keys name and server",
		"contexts: [{server: 'http://a'}]": "line 1: name is missing",
		"contexts: [{name: a b, server: 'http://a'}]":               "line 1: name is missing, or is no name",
		"contexts: [{name: a}]":                                     "line 1: server is missing",
		"contexts: [{name: a, server: hunter2}]":                    "line 1: server is missing, or is no URL",
		"contexts: [{name: a, server: 'ftp://hunter2'}]":            "line 1: server is missing, or is no URL",
		"contexts: [{name: a, server: 'http://h:u@a'}]":             "line 1: server is missing, or is no URL",
		entry + ", reconcilers: hunter2}]":                          "line 1: reconcilers is neither true nor false",
		entry + ", label: hunter2 hunter2}]":                        "line 1: label is no label",
		entry + ", token: [hunter2]}]":                              "line 1: token must be a text",
		entry + ", token: {env: hunter2}}]":                         "line 1: token must be a text",
		entry + "}, {name: a, server: 'http://b'}]":                 "line 1: there is another context of that name",
		entry + ", name: b}]":                                       "stands there twice",
		"? [hunter2]\n: 1":                                          "a key is no text",
		"a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200): "nested too deeply",
	} {
		_, err := contexts.Parse([]byte(content))
		if _, ok := errors.AsType[*contexts.Error](err); !ok || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v, want %q", content, err, want)
		}
	}
}
