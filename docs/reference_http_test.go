package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kayra/server"
	"kayra/server/auth"
	"kayra/server/rbac"
	"kayra/store/catalog"
	"kayra/store/local"
)

const httpHead = `# Every route of kayra serve

By ` + "`make generate`" + `, from the OpenAPI document that a running server serves at ` + "`/-/openapi.json`" + `. [api.md](../api.md) tells how bodies,
answers and refusals work, and what a reconciler answers. ` + "`example.com`" + ` is ` + "`domain`" + ` of kayra.yaml. Every refusal is a
[Problem](#problem).
`

// openAPI is the part of the document that the page shows.
type openAPI struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	Summary, Description string
	Security             []map[string][]string
	Parameters           []struct {
		Name, In, Description string
		Schema                schema
	}
	RequestBody struct {
		Content map[string]struct{ Schema schema }
	}
	Responses map[string]struct {
		Description string
		Content     map[string]struct{ Schema schema }
	}
}

type schema struct {
	Ref         string `json:"$ref"`
	Type        any
	Description string
	Enum        []any
	Minimum     any
	Maximum     any
	ReadOnly    bool
	Items       *schema
	Properties  map[string]schema
}

func TestGeneratedRoutes(t *testing.T) {
	t.Parallel()
	var document openAPI
	if err := json.Unmarshal(served(t, "/-/openapi.json"), &document); err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	page.WriteString(httpHead)
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if o, ok := document.Paths[path][method]; ok {
				o.write(&page, strings.ToUpper(method), path)
			}
		}
	}
	page.WriteString("\n# What is sent and answered\n")
	for _, name := range slices.Sorted(maps.Keys(document.Components.Schemas)) {
		document.Components.Schemas[name].write(&page, name)
	}
	generated(t, "http.md", page.Bytes())
}

// served is what a server answers to anyone.
func served(t *testing.T, path string) []byte {
	t.Helper()
	s, err := local.Open(t.Context(), local.Options{Path: filepath.Join(t.TempDir(), "kayra.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	nobody, err := auth.NewTokens(nil)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(server.Options{
		Repository:    catalog.NewRepository(s, catalog.Scope{Platform: "p", Region: "r"}),
		Authenticator: nobody, Policy: rbac.New(rbac.Options{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	srv.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("%s: %d", path, answer.Code)
	}
	return answer.Body.Bytes()
}

func (o operation) write(page *bytes.Buffer, method, path string) {
	_, _ = fmt.Fprintf(page, "\n## %s `%s`\n\n", method, path)
	for _, text := range []string{o.Summary, o.Description} {
		if text != "" {
			_, _ = fmt.Fprintf(page, "%s.\n\n", strings.TrimSuffix(text, "."))
		}
	}
	if len(o.Security) == 0 {
		page.WriteString("Open to everybody.\n\n")
	}
	for _, p := range o.Parameters {
		if p.In != "path" {
			_, _ = fmt.Fprintf(page, "- %s `%s`: %s\n", p.In, p.Name, strings.Join(present(p.Schema.kind(), p.Description, p.Schema.Description), ". "))
		}
	}
	if kinds := slices.Sorted(maps.Keys(o.RequestBody.Content)); len(kinds) > 0 { // all have the same schema
		body := o.RequestBody.Content[kinds[0]].Schema
		_, _ = fmt.Fprintf(page, "- body: %s\n", body.kind())
		body.fields(page, "  ")
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		if status == "default" {
			continue
		}
		var kinds []string
		for _, kind := range slices.Sorted(maps.Keys(o.Responses[status].Content)) {
			kinds = append(kinds, "`"+kind+"` "+o.Responses[status].Content[kind].Schema.kind())
		}
		_, _ = fmt.Fprintf(page, "- %s: %s\n", status, strings.Join(present(o.Responses[status].Description, strings.Join(kinds, " or ")), " "))
	}
}

func (s schema) write(page *bytes.Buffer, name string) {
	_, _ = fmt.Fprintf(page, "\n## %s\n\n", name)
	if s.Description != "" {
		_, _ = fmt.Fprintf(page, "%s\n\n", s.Description)
	}
	s.fields(page, "")
}

func (s schema) fields(page *bytes.Buffer, indent string) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		readOnly := ""
		if p.ReadOnly {
			readOnly = "read-only"
		}
		_, _ = fmt.Fprintf(page, "%s- `%s`: %s\n", indent, name, strings.Join(present(p.kind(), readOnly, p.Description), ". "))
		p.fields(page, indent+"  ")
		if p.Items != nil {
			p.Items.fields(page, indent+"  ")
		}
	}
}

// kind is the type of a value, in a word or two.
func (s schema) kind() string {
	switch {
	case s.Ref != "":
		name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	case s.Items != nil:
		return "list of " + s.Items.kind()
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, word := range s.Enum {
			words[i] = fmt.Sprintf("`%v`", word)
		}
		return strings.Join(words, ", ")
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%v, %v to %v", s.Type, s.Minimum, s.Maximum)
	}
	switch kind := s.Type.(type) {
	case string:
		return kind
	case []any:
		return fmt.Sprint(kind[0])
	}
	return "anything"
}

func present(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}
