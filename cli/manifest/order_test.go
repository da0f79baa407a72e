package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kayra/cli/manifest"
)

func TestInOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{apiVersion: c, kind: m, name: m}
---
{kind: Subscription, api: a.x, namespace: n}
---
{kind: RoleBinding, name: b}
---
{kind: ApiRegistration, name: a.x, depends_on: [{name: c.x}, {name: b.x}]}
---
{kind: ApiRegistration, name: b.x, depends_on: [{name: c.x}, {name: elsewhere.x}]}
---
{kind: Role, name: r}
---
{kind: ApiRegistration, name: c.x}
---
{kind: Namespace, name: n}
---
{kind: Namespace, name: a}
`: "n a c.x b.x a.x r b a.x m",
		`{kind: ApiRegistration, name: a.x, depends_on: [{name: b.x}]}
---
{kind: ApiRegistration, name: b.x, depends_on: [{name: a.x}]}
---
{kind: ApiRegistration, name: c.x, depends_on: wrong}
`: "b.x a.x c.x",
		`{kind: Role, name: r}`: "r",
	} {
		documents, err := manifest.Parse("f.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range manifest.InOrder(documents) {
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{"b.yaml", "a.json", "c.yml", "notes.txt", "sub/d.yaml", "sub/sub/e.json", "empty/x.txt", "dir.yaml/f.yaml"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"b.yaml": "link.yaml", ".": "sub/loop"} {
		if err := os.Symlink(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		paths     string
		recursive bool
		want      string
	}{
		{"", false, "a.json b.yaml c.yml link.yaml"},
		{"", true, "a.json b.yaml c.yml dir.yaml/f.yaml link.yaml sub/d.yaml sub/sub/e.json"},
		{"sub", false, "sub/d.yaml"},
		{"notes.txt b.yaml notes.txt", false, "notes.txt b.yaml"},
		{"b.yaml ", false, "b.yaml a.json c.yml link.yaml"},
		{"empty", false, "empty has no file that ends in .yaml, .yml or .json; -R looks into those within it, too"},
		{"empty", true, "empty has no file that ends in .yaml, .yml or .json"},
		{"nowhere", false, "nowhere: no such file or directory"},
	} {
		var paths []string
		for path := range strings.SplitSeq(c.paths, " ") {
			paths = append(paths, filepath.Join(dir, path))
		}
		files, err := manifest.Files(paths, c.recursive)
		for i, file := range files {
			files[i], _ = strings.CutPrefix(file, dir+string(filepath.Separator))
		}
		got := strings.Join(files, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.HasSuffix(got, c.want)) {
			t.Errorf("%q, recursive %v: got %s, want %s", c.paths, c.recursive, got, c.want)
		}
	}
	if got, err := manifest.Files([]string{manifest.Stdin, manifest.Stdin}, false); err != nil || len(got) != 1 {
		t.Errorf("the standard input, twice: %v, %v", got, err)
	}
	if got, err := manifest.Files([]string{""}, false); err == nil {
		t.Errorf("a file without a name: %v", got)
	}
}
