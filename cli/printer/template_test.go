package printer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kayra/cli/printer"
)

const machines = `{"items":[{"name":"m1","size":12345678901234567890,"price":1.50,"cores":4,"tags":["a","b"],"zone":null,"up":true},
 {"name":"m2","size":7,"price":2.5,"cores":16,"tags":[],"up":false,"note":"\u001b[31mred\n"}]}`

// as is the printer for a value of -o.
func as(t *testing.T, format string) printer.Printer {
	t.Helper()
	f, template, err := printer.ParseFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	return printer.Printer{Format: f, Template: template, AllowMissing: true}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"p": "{range .items[*]}{.name}={.cores}{\"\\n\"}{end}\n", "g": "{{range .items}}{{.name}} {{end}}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for format, want := range map[string]string{
		"jsonpath={.items[*].name}":                                             "m1 m2",
		"jsonpath=.items[*].name":                                               "m1 m2",
		"jsonpath=items[*].name":                                                "m1 m2",
		"jsonpath=$.items[1].name":                                              "m2",
		"jsonpath={.items[*].size}":                                             "12345678901234567890 7",
		"jsonpath={.items[*].price}":                                            "1.50 2.5",
		"jsonpath={.items[?(@.cores>4)].name}":                                  "m2",
		`jsonpath={.items[?(@.name=="m1")].tags}`:                               `["a","b"]`,
		"jsonpath={.items[0].zone}|{.items[0].nosuch}|":                         "null||",
		"jsonpath=cores: {.items[0].cores}":                                     "cores: 4",
		"jsonpath-file=" + filepath.Join(dir, "p"):                              "m1=4\nm2=16\n",
		"go-template={{range .items}}{{.name}} {{.price}},{{end}}":              "m1 1.50,m2 2.5,",
		"go-template={{range .items}}{{if gt .cores 4}}{{.size}}{{end}}{{end}}": "7",
		"go-template={{(index .items 0).nosuch}}":                               "<no value>",
		`go-template={{exists (index .items 0) "tags"}}{{exists . "x" "y"}}{{base64decode "YQ=="}}`: "truefalsea",
		"go-template-file=" + filepath.Join(dir, "g"):                                               "m1 m2 ",
		"custom-columns=WHO:.name,CORES:{.cores},STATE:up,X:nosuch,T:.tags[*],NOTE:note":            "WHO   CORES   STATE   X   T     NOTE\nm1    4       true    -   a,b   -\nm2    16      false   -   -     \\x1b[31mred\\n\n",
	} {
		if got := show(t, as(t, format), "machines", machines); got != want {
			t.Errorf("%s: got %q, want %q", format, got, want)
		}
	}
}

// What a document holds drives no terminal, whatever the template; a pipe gets all of it as it is.
func TestTemplatesAtATerminal(t *testing.T) {
	t.Parallel()
	for format, want := range map[string][2]string{
		"jsonpath={.items[1].note}":                                {"\x1b[31mred\n", `\x1b[31mred\n` + "\n"},
		"go-template={{range .items}}{{.note}};{{end}}{{\"\\n\"}}": {"<no value>;\x1b[31mred\n;\n", `<no value>;\x1b[31mred\n;` + "\n"},
		"jsonpath={.items[0].nosuch}":                              {"", ""},
	} {
		p := as(t, format)
		for i, terminal := range []bool{false, true} {
			p.Terminal = terminal
			if got := show(t, p, "machines", machines); got != want[i] {
				t.Errorf("%s, at a terminal %v: got %q, want %q", format, terminal, got, want[i])
			}
		}
	}
}

func TestMissingKeys(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"jsonpath={.items[0].nosuch}", "go-template={{(index .items 0).nosuch}}"} {
		p := as(t, format)
		p.AllowMissing = false
		p.Out = &bytes.Buffer{}
		if err := p.Print("machines", []byte(machines)); err == nil || !strings.Contains(err.Error(), "nosuch") {
			t.Errorf("%s: %v", format, err)
		}
		p.AllowMissing = true
		if err := p.Print("machines", []byte(machines)); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// A template that has failed has written nothing.
func TestATemplateThatDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"go-template={{.items}}{{index .items 7}}", "jsonpath={.items[0].name}{.items[7].name}", "jsonpath={.items[?(@.name>4)]}"} {
		p := as(t, format)
		var out bytes.Buffer
		p.Out = &out
		if err := p.Print("machines", []byte(machines)); err == nil || !strings.Contains(err.Error(), "the template does not fit") || out.Len() > 0 {
			t.Errorf("%s: %v, wrote %q", format, err, out.String())
		}
	}
}

// FuzzTemplate holds that no template ends the program.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{
		"jsonpath={.items[*].name}", "jsonpath={range .items[*]}{.name}{end}", "jsonpath={..name}", "jsonpath={.items[-1:].name}", "jsonpath={.items['name','x']}",
		"jsonpath={.items[?(@.cores>4)].tags[0:1:2]}", `jsonpath={"\n"}`, "go-template={{range $k, $v := .items}}{{$k}}{{end}}", "go-template={{slice .x 1 2}}",
		"custom-columns=A:.name,B:{.tags[*]}", "jsonpath={.items[0:0:0]}", "jsonpath={end}", "jsonpath={.items[0]['a','b']}{range}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		if strings.Contains(s, "-file=") {
			return
		}
		format, template, err := printer.ParseFormat(s)
		if err != nil {
			return
		}
		for _, terminal := range []bool{false, true} {
			p := printer.Printer{Out: &bytes.Buffer{}, Format: format, Template: template, Terminal: terminal}
			_ = p.Print("machines", []byte(machines))
		}
	})
}
