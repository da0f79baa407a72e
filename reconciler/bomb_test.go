package reconciler_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/store/catalog"
	"kayra/store/etcd/etcdtest"
)

const (
	opening = `{"openapi": "3.1.0", `
	ours    = "/apis/compute.example.com/v1/"
)

// full is a document of 1 MiB: head, then as many of what piece makes as there is room for, then tail.
func full(head string, piece func(i int) string, tail string) []byte {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; ; i++ {
		next := piece(i)
		if i > 0 {
			next = "," + next
		}
		if b.Len()+len(next)+len(tail) > catalog.MaxDocument {
			break
		}
		b.WriteString(next)
	}
	return []byte(b.String() + tail)
}

func times(n int, text string) []byte { return []byte(strings.Repeat(text, n)) }

// nested has n brackets, within a document.
func nested(n int, before, open, closing, after string) []byte {
	return slices.Concat([]byte(before), times(n, open), times(n, closing), []byte(after))
}

// webs are documents whose references and combinations would grow without end if anything followed them.
func webs() map[string][]byte {
	inPaths := func(item string) []byte {
		return []byte(opening + `"paths": {"` + ours + `machines": ` + item + `}}`)
	}
	schemas := func(piece func(i int) string) []byte {
		return full(opening+`"paths": {"`+ours+`machines": {"get": {}}}, "components": {"schemas": {`, piece, `}}}`)
	}
	return map[string][]byte{
		"a path item that is itself":   inPaths(`{"$ref": "#/paths/~1apis~1compute.example.com~1v1~1machines"}`),
		"a path item of a file":        inPaths(`{"$ref": "file:///etc/passwd"}`),
		"a path item of another host":  inPaths(`{"$ref": "http://127.0.0.1:1/openapi.json#/paths/~1a"}`),
		"a document that is elsewhere": []byte(`{"$ref": "http://127.0.0.1:1/openapi.json"}`),
		"paths that are elsewhere":     []byte(opening + `"paths": {"$ref": "file:///etc/passwd"}}`),
		"a chain of schemas": schemas(func(i int) string {
			return fmt.Sprintf(`"s%d": {"$ref": "#/components/schemas/s%d"}`, i, i+1)
		}),
		"a web of allOf": schemas(func(i int) string {
			next := fmt.Sprintf(`{"$ref": "#/components/schemas/s%d"}`, i+1)
			return fmt.Sprintf(`"s%d": {"allOf": [%s, %s], "anyOf": [%s, %s]}`, i, next, next, next, next)
		}),
		"a ring of parameters": full(opening+`"paths": {"`+ours+`machines": {"get": {"parameters": [{"$ref": "#/components/parameters/p0"}]}}},
			"components": {"parameters": {`, func(i int) string {
			return fmt.Sprintf(`"p%d": {"$ref": "#/components/parameters/p%d"}`, i, (i+1)%1000)
		}, `}}}`),
		"a chain of path items": full(opening+`"paths": {`, func(i int) string {
			return fmt.Sprintf(`"/p%d": {"$ref": "#/paths/~1p%d"}`, i, i+1)
		}, `}}`),
	}
}

