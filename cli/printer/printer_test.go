package printer_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"kayra/cli/printer"
)

func show(t *testing.T, p printer.Printer, resource, document string) string {
	t.Helper()
	var out bytes.Buffer
	p.Out = &out
	if err := p.Print(resource, []byte(document)); err != nil {
		t.Fatalf("print %s as %s: %v", resource, p.Format, err)
	}
	return out.String()
}

const registrations = `{"items":[
 {"name":"compute.example.com","short_name":"compute","active":true,"owner":"sre-a","sync_id":"s2","released_sync_id":"s1",
  "canary_namespaces":["a","b","c","d","e"],"paused":true,"mode":"api","depends_on":[{"platform":"p","region":"r","name":"app.example.com"}]},
 {"name":"dns.example.com","short_name":"","active":false,"owner":"","sync_id":"x","canary_namespaces":[],"paused":false,"depends_on":[]}
]}`

func TestTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		printer            printer.Printer
		resource, doc, out string
	}{
		"namespaces": {
			printer.Printer{Format: printer.Table},
			"namespaces", `{"items":[{"name":"sre","active":true},{"name":"applications","active":false}]}`,
			"NAME           ACTIVE\nsre            true\napplications   false\n",
		},
		"nothing of an app": {printer.Printer{Format: printer.Table}, "machines", `{"items":[]}`, "NAME\n"},
		"without headers": {
			printer.Printer{Format: printer.Table, NoHeaders: true}, "namespaces", `{"name":"sre","active":true}`, "sre   true\n",
		},
		"registrations": {
			printer.Printer{Format: printer.Table},
			"apiregistrations", registrations,
			"NAME                  SHORT     ACTIVE   OWNER   SYNC_ID   ROLLOUT\n" +
				"compute.example.com   compute   true     sre-a   s2        canary a,b,c and 2 more, paused\n" +
				"dns.example.com       -         false    -       x         -\n",
		},
		"subscriptions": {
			printer.Printer{Format: printer.Table},
			"subscriptions",
			`{"items":[{"api":"a.b","namespace":"sre","active":true,"state":"success","current_sync_id":"s1","expected_sync_id":"s2","synced":false,"reason":"canary_hold"}]}`,
			"NAMESPACE   API   ACTIVE   STATE     SYNCED   REASON        CURRENT\n" +
				"sre         a.b   true     success   false    canary_hold   s1\n",
		},
		"roles": {
			printer.Printer{Format: printer.Table},
			"roles",
			`{"items":[{"name":"none","rules":[]},{"name":"viewer","rules":[
			 {"apis":["a.b"],"resources":["machines","disks"],"verbs":["get","list"]},{"apis":["*"],"resources":["*"],"verbs":["get"]},
			 {"apis":["c.d"],"resources":["*"],"verbs":["*"]},{"apis":["e.f"],"resources":["*"],"verbs":["*"]}]}]}`,
			"NAME     RULES\nnone     -\n" +
				"viewer   get,list on machines,disks of a.b; get on * of *; * on * of c.d and 1 more\n",
		},
		"role bindings": {
			printer.Printer{Format: printer.Table},
			"rolebindings",
			`{"items":[{"name":"all","role":"viewer","namespace":"","subjects":[]},{"name":"sre","role":"maker","namespace":"sre","subjects":[
			 {"kind":"user","name":"ann"},{"kind":"group","name":"ops"},{"kind":"user","name":"bob"},{"kind":"user","name":"eve"}]}]}`,
			"NAME   ROLE     NAMESPACE   SUBJECTS\nall    viewer   (all)       -\n" +
				"sre    maker    sre         user ann; group ops; user bob and 1 more\n",
		},
		"status": {
			printer.Printer{Format: printer.Table},
			"apiregistrations/status",
			`{"name":"a.b","sync_id":"s2","subscriptions":[{"namespace":"sre","state":"success","current_sync_id":"s1","synced":false,"reason":"queued"}]}`,
			"NAMESPACE   STATE     SYNCED   REASON   CURRENT   TARGET\nsre         success   false    queued   s1        s2\n",
		},
		"apis": {
			printer.Printer{Format: printer.Table},
			"apis",
			`{"apis":[{"name":"catalog.example.com","short_name":"catalog","builtin":true,"resources":[{"name":"namespaces","namespaced":false,"verbs":["get","list"]}]},
			 {"name":"a.b","short_name":"","builtin":false,"resources":[]}]}`,
			"NAME                  SHORT     RESOURCE     NAMESPACED   VERBS\n" +
				"catalog.example.com   catalog   namespaces   false        get,list\n" +
				"a.b                   -         -            -            -\n",
		},
		"a resource that nobody knows": {
			printer.Printer{Format: printer.Table},
			"machines", `{"items":[{"size":3,"name":"m1","disks":[1]},{"name":"m2","zone":"z"}]}`,
			"NAME   SIZE   ZONE\nm1     3      -\nm2     -      z\n",
		},
		"shortened": {
			printer.Printer{Format: printer.Table, Terminal: true},
			"apiregistrations/status",
			`{"name":"a.b","sync_id":"32178b2a-9360-1ba6-6270-a28196209bad","subscriptions":[{"namespace":"32178b2a-9360-1ba6-6270-a28196209bad",
			 "state":"success","current_sync_id":"2026-01-01T00Z-and-some-more-letters","synced":false,"reason":"queued"}]}`,
			"NAMESPACE                              STATE     SYNCED   REASON   CURRENT                                TARGET\n" +
				"32178b2a-9360-1ba6-6270-a28196209bad   success   false    queued   2026-01-01T00Z-and-some-more-letters   32178b2a…\n",
		},
		"shortened, but wide": {
			printer.Printer{Format: printer.Wide, Terminal: true, NoHeaders: true},
			"apiregistrations/sync", `{"name":"a.b","active":true,"sync_id":"32178b2a-9360-1ba6-6270-a28196209bad"}`,
			"a.b   -   true   -   32178b2a-9360-1ba6-6270-a28196209bad   -   -   -   -   -\n",
		},
		"an empty list": {printer.Printer{Format: printer.Table}, "namespaces", `{"items":[]}`, "NAME   ACTIVE\n"},
		"wide characters": {
			printer.Printer{Format: printer.Table}, "x", `{"items":[{"name":"世界","n":1},{"name":"a","n":2}]}`, "NAME   N\n世界   1\na      2\n",
		},
		"controls": {
			printer.Printer{Format: printer.Table}, "x", `{"na\u001bme":"\u001b[31m\n\u202e"}`, `NA\x1bME` + "\n" + `\x1b[31m\n\u202e` + "\n",
		},
		"colour": {
			printer.Printer{Format: printer.Table, Color: true, NoHeaders: true},
			"x", `{"name":"a","state":"error","z":1}`,
			"a   \x1b[1;38;5;166merror\x1b[0m   1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := show(t, c.printer, c.resource, c.doc); got != c.out {
				t.Errorf("got\n%s\nwant\n%s", got, c.out)
			}
		})
	}
}

