package printer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"kayra/cli/printer"
	"kayra/cli/term"
)

func appendAll(t *testing.T, s *printer.Series, p printer.Printer, event, document string) string {
	t.Helper()
	lines, err := s.Append(p, event, []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "")
}

// Rows that are appended have one header, and stand below each other for as long as they fit.
func TestAppendedRows(t *testing.T) {
	t.Parallel()
	s, p := printer.NewSeries("namespaces"), printer.Printer{Format: printer.Table}
	got := appendAll(t, s, p, "added", `{"items":[{"name":"sre","active":true},{"name":"apps","active":false}]}`) +
		appendAll(t, s, p, "modified", `{"items":[{"name":"a","active":true}]}`) +
		appendAll(t, s, p, "added", `{"items":[{"name":"longer-than-all","active":true}]}`) +
		appendAll(t, s, p, "deleted", `{"items":[{"name":"sre","active":true}]}`)
	want := "NAME   ACTIVE   EVENT\nsre    true     added\napps   false    added\na      true     modified\n" +
		"longer-than-all   true     added\nsre               true     deleted\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The columns of what is not known are those of the first things that come, also where none is there at first.
func TestAppendedRowsOfAnApp(t *testing.T) {
	t.Parallel()
	s, p := printer.NewSeries("machines"), printer.Printer{Format: printer.Table}
	got := appendAll(t, s, p, "added", `{"items":[]}`) +
		appendAll(t, s, p, "added", `{"items":[{"name":"m1","size":1}]}`) + appendAll(t, s, p, "modified", `{"items":[{"name":"m1","size":2,"new":3}]}`)
	if want := "NAME   SIZE   EVENT\nm1     1      added\nm1     2      modified\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.NoHeaders = true
	if got := appendAll(t, printer.NewSeries("namespaces"), p, "added", `{"items":[{"name":"a"}]}`); got != "a   -   added\n" {
		t.Errorf("without headers: %q", got)
	}
}

// A table that is drawn again has columns as wide as before.
func TestTablesOfASeries(t *testing.T) {
	t.Parallel()
	s, p := printer.NewSeries("namespaces"), printer.Printer{Format: printer.Table}
	var all strings.Builder
	for _, document := range []string{`{"items":[{"name":"a-long-name"}]}`, `{"items":[{"name":"b"}]}`} {
		lines, err := s.Table(p, []byte(document))
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(strings.Join(lines, ""))
	}
	if want := "NAME          ACTIVE\na-long-name   -\nNAME          ACTIVE\nb             -\n"; all.String() != want {
		t.Errorf("got\n%s\nwant\n%s", all.String(), want)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	const thing = "{\n \"name\": \"a\u009b\", \"n\": 1.50 }"
	for format, want := range map[string]string{
		"json":                          `{"type":"deleted","object":{"name":"a\u009b","n":1.50}}` + "\n",
		"yaml":                          "---\ntype: deleted\nobject:\n  name: \"a\\x9B\"\n  \"n\": 1.50\n",
		"name":                          `machines/a\u009b deleted` + "\n",
		"jsonpath={.n}":                 "1.50\n",
		"go-template={{.n}}{{\"\\n\"}}": "1.50\n",
	} {
		got, err := as(t, format).Event("machines", "deleted", []byte(thing))
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", format, got, err, want)
		}
	}
	if got, err := as(t, "name").Event("machines/status", "modified", []byte(thing)); err != nil || got != `machines/a\u009b`+"\n" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := as(t, "table").Event("machines", "added", []byte(thing)); err == nil {
		t.Error("a table was made of an event")
	}
	if _, err := as(t, "json").Event("machines", "added", []byte("{")); err == nil {
		t.Error("what is no JSON was shown")
	}
}

func TestCells(t *testing.T) {
	t.Parallel()
	items := []json.RawMessage{json.RawMessage(`{"name":"a","canary_namespaces":["x"],"sync_id":"s"}`), json.RawMessage(`{"name":"b"}`)}
	for header, want := range map[string]string{"rollout": "canary x|", "SYNC_ID": "s|", "name": "a|b"} {
		cells, ok := printer.Cells("apiregistrations", header, items)
		if got := strings.Join(cells, "|"); !ok || got != want {
			t.Errorf("%s: got %q, %v, want %q", header, got, ok, want)
		}
	}
	if _, ok := printer.Cells("apiregistrations", "nosuch", items); ok {
		t.Error("there is no such column")
	}
	if cells, ok := printer.Cells("machines", "sync_id", items); !ok || cells[0] != "s" {
		t.Errorf("of an app: got %q, %v", cells, ok)
	}
}

func TestTree(t *testing.T) {
	t.Parallel()
	p := &term.Page{}
	err := printer.Tree(p, "  ", []byte(`{"name":"m1","size":12345678901234567890,"tags":["a","b"],"none":[],"empty":{},"null":null,
	 "spec":{"zone":"z","disks":[{"gb":5},{"gb":6,"of":{"x":"\u001b[m"}}]},"matrix":[[1,2],["c"]],"a-key-that-is-longer-than-most-others":1}`))
	want := `  name:   m1
  size:   12345678901234567890
  tags:   a,b
  none:   (none)
  empty:  (none)
  null:   (none)
  spec:
    zone:  z
    disks:
      1:
        gb:  5
      2:
        gb:  6
        of:
          x:  \x1b[m
  matrix:
    1:  1,2
    2:  c
  a-key-that-is-longer-than-most-others:  1
`
	if err != nil || p.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, p.String(), want)
	}
}

// What the columns of an app's things are is known once there is one.
func TestTablesThatBeginEmpty(t *testing.T) {
	t.Parallel()
	s, p := printer.NewSeries("machines"), printer.Printer{Format: printer.Table}
	for _, c := range []struct{ doc, want string }{
		{`{"items":[]}`, "NAME\n"},
		{`{"items":[{"size":"small","name":"m1"}]}`, "NAME   SIZE\nm1     small\n"},
		{`{"items":[]}`, "NAME   SIZE\n"},
	} {
		lines, err := s.Table(p, []byte(c.doc))
		if got := strings.Join(lines, ""); err != nil || got != c.want {
			t.Errorf("got %q, %v, want %q", got, err, c.want)
		}
	}
}
