//go:build !windows

package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kayra/cli"
	"kayra/cli/term"
)

// desk is where somebody edits: what the editor does at each of its calls, and what it was shown.
type desk struct {
	*town

	dir string
	tty bool
}

func newDesk(t *testing.T, tty bool) *desk {
	t.Helper()
	d := &desk{town: newTown(t), dir: t.TempDir(), tty: tty}
	d.do(t, "POST", "/apiregistrations", `{"name":"a.example.com","owner":"sre","description":"# of all","operator":{"resync":"10m","workers":3}}`)
	d.written()
	return d
}

// edit runs kayra edit with an editor that runs a line of shell with the file as $1, another at each call.
func (d *desk) edit(t *testing.T, args []string, calls ...string) result {
	t.Helper()
	var script strings.Builder
	fmt.Fprintf(&script, "n=$(ls %[1]s | grep -c shown)\ncp \"$1\" %[1]s/shown$n\ncase $n in\n", d.dir)
	for i, call := range calls {
		fmt.Fprintf(&script, "%d) %s;;\n", i, call)
	}
	script.WriteString("esac\n")
	path := filepath.Join(d.dir, "editor")
	if err := os.WriteFile(path, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := cli.Run(t.Context(), cli.Process{
		Args:    append([]string{"kayra", "edit", "catalog", "apiregistrations", "a.example.com"}, args...),
		Environ: append(d.env, "HOME=/nonexistent", "EDITOR=false", "VISUAL=sh '"+path+"'"),
		Streams: term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Interactive: d.tty},
		Now:     time.Now,
	})
	return result{code, out.String(), errs.String()}
}

// shown is what the editor was shown at a call.
func (d *desk) shown(t *testing.T, call int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, fmt.Sprint("shown", call)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// keptText is the text of the file that a message names.
func keptText(t *testing.T, message string) string {
	t.Helper()
	found := regexp.MustCompile(`your changes are kept in (\S+?\.yaml)`).FindStringSubmatch(message)
	if found == nil {
		t.Fatalf("no file is named: %s", message)
	}
	text, err := os.ReadFile(found[1])
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(found[1]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info, err)
	}
	if err := os.Remove(found[1]); err != nil {
		t.Error(err)
	}
	return string(text)
}

const cancelled = "Edit cancelled, no changes made.\n"

func TestEdit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		call string
		code int
		out  string
		body string // of the one request that changes something, or ""
	}{
		"one key":     {nil, `sed -i 's/^owner: .*/owner: apps/' "$1"`, 0, "apiregistration \"a.example.com\" edited\n", `{"owner":"apps"}`},
		"a line less": {nil, `sed -i '/^owner:/d' "$1"`, 0, "apiregistration \"a.example.com\" edited\n", `{"owner":null}`},
		"operator":    {nil, `sed -i 's/workers: 3/workers: 4/; /resync:/d' "$1"`, 0, "apiregistration \"a.example.com\" edited\n", `{"operator":{"workers":4,"resync":null}}`},
		"unchanged":   {nil, `true`, 0, "", ""},
		"other words": {nil, `sed -i 's/10m/600s/; s/^owner: .*/owner: "sre"/' "$1"`, 0, "", ""},
		"empty":       {nil, `: >"$1"`, 0, "", ""},
		"comments":    {nil, `echo '# nothing' >"$1"`, 0, "", ""},
		"gone":        {nil, `rm "$1"`, 0, "", ""},
		"a trial":     {[]string{"--dry-run=server"}, `sed -i 's/^owner: .*/owner: apps/' "$1"`, 0, "apiregistration \"a.example.com\" edited (dry run)\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, false)
			body := ""
			d.before = func(_ http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodPut {
					var b bytes.Buffer
					_, _ = b.ReadFrom(r.Body)
					if r.Body = http.NoBody; r.URL.RawQuery == "" {
						body = b.String()
					}
					if r.Header.Get("If-Match") == "" {
						t.Error("it would write over what others have written")
					}
					r.Body = readAgain(&b)
				}
				return false
			}
			got := d.edit(t, c.args, c.call)
			if got.code != c.code || got.out != c.out || body != c.body {
				t.Errorf("%+v, sent %s", got, body)
			}
			if want := map[bool]string{true: cancelled}[c.out == ""]; got.err != want {
				t.Errorf("it says %q, not %q", got.err, want)
			}
			if !strings.Contains(d.shown(t, 0), "\nowner: sre\n") {
				t.Error(d.shown(t, 0))
			}
		})
	}
}

type again struct{ *bytes.Reader }

func (again) Close() error { return nil }

func readAgain(b *bytes.Buffer) again { return again{bytes.NewReader(b.Bytes())} }

// What is refused is shown again with the reason, until it is taken or given up.
func TestEditAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	got := d.edit(t, nil, `sed -i 's/^owner: .*/owner: [1]/' "$1"`, `sed -i 's/^owner: .*/owner: "apps/' "$1"`, `sed -i 's/^owner: .*/owner: apps/' "$1"`)
	if got.code != 0 || got.out != "apiregistration \"a.example.com\" edited\n" || got.err != "" {
		t.Errorf("%+v", got)
	}
	for call, want := range []string{"", "# It was not written:\n# the body has fields that are wrong; nothing was changed: /owner is an array", "# It was not written:\n# "} {
		if shown := d.shown(t, call); !strings.Contains(shown, want) || strings.Count(shown, "An empty file") != 1 {
			t.Errorf("call %d: %s", call, shown)
		}
	}
	if shown := d.shown(t, 2); !strings.Contains(shown, "\nowner: \"apps\n") {
		t.Errorf("what was typed is gone: %s", shown)
	}
}

