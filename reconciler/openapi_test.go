package reconciler_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/reconciler"
	"kayra/store/catalog"
)

// paths is a document of these paths, each with these methods.
func paths(methods string, paths ...string) []byte {
	items := make([]string, 0, len(paths))
	for _, p := range paths {
		name, _ := json.Marshal(p) // a text always can be
		items = append(items, fmt.Sprintf("%s: {%s}", name, methods))
	}
	return fmt.Appendf(nil, `{"openapi": "3.0.3", "paths": {%s}}`, strings.Join(items, ", "))
}

func TestResourcesOfPaths(t *testing.T) {
	t.Parallel()
	const base = "/apis/compute.example.com/v1/"
	global := func(name string, verbs ...string) []catalog.Resource {
		return []catalog.Resource{{Name: name, Verbs: verbs}}
	}
	namespaced := func(name string, verbs ...string) []catalog.Resource {
		return []catalog.Resource{{Name: name, Namespaced: true, Verbs: verbs}}
	}
	none := []catalog.Resource{}
	for path, want := range map[string][]catalog.Resource{
		base + "machines":                                     global("machines", "create", "list"),
		base + "machines/{name}":                              global("machines", "create", "get"),
		base + "machines/{name}/restart":                      global("machines/restart", "create", "get"),
		base + "namespaces/{namespace}/machines":              namespaced("machines", "create", "list"),
		base + "namespaces/{ns}/machines/{machine}":           namespaced("machines", "create", "get"),
		base + "namespaces/{namespace}/dashboards/{d}/reload": namespaced("dashboards/reload", "create", "get"),
		base + "namespaces":                                   global("namespaces", "create", "list"),
		base + "namespaces/{namespace}":                       global("namespaces", "create", "get"),

		base:                                           none,
		base + "machines/":                             none,
		base + "machines/all":                          none,
		base + "machines/{name}/":                      none,
		base + "machines/{name}/{other}":               none,
		base + "machines/{name}/a/b":                   none,
		base + "{resource}":                            none,
		base + "machines-{name}":                       none,
		base + "machines_v2.1/{name}/power:on":         global("machines_v2.1/power:on", "create", "get"),
		base + strings.Repeat("x", 128):                global(strings.Repeat("x", 128), "create", "list"),
		base + strings.Repeat("x", 129):                none,
		base + "a/{" + strings.Repeat("x", 2000) + "}": none,
		base + "*":                                     none,
		base + "..":                                    none,
		base + "a/{name}/.":                            none,
		base + "two words":                             none,
		base + "machines?all=true":                     none,
		base + "caf\u00e9":                             none,
		base + "\x1b[2J":                               none,
		base + "a/{name}/\u202egnp":                    none,
		base + "machines/{name}/log-{date}":            none,
		base + "namespaces/{namespace}/":               none,
		base + "namespaces/core/machines":              none,
		base + "//":                                    none,
		"/apis/compute.example.com/v2/machines":        none,
		"/apis/other.example.com/v1/machines":          none,
		"/apis/compute.example.com.evil/v1/things":     none,
		"/-/healthz":                                   none,
		"":                                             none,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			got, err := reconciler.DeriveResources(compute, paths(`"get": {}, "post": {}, "parameters": [], "x-any": 1`, path))
			must(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("resources of %q:\n%s", path, diff)
			}
		})
	}
}

