package complete_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/cli/complete"
)

func TestWords(t *testing.T) {
	t.Parallel()
	all := []complete.Suggestion{
		{Value: "sre", Note: " success, synced\n"},
		{Value: "sre"},
		{Value: "sre-apps", Note: "\x1b[2J\ttab"},
		{Value: "team:a/b@c%d+e=f~g,h"},
		{Value: "näher"},
		{Value: "a!=b"},
		{Value: "noted", Note: strings.Repeat("ä", 70)},
	}
	want := []string{"sre\tsuccess, synced", "sre-apps\t\\x1b[2J\\ttab", "team:a/b@c%d+e=f~g,h", "näher", "a!=b", "noted\t" + strings.Repeat("ä", 59) + "…"}
	if got := complete.Words(all, ""); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := complete.Words(all, "sre-"); !slices.Equal(got, want[1:2]) {
		t.Errorf("behind sre-: %q", got)
	}
}

// What a shell would read as more than a word is not offered.
func TestWordsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"", "a b", "a\tb", "a\nb", "$a", "a$(b)", "a`b`", "a;b", "a&b", "a|b", "a<b", "a>b", "a'b", `a"b`, `a\b`, "a*", "a?", "[a]", "{a}", "a(b", "a)b",
		"a!b", "a#b", "#a", "-a", "~a", "=a", "@a", "%a", "/a", ",a", ":a", "+a", "^a", "a^b", "a\x00b", "a\x1bb", "a\xffb", "a\u202eb", "a\u200bb", "a\ufffdb",
	} {
		if got := complete.Words([]complete.Suggestion{{Value: value}}, ""); len(got) != 0 {
			t.Errorf("%q is offered", value)
		}
	}
}

func TestNoMoreThanFitsAScreen(t *testing.T) {
	t.Parallel()
	all := make([]complete.Suggestion, 1000)
	for i := range all {
		all[i].Value = fmt.Sprintf("n%04d", i)
	}
	if got := complete.Words(all, ""); len(got) != complete.Most || got[complete.Most-1] != "n0199" {
		t.Errorf("%d words, the last is %q", len(got), got[len(got)-1])
	}
	if got := complete.Words(all, "n09"); len(got) != 100 {
		t.Errorf("%d words begin with n09", len(got))
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"/x/kayra/completion.json":                   {"XDG_CACHE_HOME": "/x", "HOME": "/h"},
		"/h/.cache/kayra/completion.json":            {"XDG_CACHE_HOME": "relative", "HOME": "/h", "LocalAppData": "/l"},
		filepath.Join("/l", "kayra/completion.json"): {"LocalAppData": "/l"},
		"": {},
	} {
		if got := complete.Place(func(name string) (string, bool) { v, ok := env[name]; return v, ok }); got != want {
			t.Errorf("%v: %q, want %q", env, got, want)
		}
	}
}

// clock is a cache's time.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestCache(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	at := &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	c := complete.Cache{Path: filepath.Join(dir, "completion.json"), Now: at.now}
	var got []string
	if c.Get("k", &got) {
		t.Error("something is remembered from the start")
	}
	c.Put("k", []string{"a"})
	at.at = at.at.Add(9 * time.Second)
	c.Put("other", 1)
	if !c.Get("k", &got) || !slices.Equal(got, []string{"a"}) {
		t.Errorf("after 9 s: %v", got)
	}
	if c.Get("other", &got) {
		t.Error("a number is taken for a list")
	}
	at.at = at.at.Add(2 * time.Second)
	if c.Get("k", &got) {
		t.Error("remembered after 11 s")
	}
	c.Put("new", 1)
	if content, _ := os.ReadFile(c.Path); strings.Contains(string(content), `"k"`) {
		t.Errorf("what is out of date stays in the file: %s", content)
	}
	at.at = at.at.Add(-time.Hour)
	if c.Get("new", new(int)) {
		t.Error("what comes from the future is believed")
	}
	file, err := os.Stat(c.Path)
	if err != nil || file.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", file.Mode(), err)
	}
	if folder, err := os.Stat(dir); err != nil || folder.Mode().Perm() != 0o700 {
		t.Errorf("its folder: %v, %v", folder.Mode(), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("more is left than the file: %v", left)
	}
}

// A file that is broken, too large, or no file at all is one that has nothing, and is written anew where that can be.
func TestCacheThatIsBroken(t *testing.T) {
	t.Parallel()
	large, err := json.Marshal(map[string]any{"k": map[string]any{"at": time.Now(), "value": strings.Repeat("x", 5<<20)}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"empty": "", "half": `{"k":{"at":"20`, "another type": `[1]`, "null": `null`, "wrong time": `{"k":{"at":1,"value":[]}}`, "too large": string(large),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := complete.Cache{Path: filepath.Join(t.TempDir(), "completion.json"), Now: time.Now}
			if err := os.WriteFile(c.Path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			var got any
			if c.Get("k", &got) {
				t.Errorf("it gives %.80q", got)
			}
			c.Put("k", "v")
			if !c.Get("k", &got) || got != "v" {
				t.Errorf("written over, it gives %q", got)
			}
		})
	}
	for _, c := range []complete.Cache{{Now: time.Now}, {Path: t.TempDir(), Now: time.Now}, {Path: "/dev/null/x", Now: time.Now}} {
		c.Put("k", 1)
		if c.Get("k", new(int)) {
			t.Errorf("%q remembers", c.Path)
		}
	}
	home := filepath.Join(t.TempDir(), "home")
	homeless := complete.Cache{Path: filepath.Join(home, ".cache", "kayra", "completion.json"), Now: time.Now}
	homeless.Put("k", 1)
	if _, err := os.Stat(home); err == nil {
		t.Error("a home was made for a user without one")
	}
	c := complete.Cache{Path: filepath.Join(t.TempDir(), "completion.json"), Now: time.Now}
	c.Put("k", 1)
	c.Put("huge", strings.Repeat("x", 5<<20))
	if !c.Get("k", new(int)) || c.Get("huge", new(string)) {
		t.Error("a huge answer is remembered, or takes others with it")
	}
}

func FuzzCache(f *testing.F) {
	f.Add([]byte(`{"k":{"at":"2026-01-01T00:00:00Z","value":["a"]}}`))
	f.Add([]byte(`{"k":{}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		at := &clock{time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)}
		c := complete.Cache{Path: filepath.Join(t.TempDir(), "c"), Now: at.now}
		if err := os.WriteFile(c.Path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		var all []complete.Suggestion
		c.Get("k", &all)
		complete.Words(all, "")
		c.Put("k", all)
		if !c.Get("k", &all) {
			t.Error("what is put is not there")
		}
	})
}