func TestWideShowsMore(t *testing.T) {
	t.Parallel()
	got := show(t, printer.Printer{Format: printer.Wide}, "apiregistrations", registrations)
	for _, want := range []string{"RELEASED", "MODE", "DEPENDS_ON", "app.example.com", "s1"} {
		if !strings.Contains(got, want) {
			t.Errorf("wide lacks %q:\n%s", want, got)
		}
	}
}

func TestJSONKeepsOrderAndDigits(t *testing.T) {
	t.Parallel()
	got := show(t, printer.Printer{Format: printer.JSON}, "x", `{"z":12345678901234567890,"a":1.50,"s":"\u0007é`+"\u009b\u202e"+`"}`)
	want := "{\n  \"z\": 12345678901234567890,\n  \"a\": 1.50,\n  \"s\": \"\\u0007é\\u009b\\u202e\"\n}\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestYAMLKeepsOrderAndDigits(t *testing.T) {
	t.Parallel()
	got := show(t, printer.Printer{Format: printer.YAML}, "x",
		`{"z":12345678901234567890,"a":1.50,"t":"true","d":"2026-01-01","y":"yes","n":null,"l":["x",{"k":false}],"e":[],"o":{},"esc":"\u001b[0m","\u202ek":"\u202erun \u009b\u00e9"}`)
	want := "z: 12345678901234567890\na: 1.50\nt: \"true\"\nd: \"2026-01-01\"\n\"y\": \"yes\"\n\"n\": null\nl:\n  - x\n  - k: false\n" +
		"e: []\no: {}\nesc: \"\\e[0m\"\n\"\\u202ek\": \"\\u202erun \\x9Bé\"\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	p := printer.Printer{Format: printer.Name}
	for _, c := range []struct{ resource, doc, want string }{
		{"apiregistrations", registrations, "apiregistrations/compute.example.com\napiregistrations/dns.example.com\n"},
		{"subscriptions", `{"api":"a.b","namespace":"sre"}`, "subscriptions/a.b\n"},
		{"apiregistrations/status", `{"name":"a.b","subscriptions":[{"namespace":"sre"}]}`, "apiregistrations/a.b\n"},
		{"apis", `{"apis":[{"name":"a.b","resources":[{"name":"m"}]}]}`, "apis/a.b\n"},
		{"reconcilers", `{"items":[{"id":"7"}]}`, "reconcilers/7\n"},
	} {
		if got := show(t, p, c.resource, c.doc); got != c.want {
			t.Errorf("%s: got %q, want %q", c.resource, got, c.want)
		}
	}
}

func TestFormatsThatAreNotThere(t *testing.T) {
	t.Parallel()
	for s, says := range map[string]string{
		"": "is not an output format", "xml": "use table, wide, json", "JSON": "is not an output format", "json=x": "is not an output format",
		"jsonpath": "has no template", "jsonpath=": "write -o 'jsonpath={", "go-template=": "write -o 'go-template={{",
		"jsonpath={.items[": "cannot be read", "jsonpath={.name": "cannot be read", "go-template={{.name": "cannot be read",
		"go-template={{nothing .name}}": `"nothing" not defined`, "jsonpath-file=/no/such": "/no/such", "jsonpath-file": "jsonpath-file=FILE",
		"custom-columns=NAME": `"NAME" is not a column`, "custom-columns=NAME:": "is not a column", "custom-columns=": "write -o 'custom-columns=",
		"custom-columns=A:.b,B:{.c": "column B:", "custom-columns-file=x": "is not an output format",
	} {
		if _, _, err := printer.ParseFormat(s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", s, err, says)
		}
	}
}

// FuzzYAML holds what the YAML says against what the JSON said.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{`- x`, `#`, `yes`, `0o7`, `1e3`, `null`, `a: b`, `\u0085\u2028`, `trailing \n\n`, `\u202e: x`, ` lead`, `\t\ufffd\n\n`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want string
		if json.Unmarshal([]byte(`"`+s+`"`), &want) != nil {
			return
		}
		document, err := json.Marshal(map[string]string{"value": want})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		out := show(t, printer.Printer{Format: printer.YAML}, "x", string(document))
		if err := yaml.Unmarshal([]byte(out), &got); err != nil || got["value"] != want {
			t.Errorf("%q became %q (%v)", want, got["value"], err)
		}
	})
}