// heaps are documents that are made of as many or as large things as fit.
func heaps() map[string][]byte {
	counted := func(format string) func(int) string {
		return func(i int) string { return fmt.Sprintf(format, i) }
	}
	always := func(text string) func(int) string { return func(int) string { return text } }
	big := catalog.MaxDocument - 200
	return map[string][]byte{
		"paths":                   full(opening+`"paths": {`, counted(`"%x":0`), `}}`),
		"one path over and over":  full(opening+`"paths": {`, always(`"":0`), `}}`),
		"paths of ours":           full(opening+`"paths": {`, counted(`"`+ours+`%x":{"get":0}`), `}}`),
		"one of ours, repeated":   full(opening+`"paths": {`, always(`"`+ours+`a":{"get":0}`), `}}`),
		"paths without a method":  full(opening+`"paths": {`, counted(`"`+ours+`%x":{}`), `}}`),
		"methods":                 full(opening+`"paths": {"`+ours+`machines": {`, counted(`"%x":0`), `}}}`),
		"one method, repeated":    full(opening+`"paths": {"`+ours+`machines": {`, always(`"get":0`), `}}}`),
		"keys":                    full(opening+`"paths": {}, `, counted(`"%x":0`), `}`),
		"versions":                full(`{`, always(`"openapi":"3.1.0"`), `, "paths": {}}`),
		"paths, again and again":  full(opening, always(`"paths":{"`+ours+`a":{"get":0}}`), `}`),
		"tags":                    full(opening+`"paths": {}, "tags": [`, counted(`{"name":"%x"}`), `]}`),
		"zeroes":                  full(opening+`"paths": {}, "x": [`, always("0"), `]}`),
		"a long string":           slices.Concat([]byte(opening+`"paths": {}, "x": "`), times(big, "x"), []byte(`"}`)),
		"a long escaped string":   slices.Concat([]byte(opening+`"paths": {}, "x": "`), times(big/6, `\u0041`), []byte(`"}`)),
		"a long number":           slices.Concat([]byte(opening+`"paths": {}, "x": `), times(big, "9"), []byte(`}`)),
		"a long version":          slices.Concat([]byte(`{"paths": {}, "openapi": "3.`), times(big, "1"), []byte(`"}`)),
		"a long name":             slices.Concat([]byte(opening+`"paths": {"`+ours), times(big, "x"), []byte(`": {"get": 0}}}`)),
		"a long method":           slices.Concat([]byte(opening+`"paths": {"`+ours+`a": {"`), times(big, "x"), []byte(`": {}}}}`)),
		"a path of slashes":       slices.Concat([]byte(opening+`"paths": {"`+ours), times(big, "/"), []byte(`": {"get": 0}}}`)),
		"a path of braces":        slices.Concat([]byte(opening+`"paths": {"`+ours), times(big, "{"), []byte(`": {"get": 0}}}`)),
		"a path not in UTF-8":     slices.Concat([]byte(opening+`"paths": {"`+ours), times(big, "\xff"), []byte(`": {"get": 0}}}`)),
		"a number beyond measure": []byte(opening + `"paths": {}, "x": 1e999999999, "y": -1e-999999999}`),
		"spaces":                  slices.Concat([]byte(opening+`"paths": {}`), times(big, " "), []byte("}")),
		"not UTF-8":               times(catalog.MaxDocument, "\xff"),
		"a YAML bomb":             []byte("openapi: 3.1.0\na: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\npaths: {}\n"),
		"brackets":                times(catalog.MaxDocument, "["),
		"braces":                  times(catalog.MaxDocument/5, `{"":{`),
		"nested arrays":           nested(100_000, opening+`"paths": {}, "x": `, "[", "]", "}"),
		"nested objects":          nested(100_000, opening+`"paths": {}, "x": `, `{"":`, "}", "}"),
		"nested within a path":    nested(100_000, opening+`"paths": {"`+ours+`a": {"get": `, "[", "]", "}}}"),
		"nested within no path":   nested(100_000, opening+`"paths": {"/a": `, "[", "]", "}}"),
		"nested, just allowed":    nested(9_000, opening+`"paths": {"`+ours+`a": {"get": `, "[", "]", "}}}"),
	}
}

func bombs() map[string][]byte {
	all := webs()
	maps.Copy(all, heaps())
	return all
}

// Whatever stands in a document, reading it costs a bounded multiple of its size, and ends in resources that can be kept
// or in a sentence.
func TestBombsCostNoMoreThanTheirSize(t *testing.T) { //nolint:paralleltest // it measures what is allocated
	if etcdtest.Racing {
		t.Skip("it is about memory, of which the race detector takes its own")
	}
	const (
		least = 1 << 20 // what anything may allocate
		most  = 32      // bytes that may be allocated for each of the document
	)
	benign, _ := cost(t, full(opening+`"paths": {`, func(i int) string {
		return fmt.Sprintf(`"/p%d": {"get": {"summary": "a thing that is of no interest here", "parameters": []}}`, i)
	}, "}}"))
	for name, document := range bombs() {
		took, allocated := cost(t, document)
		if allocated > uint64(most*len(document)+least) {
			t.Errorf("%s: %d bytes are allocated for a document of %d", name, allocated, len(document))
		}
		if took > 100*(benign+10*time.Millisecond) {
			t.Errorf("%s takes %s, and a benign document of 1 MiB %s", name, took, benign)
		}
	}
}

// cost is what reading a document takes, and checks what comes of it.
func cost(t *testing.T, document []byte) (took time.Duration, allocated uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	got, err := reconciler.DeriveResources(compute, document)
	took = time.Since(began)
	runtime.ReadMemStats(&after)
	if err != nil {
		if len(err.Error()) > 300 || got != nil {
			t.Errorf("%d resources, and an error of %d bytes", len(got), len(err.Error()))
		}
		return took, after.TotalAlloc - before.TotalAlloc
	}
	if data, err := json.Marshal(got); err != nil || len(data) > catalog.MaxResources {
		t.Errorf("the resources take %d bytes: %v", len(data), err)
	}
	return took, after.TotalAlloc - before.TotalAlloc
}