func TestEditGivenUp(t *testing.T) {
	t.Parallel()
	const wrong = `sed -i 's/^owner: .*/owner: [1]/' "$1"`
	for name, c := range map[string]struct {
		tty   bool
		calls []string
		code  int
		says  string
	}{
		"saved as it was": {true, []string{wrong, `true`}, 1, "/owner"},
		"nobody there":    {false, []string{wrong}, 1, "/owner"},
		"no YAML":         {false, []string{`printf 'owner: [1]\n"' >"$1"`}, 2, "the text below the comments is neither JSON nor YAML: yaml: line 2"},
		"no object":       {false, []string{`printf -- '- owner: [1]\n' >"$1"`}, 2, "no longer an object"},
		"editor fails":    {true, []string{`printf 'owner: [1]\n' >"$1"; exit 3`}, 1, "has failed: exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, c.tty)
			got := d.edit(t, nil, c.calls...)
			if got.code != c.code || got.out != "" || !strings.Contains(got.err, c.says) {
				t.Errorf("%+v", got)
			}
			if text := keptText(t, got.err); !strings.Contains(text, "owner: [1]") {
				t.Errorf("kept: %s", text)
			}
		})
	}
	d := newDesk(t, true)
	if got := d.edit(t, nil, `exit 1`); got.code != 1 || strings.Contains(got.err, "kept") {
		t.Errorf("nothing to keep: %+v", got)
	}
	if got := d.edit(t, nil); got.code != 0 || got.err != cancelled {
		t.Errorf("nothing done: %+v", got)
	}
}

// What somebody else changes meanwhile stays, and is asked about where it is the same key.
func TestEditBesideOthers(t *testing.T) {
	t.Parallel()
	const one = "/apiregistrations/a.example.com"
	owner := func(id string) string { return `sed -i 's/^owner: .*/owner: ` + id + `/' "$1"` }
	for name, c := range map[string]struct {
		tty    bool
		theirs string
		calls  []string
		code   int
		owner  string
		mode   string
	}{
		"another key":       {true, `{"mode":"theirs"}`, []string{owner("mine")}, 0, "mine", "theirs"},
		"another, no TTY":   {false, `{"mode":"theirs"}`, []string{owner("mine")}, 0, "mine", "theirs"},
		"the same value":    {true, `{"owner":"mine","mode":"theirs"}`, []string{owner("mine")}, 0, "mine", "theirs"},
		"the same key":      {true, `{"owner":"theirs","mode":"theirs"}`, []string{owner("mine"), owner("ours")}, 0, "ours", "theirs"},
		"given up":          {true, `{"owner":"theirs"}`, []string{owner("mine")}, 5, "theirs", ""},
		"nobody to ask":     {false, `{"owner":"theirs"}`, []string{owner("mine")}, 5, "theirs", ""},
		"deleted meanwhile": {true, ``, []string{owner("mine")}, 4, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, c.tty)
			d.between("PUT", one, func() {
				method := map[bool]string{true: "DELETE", false: "PUT"}[c.theirs == ""]
				d.do(t, method, one, c.theirs)
			})
			got := d.edit(t, nil, c.calls...)
			if got.code != c.code {
				t.Fatalf("%+v", got)
			}
			if c.code != 0 {
				if text := keptText(t, got.err); !strings.Contains(text, "owner: mine") {
					t.Errorf("kept: %s", text)
				}
			}
			if len(c.calls) > 1 {
				shown := d.shown(t, 1)
				if !strings.Contains(shown, "# somebody else has changed it meanwhile: owner to \"theirs\"\n") || !strings.Contains(shown, "\nowner: mine\n") ||
					!strings.Contains(shown, "\nmode: theirs\n") {
					t.Error(shown)
				}
			}
			is := run(t, d.env, "", "kayra", "get", "catalog", "apiregistrations", "a.example.com", "-o", "jsonpath={.owner},{.mode}")
			if want := c.owner + "," + c.mode; c.code != 4 && is.out != want+"\n" && is.out != want {
				t.Errorf("it is %+v, not %s", is, want)
			}
		})
	}
}

func TestEditorOf(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	edit := func(env ...string) result {
		return run(t, append(d.env, env...), "", "kayra", "edit", "catalog", "apiregistrations", "a.example.com")
	}
	if got := edit(); got.code != 2 || !strings.Contains(got.err, "set $KAYRA_EDITOR") {
		t.Errorf("none: %+v", got)
	}
	if got := edit("KAYRA_EDITOR=true", "VISUAL=false", "EDITOR=false"); got.code != 0 || got.err != cancelled {
		t.Errorf("the first: %+v", got)
	}
	if got := edit("EDITOR=no-such-editor"); got.code != 1 || !strings.Contains(got.err, "names another") {
		t.Errorf("one that is not there: %+v", got)
	}
	if got := run(t, d.env, "", "kayra", "edit", "catalog", "apiregistrations", "a.example.com/sync"); got.code != 2 {
		t.Errorf("a side: %+v", got)
	}
}
