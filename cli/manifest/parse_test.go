package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"kayra/cli/manifest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shown is what a test compares of documents: place, what it is about, and the body.
func shown(documents []manifest.Document) string {
	var b strings.Builder
	for _, d := range documents {
		own := "app"
		if d.Own != nil {
			own = d.Own.Name
		}
		_, _ = fmt.Fprintf(&b, "%s #%d %s %s/%s/%s/%s %s\n", d.Place, d.Number, own, d.Group, d.Resource, d.Namespace, d.Name, d.Body.JSON())
	}
	return b.String()
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, want string }{
		"yaml": {"f.yaml", "# first\nkind: Namespace\nname: sre\n---\n\nkind: Role\nname: r\nrules: []\n", `
f.yaml:2 #1 Namespace catalog/namespaces//sre {"name":"sre"}
f.yaml:6 #2 Role authorization/roles//r {"name":"r","rules":[]}
`},
		"empty documents": {"f.yaml", "---\n# nothing\n---\nkind: Namespace\nname: sre\n---\n---\n", `
f.yaml:4 #1 Namespace catalog/namespaces//sre {"name":"sre"}
`},
		"nothing":              {"f.yaml", "# nothing\n", "\n"},
		"nothing of JSON":      {"f.json", " \n", "\n"},
		"byte order mark":      {"f.yaml", "\ufeffkind: Namespace\nname: sre\n", "\nf.yaml:1 #1 Namespace catalog/namespaces//sre {\"name\":\"sre\"}\n"},
		"byte order mark JSON": {"f", "\ufeff{\"kind\":\"Namespace\",\"name\":\"sre\"}", "\nf:1 #1 Namespace catalog/namespaces//sre {\"name\":\"sre\"}\n"},
		"CRLF": {"f.yaml", "kind: Namespace\r\nname: sre\r\n---\r\nkind: Namespace\r\nname: ops\r\n", `
f.yaml:1 #1 Namespace catalog/namespaces//sre {"name":"sre"}
f.yaml:4 #2 Namespace catalog/namespaces//ops {"name":"ops"}
`},
		"anchors and merge keys": {"f.yaml", `kind: ApiRegistration
name: a.example.com
operator: &base {workers: 2, retry: {max_attempts: 1}}
---
kind: ApiRegistration
name: b.example.com
x: &more {resync: 1m, workers: 9}
y: &first {workers: 5}
operator:
  <<: [*first, *more]
  resync: 2m
z: {<<: *first}
`, `
f.yaml:1 #1 ApiRegistration catalog/apiregistrations//a.example.com {"name":"a.example.com","operator":{"workers":2,"retry":{"max_attempts":1}}}
f.yaml:5 #2 ApiRegistration catalog/apiregistrations//b.example.com {"name":"b.example.com","x":{"resync":"1m","workers":9},"y":{"workers":5},"operator":{"resync":"2m","workers":5},"z":{"workers":5}}
`},
		"values": {"f.yaml", `{kind: Role, name: "1", rules: null, a: yes, b: true, c: ~, d: 0x1F, e: 1e3, f: 1_000, g: 2001-12-14, h: "<&>", i: 12345678901234567890, j: .5, 8: x}`, `
f.yaml:1 #1 Role authorization/roles//1 {"name":"1","rules":null,"a":"yes","b":true,"c":null,"d":31,"e":1e3,"f":1000,"g":"2001-12-14","h":"<&>","i":12345678901234567890,"j":0.5,"8":"x"}
`},
		"JSON, one after the other": {"f.json", "{\"kind\":\"Namespace\",\"name\":\"sre\"}\n{\n\"kind\":\"namespaces\",\"name\":\"ops\"}", `
f.json:1 #1 Namespace catalog/namespaces//sre {"name":"sre"}
f.json:2 #2 Namespace catalog/namespaces//ops {"name":"ops"}
`},
		"JSON arrays, and lists": {"f", `[
 {"kind":"Namespace","name":"sre"},
 {"items":[

  {"api":"a.b","namespace":"sre"}], "continue":""}
]`, `
f:2 #1 Namespace catalog/namespaces//sre {"name":"sre"}
f:5 #2 Subscription catalog/subscriptions/sre/a.b {"api":"a.b","namespace":"sre"}
`},
		"a list as it is printed": {"f", `{"items":[
 {"name":"sre","active":true},
 {"name":"ops","active":false}
],"continue":""}`, `
f:2 #1 Namespace catalog/namespaces//sre {"name":"sre","active":true}
f:3 #2 Namespace catalog/namespaces//ops {"name":"ops","active":false}
`},
		"a list as it is printed, in YAML": {"f", "items:\n  - api: a.b\n    namespace: sre\n    state: init\n  - api: c.d\n    namespace: sre\ncontinue: \"\"\n", `
f:2 #1 Subscription catalog/subscriptions/sre/a.b {"api":"a.b","namespace":"sre","state":"init"}
f:5 #2 Subscription catalog/subscriptions/sre/c.d {"api":"c.d","namespace":"sre"}
`},
		"a list as Kubernetes has it": {"f.yaml", "apiVersion: v1\nkind: List\nitems:\n- {kind: Namespace, name: a}\n", "\nf.yaml:4 #1 Namespace catalog/namespaces//a {\"name\":\"a\"}\n"},
		"things of apps": {"f.yaml", `apiVersion: compute.example.com/v1
kind: Machine
namespace: sre
name: m1
size: small
---
apiVersion: compute
resource: machines
kind: big
id: m2
---
apiVersion: catalog.example.com/v1
kind: Namespace
name: sre
`, `
f.yaml:1 #1 app compute.example.com/machine/sre/m1 {"name":"m1","size":"small"}
f.yaml:7 #2 app compute/machines//m2 {"kind":"big","id":"m2"}
f.yaml:12 #3 Namespace catalog.example.com/namespaces//sre {"name":"sre"}
`},
		"inferred": {"f.yaml", "name: a.b\nowner: x\n---\napi: a.b\nnamespace: sre\n---\nname: r\nrules: []\n---\nname: b\nrole: r\n", `
f.yaml:1 #1 ApiRegistration catalog/apiregistrations//a.b {"name":"a.b","owner":"x"}
f.yaml:4 #2 Subscription catalog/subscriptions/sre/a.b {"api":"a.b","namespace":"sre"}
f.yaml:7 #3 Role authorization/roles//r {"name":"r","rules":[]}
f.yaml:10 #4 RoleBinding authorization/rolebindings//b {"name":"b","role":"r"}
`},
		"a binding keeps its namespace": {"f.yaml", "{kind: RoleBinding, name: b, namespace: sre}", "\nf.yaml:1 #1 RoleBinding authorization/rolebindings//b {\"name\":\"b\",\"namespace\":\"sre\"}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := manifest.Parse(c.file, []byte(c.text))
			if err != nil || "\n"+shown(got) != c.want && shown(got) != c.want {
				t.Errorf("got\n%s%v\nwant%s", shown(got), err, c.want)
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	bomb := multiplied("kind: Role\nname: r\na: &a [x, x, x, x, x, x, x, x, x]\n", "%[1]c: &%[1]c [*%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c]\n")
	merges := multiplied("kind: Role\nname: r\na: &a {x: 1}\n", "%[1]c: &%[1]c {<<: [*%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c, *%[2]c], %[1]c: 1}\n")
	for name, c := range map[string]struct{ file, text, want string }{
		"a tab":                        {"f.yaml", "kind: Role\nname: r\nrules:\n\t- x\n", "f.yaml:4: is not YAML: found character that cannot start any token (a tab, perhaps: YAML is indented with spaces)"},
		"a key twice":                  {"f.yaml", "kind: Role\nname: r\n---\nkind: Role\nname: a\nrules:\n- {apis: [], apis: []}\n", `f.yaml:7: "apis" is there twice`},
		"a key twice in JSON":          {"f.json", "{\"kind\":\"Role\",\n\"name\":\"r\",\n\"rules\":[{\"apis\":[],\n\"apis\":[]}]}", `f.json:4: "apis" is there twice`},
		"JSON that ends too early":     {"f.json", "{\"kind\":\n\"Role\"\n\n", "f.json:2: is not JSON: unexpected EOF"},
		"JSON with a mistake":          {"f.json", "{\"kind\":\"Role\",\"name\":\"a\"}\n{\"kind\":\n\"Role\",}", "f.json:3: is not JSON: invalid character '}' looking for beginning of object key string"},
		"no object":                    {"f.json", "[1, \"a\",\ntrue, null]", "f.json:1: is a number, and no object with keys such as kind and name\nf.json:1: is a text, and no object with keys such as kind and name\nf.json:2: is a truth value, and no object with keys such as kind and name\nf.json:2: is null, and no object with keys such as kind and name"},
		"brackets of YAML":             {"standard input", "[{kind: Namespace, name: a}, {kind: Role}]", "standard input:1 (document 2): does not say which one it is: name is missing"},
		"JSON of a text":               {"f.json", "\n\nhello", "f.json:3: is not JSON: invalid character 'h' looking for beginning of value"},
		"a text":                       {"f.yaml", "hello", `f.yaml:1: is the text "hello", and no object with keys such as kind and name`},
		"no kind":                      {"f.yaml", "name: x\n---\nkind: Namespace\nname: y\n---\nname: x\nactive: true\nsize: 1\n", "f.yaml:1 (document 1): does not say what it is: kind is missing, one of Namespace, ApiRegistration, Role, RoleBinding, Subscription\nf.yaml:6 (document 3): does not say what it is: kind is missing, one of Namespace, ApiRegistration, Role, RoleBinding, Subscription"},
		"an unknown kind":              {"f.yaml", "kind: Deployment\nname: x\n", `f.yaml:1 (document 1): kind "Deployment" is none of Kayra's own, which are Namespace, ApiRegistration, Role, RoleBinding, Subscription; a thing of an app says apiVersion, too, such as compute.example.com/v1`},
		"a kind that is no text":       {"f.yaml", "kind: 1\nname: x\n", "f.yaml:1 (document 1): kind is no text: it is such as ApiRegistration"},
		"no name":                      {"f.yaml", "kind: Namespace\n", "f.yaml:1 (document 1): does not say which one it is: name is missing"},
		"no api":                       {"f.yaml", "kind: Subscription\nname: x\n", "f.yaml:1 (document 1): does not say which one it is: api is missing"},
		"a name that is none":          {"f.yaml", "kind: Namespace\nname: 1\n", "f.yaml:1 (document 1): name is no name, but 1: put it into quotes"},
		"a name that is a path":        {"f.yaml", "kind: Namespace\nname: ..\n", `f.yaml:1 (document 1): name ".." is no name`},
		"a namespace that is a path":   {"f.yaml", "kind: Subscription\napi: a.b\nnamespace: ..\n", `f.yaml:1 (document 1): namespace ".." is no name`},
		"as Kubernetes has it":         {"f.yaml", "kind: Namespace\nname: x\nmetadata: {name: x}\n", "f.yaml:1 (document 1): metadata is no key of Namespace: all keys stand beside kind"},
		"another version":              {"f.yaml", "apiVersion: compute/v2\nkind: m\nname: x\n", `f.yaml:1 (document 1): apiVersion "compute/v2" is none: it is the name of an API and its version, such as compute.example.com/v1`},
		"of an app, no kind":           {"f.yaml", "apiVersion: compute\nname: x\n", "f.yaml:1 (document 1): does not say what of compute it is: kind is missing, such as machines"},
		"of an app, no name":           {"f.yaml", "apiVersion: compute\nkind: m\n", "f.yaml:1 (document 1): does not say which one it is: name is missing"},
		"an alias of nothing":          {"f.yaml", "kind: Role\nname: *x\n", "f.yaml:2: is not YAML: unknown anchor 'x' referenced"},
		"an alias of itself":           {"f.yaml", "kind: Role\nname: x\nrules: &r [*r]\n", "f.yaml:3: is nested more than 100 deep, or refers to itself"},
		"a merge with itself":          {"f.yaml", "kind: Role\nname: x\nrules: &r\n  <<: *r\n", "f.yaml:3: is nested more than 100 deep, or refers to itself"},
		"deep":                         {"f.yaml", "kind: Role\nname: x\nrules: " + deep, "f.yaml:3: is nested more than 100 deep, or refers to itself"},
		"aliases that multiply":        {"f.yaml", bomb, "is larger than 4 MiB, with all that its aliases stand for"},
		"merges that multiply":         {"f.yaml", merges, "keys from other mappings"},
		"a merge with a text":          {"f.yaml", "kind: Role\nname: x\n<<: y\n", "f.yaml:3: << takes a mapping, or a list of them"},
		"a merge with a list of texts": {"f.yaml", "kind: Role\nname: x\n<<: [y]\n", "f.yaml:3: << takes a mapping, or a list of them"},
		"a key that is a list":         {"f.yaml", "kind: Role\n? [a]\n: x\n", "f.yaml:2: a list or a mapping cannot be a key"},
		"no number":                    {"f.yaml", "kind: Role\nname: x\nrules: .nan\n", `f.yaml:3: ".nan" is no number that JSON has: put it into quotes if it is a text`},
		"a tag":                        {"f.yaml", "kind: Role\nname: !secret x\n", "f.yaml:2: the tag !secret means nothing here: leave it out"},
		"UTF-16":                       {"f.yaml", "\xff\xfek\x00", "f.yaml:1: is UTF-16: save it as UTF-8"},
		"no UTF-8":                     {"f.yaml", "kind: Role\nname: \xff\n", "f.yaml:2: is not UTF-8"},
		"a zero byte":                  {"f.yaml", "kind: Role\n\nname: \x00\n", "f.yaml:3: has a zero byte: it is no text"},
		"several in one file":          {"f.yaml", "kind: Role\n---\nkind: X\nname: y\n", "f.yaml:1 (document 1): does not say which one it is: name is missing\nf.yaml:3 (document 2): kind \"X\" is none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := manifest.Parse(c.file, []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// multiplied has twenty lines, each of which refers to the one before it again and again.
func multiplied(first, line string) string {
	var b strings.Builder
	b.WriteString(first)
	for i := range 20 {
		_, _ = fmt.Fprintf(&b, line, 'b'+i, 'a'+i)
	}
	return b.String()
}
