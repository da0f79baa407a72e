package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"kayra/config"
)

// write puts a kayra.yaml into a new directory and gives its path.
func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kayra.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load loads a file that must be valid.
func load(t *testing.T, content string, env ...string) (*config.Config, []config.Warning) {
	t.Helper()
	c, warnings, err := config.Load(config.Options{Path: write(t, content), Env: env})
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c, warnings
}
