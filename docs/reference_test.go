// Package docs_test writes the pages below reference, and compares them with what they are written from.
package docs_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the pages instead of comparing them")

// generated compares a page with what it should be, or writes it.
func generated(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join("reference", name)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil { //nolint:gosec // a file of the repository
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
		t.Errorf("docs/%s is not what it is written from: run `make generate` (%v)", path, err)
	}
}
