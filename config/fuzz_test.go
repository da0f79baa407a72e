package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kayra/config"

	"go.yaml.in/yaml/v3"
)

// FuzzLoad feeds any bytes as a file: the answer is a configuration that can be viewed, or an error whose every line
// names the file.
func FuzzLoad(f *testing.F) {
	dir := f.TempDir()
	example, err := os.ReadFile("../examples/kayra.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	f.Add([]byte(viewed))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, "kayra.yaml")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		c, _, err := config.Load(config.Options{Path: path})
		if err != nil {
			if _, ok := errors.AsType[*config.Error](err); !ok {
				t.Errorf("a %T: %v", err, err)
			}
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, path+":") {
					t.Errorf("a line without its file: %q", line)
				}
			}
			return
		}
		text, err := c.YAML()
		if err != nil || len(c.Settings()) == 0 {
			t.Fatalf("no view: %v", err)
		}
		if err := yaml.Unmarshal(text, &yaml.Node{}); err != nil {
			t.Errorf("the view is no YAML: %v\n%s", err, text)
		}
	})
}
