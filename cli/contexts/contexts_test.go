package contexts_test

import (
	"strings"
	"testing"

	"kayra/cli/contexts"
	"kayra/config"
)

func TestNormal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://Kayra.Example.com":       "https://kayra.example.com",
		"https://kayra.example.com:443/":  "https://kayra.example.com",
		"HTTP://kayra.example.com:80":     "http://kayra.example.com",
		"http://kayra.example.com:443":    "http://kayra.example.com:443",
		"https://kayra.example.com:8443/": "https://kayra.example.com:8443",
		"https://kayra.example.com/Base/": "https://kayra.example.com/Base",
		"http://[::1]:80":                 "http://[::1]",
		"http://[::1]":                    "http://[::1]",
		"http://host:":                    "http://host",
	} {
		if got := contexts.Normal(in); got != want {
			t.Errorf("Normal(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNameOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://Kayra.example.com/base": "kayra.example.com", "http://localhost:8080": "localhost:8080",
		"https://a:443": "a", "http://[::1]:8080": "[::1]:8080", "http://[::1]": "::1",
	} {
		if got := contexts.NameOf(in); got != want || contexts.CheckName(got) != nil {
			t.Errorf("NameOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestProduction(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]bool{"prod": true, "PRODUCTION": true, "prod-eu": true, "": false, "staging": false, "nonprod": false} {
		if got := contexts.Production(label); got != want {
			t.Errorf("Production(%q) = %v", label, got)
		}
	}
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "-prod", "a b", "a\tb", "a\x1b[m", "a\u202eb", "\xff", strings.Repeat("a", 261)} {
		if contexts.CheckName(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, good := range []string{"prod", "kayra.example.com:8443", "[::1]:80", "ann@prod", "größe", strings.Repeat("a", 260)} {
		if err := contexts.CheckName(good); err != nil {
			t.Error(err)
		}
	}
}

// A token is found for exactly its server, and for nobody in doubt.
func TestAt(t *testing.T) {
	t.Parallel()
	entry := func(name, server, token string) contexts.Context {
		return contexts.Context{Name: name, Server: server, Token: config.SecretOf(token)}
	}
	c := &contexts.Contexts{All: []contexts.Context{
		entry("one", "https://a", "t"), entry("spent", "https://b", ""), entry("ann", "https://c", "t"), entry("bob", "https://c:443/", "t"),
	}}
	for server, want := range map[string]string{
		"https://a": "one", "https://A:443/": "one", "http://a": "", "https://a/base": "", "https://a:444": "", "https://b": "", "https://c": "",
	} {
		if x, ok := c.At(server); x.Name != want || ok != (want != "") {
			t.Errorf("At(%q) = %q, want %q", server, x.Name, want)
		}
	}
	c.Current = "bob"
	if x, _ := c.At("https://c"); x.Name != "bob" {
		t.Errorf("the current context is not preferred: %q", x.Name)
	}
}
