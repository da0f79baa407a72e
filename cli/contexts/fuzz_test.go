package contexts_test

import (
	"errors"
	"strings"
	"testing"

	"kayra/cli/contexts"
	"kayra/config"
)

// FuzzContexts feeds any bytes as a file: the answer is an error, or contexts that a login can be added to without the
// others being touched.
func FuzzContexts(f *testing.F) {
	for _, seed := range []string{
		whole, "", "null", "current: a\n", "contexts: [{name: a, server: 'http://a', token: '*x'}]", "a: !!binary aGk=\n", "? a\n: b\n",
		"contexts:\n- name: a\n  server: http://a\n  token: |\n    x\n  <<: {a: b}\n", "%YAML 1.1\n---\na: 1\n...\n", "a: \"\\ud800\"\n", "\ufeffcurrent: x\n",
		"contexts: !x [{name: !!int 1, server: !!str 'http://a'}]\n", "current: !!binary eA==\n", "# a\n\n# b\ncontexts: # c\n# d\n", "a: &b 1\nc: *b\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := contexts.Parse(content)
		if err != nil {
			if _, ok := errors.AsType[*contexts.Error](err); !ok || strings.Contains(err.Error(), "\n") {
				t.Errorf("a %T: %v", err, err)
			}
			return
		}
		before, names := c.Current, c.Names()
		fresh := contexts.Context{Name: strings.Repeat("n", 260), Server: "https://new", Token: config.SecretOf("- *\"'#: \u2028")}
		c.Put(fresh)
		text, err := c.Encode()
		if err != nil {
			return // is left as it was
		}
		again, err := contexts.Parse(text)
		if err != nil || again.Current != before || len(again.All) != len(c.All) {
			t.Fatalf("written and read again: %+v, %v\n%s", again, err, text)
		}
		again.Delete(fresh.Name)
		if strings.Join(again.Names(), "\n") != strings.Join(names, "\n") && len(names) == len(c.All)-1 {
			t.Errorf("the others are not what they were: %q, %q", again.Names(), names)
		}
		if x, ok := c.Find(fresh.Name); !ok || x.Server != fresh.Server {
			t.Errorf("what was added is not there: %+v", x)
		}
	})
}