func TestVerbsOfMethods(t *testing.T) {
	t.Parallel()
	all := `"get": {}, "put": {}, "post": {}, "delete": {}, "options": {}, "head": {}, "patch": {}, "trace": {}, "summary": "s", "$ref": "r"`
	const machines = "/apis/compute.example.com/v1/namespaces/{namespace}/machines"
	got, err := reconciler.DeriveResources(compute, paths(all, machines, machines+"/{name}", machines+"/{name}/stop"))
	must(t, err)
	want := []catalog.Resource{
		{Name: "machines", Namespaced: true, Verbs: []string{"create", "delete", "get", "list", "patch", "update"}},
		{Name: "machines/stop", Namespaced: true, Verbs: []string{"create", "delete", "get", "patch", "update"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUselessDocuments(t *testing.T) {
	t.Parallel()
	const machines = `"/apis/compute.example.com/v1/machines"`
	many := make([]string, 8000)
	for i := range many {
		many[i] = fmt.Sprintf("/apis/compute.example.com/v1/resource-%d", i)
	}
	for name, document := range map[string]string{
		"empty": "", "not JSON": "openapi: 3.1.0", "cut off": `{"openapi": "3.1.0", "paths": {`, "null": "null",
		"a list": `[]`, "two values": `{"openapi": "3.1.0", "paths": {}} {}`,
		"without a version":        `{"paths": {}}`,
		"version 2":                `{"swagger": "2.0", "paths": {}}`,
		"version 31":               `{"openapi": "31", "paths": {}}`,
		"version in number":        `{"openapi": 3.1, "paths": {}}`,
		"without paths":            `{"openapi": "3.1.0"}`,
		"paths null":               `{"openapi": "3.1.0", "paths": null}`,
		"paths a list":             `{"openapi": "3.1.0", "paths": []}`,
		"a path that is a text":    `{"openapi": "3.1.0", "paths": {` + machines + `: "text"}}`,
		"a long path":              `{"openapi": "3.1.0", "paths": {"/apis/compute.example.com/v1/a/{` + strings.Repeat("x", 900) + `}": 1}}`,
		"resources beyond measure": string(paths(`"get": {}, "post": {}`, many...)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := reconciler.DeriveResources(compute, []byte(document))
			if err == nil {
				t.Fatalf("taken, with the resources %+v", got)
			}
			if !strings.Contains(err.Error(), compute) {
				t.Errorf("the error does not say whose document it is: %v", err)
			}
			if len(err.Error()) > 300 { // every subscription keeps it
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// Extensions may stand beside the paths, and hold anything.
func TestDocumentWithExtensions(t *testing.T) {
	t.Parallel()
	document := `{"openapi": "3.1.0", "x-a": 1, "paths": {"x-b": true, "x-c": {"get": 1}, "/-/healthz": {"get": {}}}}`
	got, err := reconciler.DeriveResources(compute, []byte(document))
	if err != nil || len(got) > 0 {
		t.Errorf("resources %+v: %v", got, err)
	}
}

// Whatever an app serves, what is derived from it is bounded, sorted and made of names and verbs.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(document))
	f.Add(paths(`"get": {}`, "/apis/compute.example.com/v1/machines/{name}/restart", "/apis/compute.example.com/v1/namespaces/{n}/a"))
	f.Add([]byte(`{"openapi": "3.1.0", "paths": {"x-b": true, "/apis/compute.example.com/v1/a": null}}`))
	f.Add([]byte(`{"openapi": "3.1.0", "paths": {"/apis/compute.example.com/v1/\u0000/{}": {"GET": {}}}}`))
	for _, web := range webs() {
		f.Add(web[:min(len(web), 2000)])
	}
	verbs := []string{"create", "delete", "get", "list", "patch", "update"}
	f.Fuzz(func(t *testing.T, document []byte) {
		got, err := reconciler.DeriveResources(compute, document)
		if err != nil {
			return
		}
		if size, _ := json.Marshal(got); len(size) > catalog.MaxResources {
			t.Errorf("%d bytes of resources", len(size))
		}
		for i, r := range got {
			if strings.Count(r.Name, "/") > 1 || len(r.Name) > 257 || url.PathEscape(r.Name) != strings.ReplaceAll(r.Name, "/", "%2F") {
				t.Errorf("a resource called %q", r.Name)
			}
			if len(r.Verbs) == 0 || !slices.IsSorted(r.Verbs) || slices.ContainsFunc(r.Verbs, func(v string) bool {
				return !slices.Contains(verbs, v)
			}) {
				t.Errorf("verbs %v of %q", r.Verbs, r.Name)
			}
			if i > 0 && (got[i-1].Name > r.Name || got[i-1].Name == r.Name && got[i-1].Namespaced == r.Namespaced) {
				t.Errorf("%q comes after %q", r.Name, got[i-1].Name)
			}
		}
	})
}
