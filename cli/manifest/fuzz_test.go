package manifest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"kayra/cli/manifest"
)

// FuzzParse: whatever a file holds, it is read or refused with its name and a line, and what is read is JSON that is read
// again as the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"kind: Namespace\nname: sre\n---\nkind: Role\nname: r\nrules: [{apis: [\"*\"]}]\n", `{"items":[{"api":"a.b","namespace":"sre"}],"continue":""}`,
		`[{"kind":"Namespace","name":"x"}]{"kind":"Namespace","name":"y"}`, "a: &a [*a]", "kind: Role\nname: r\nb: &b {<<: *b}", "<<: [{a: 1}]\nkind: Role\nname: 0x1F",
		"\ufeff{", "\xff\xfe", "apiVersion: c/v1\nresource: m\nid: x\nkind: 1", "- - kind: Namespace\n    name: a", "? {a: b}\n: c", "kind: !!binary aGk=", "%YAML 1.1\n---\na: b",
		"kind: Namespace\r\nname: 1_000\r\n...\r\n---\r\n", "name: a\nactive: y\n", "kind: Role\nname: r\nx: 1e400\ny: -0\nz: 0o17",
	} {
		f.Add("f.yaml", []byte(text))
		f.Add("f.json", []byte(text))
	}
	f.Fuzz(func(t *testing.T, file string, content []byte) {
		documents, err := manifest.Parse(file, content)
		lines := 1
		for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} { // those that YAML has
			lines += strings.Count(string(content), end)
		}
		for _, one := range all(err) {
			wrong, ok := errors.AsType[*manifest.Error](one)
			if !ok || wrong.File != file || wrong.Line < 1 || wrong.Line > lines+1 || wrong.Text == "" {
				t.Fatalf("%T %v, of %d lines", one, one, lines)
			}
		}
		for _, d := range documents {
			checkDocument(t, d, lines)
		}
	})
}

func all(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

func checkDocument(t *testing.T, d manifest.Document, lines int) {
	t.Helper()
	if d.Name == "" || d.Name == ".." || d.Namespace == ".." || d.Group == "" || d.Resource == "" || d.Line < 1 || d.Line > lines {
		t.Errorf("%+v, of %d lines", d, lines)
	}
	body := d.Body.JSON()
	again, err := manifest.ParseObject(body)
	if err != nil || !json.Valid(body) || string(again.JSON()) != string(body) {
		t.Errorf("%s is read again as %s, %v", body, again.JSON(), err)
	}
	if !manifest.Covers(again, d.Body) || !manifest.Covers(manifest.Merge(again, d.Body), d.Body) {
		t.Errorf("%s is not what it is", body)
	}
}
