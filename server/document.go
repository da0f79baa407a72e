package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"kayra/notice"
	"kayra/server/api"
)

const bearer = "bearer" // the security scheme

// streamDoc says what a stream is.
const streamDoc = "With watch: server-sent events. added, modified and deleted have an item as the list has it, or a row of the status; " +
	"synced says that all of them have come, and has the status without its rows; reset says that what was told is to be forgotten. " +
	"The id is the revision of the store up to which all has been told, or 0 if nothing has; Last-Event-ID goes on from there."

// document is the OpenAPI document of the routes.
func document(routes []route, version string) ([]byte, error) {
	if version == "" {
		version = "unknown"
	}
	d := &documenter{schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)}
	doc := huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Kayra", Version: version,
			Description: "Registrations of APIs, the namespaces that subscribe to them, and how far each has come.",
		},
		Components: &huma.Components{
			Schemas:         d.schemas,
			SecuritySchemes: map[string]*huma.SecurityScheme{bearer: {Type: "http", Scheme: "bearer"}},
		},
	}
	for _, rt := range routes {
		doc.AddOperation(d.operation(rt))
		if name := tag(rt); !slices.ContainsFunc(doc.Tags, func(t *huma.Tag) bool { return t.Name == name }) {
			doc.Tags = append(doc.Tags, &huma.Tag{Name: name}) // in the order of the table
		}
	}
	for _, s := range d.schemas.Map() {
		s.AdditionalProperties = nil // an answer may get more keys with time
	}
	data, err := json.Marshal(&doc)
	if err != nil {
		return nil, fmt.Errorf("encode OpenAPI document: %w", err)
	}
	return data, nil
}

type documenter struct {
	schemas huma.Registry
}

func (d *documenter) operation(rt route) *huma.Operation {
	op := &huma.Operation{
		Method: rt.method, Path: rt.path, OperationID: operationID(rt), Responses: d.responses(rt),
		Tags: []string{tag(rt)}, Summary: summary(rt),
	}
	for _, name := range wildcards(rt.path) {
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: "string"}})
	}
	for _, name := range rt.query {
		op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "query", Schema: querySchema(name)})
	}
	if conditional(rt) {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "If-Match", In: "header", Schema: &huma.Schema{Type: "string"},
			Description: "The ETag of the object that is meant; 412 when it has changed since.",
		})
	}
	if streams(rt) {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: lastID, In: "header", Schema: &huma.Schema{Type: "string", Pattern: "^[0-9]*$"},
			Description: "With watch: the id of the last event that came, after which the stream is to begin.",
		})
	}
	if rt.gate != open {
		op.Security = []map[string][]string{{bearer: {}}}
	}
	if rt.in != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{jsonType: {Schema: d.request(rt)}}}
	}
	return op
}

// conditional tells whether the route heeds If-Match.
func conditional(rt route) bool {
	return rt.method == http.MethodPut || rt.method == http.MethodPatch || rt.method == http.MethodDelete
}

// streams tells whether the route's answer can be watched.
func streams(rt route) bool { return slices.Contains(rt.query, watching) }

// operationID is the verb and the path, such as get-namespaces-ns.
func operationID(rt route) string {
	words := strings.FieldsFunc(rt.path, func(c rune) bool { return strings.ContainsRune("/{}-", c) })
	if rt.group() != "" && rt.resource != "" {
		words = words[3:] // without apis, the group and v1
		return rt.verb + "-" + strings.Join(words, "-")
	}
	return strings.ToLower(rt.method) + "-" + strings.Join(words, "-")
}

func tag(rt route) string {
	if rt.resource == "" {
		return "system"
	}
	name, _, _ := strings.Cut(rt.resource, "/")
	return name
}

func querySchema(name string) *huma.Schema {
	number := func(n float64) *float64 { return &n }
	switch name {
	case "limit":
		return &huma.Schema{Type: "integer", Minimum: number(1), Maximum: number(maxPage), Description: "At most this many items."}
	case "continue":
		return &huma.Schema{Type: "string", Description: "What the list before this one answered as continue."}
	case "state":
		return &huma.Schema{Type: "string", Enum: []any{"init", "success", "error"}}
	case dryRun:
		return &huma.Schema{Type: "boolean", Description: "Check all, and answer the object as it would be; nothing is written."}
	case watching:
		return &huma.Schema{Type: "boolean", Description: "Answer what there is and how it changes, as a stream of events."}
	case "api":
		return &huma.Schema{Type: "string", Description: "Name of a registration."}
	}
	return &huma.Schema{Type: "boolean"}
}

func (d *documenter) responses(rt route) map[string]*huma.Response {
	status := http.StatusOK
	switch rt.method {
	case http.MethodPost:
		switch rt.out.(type) {
		case api.Decision, notice.Answer: // nothing is created
		default:
			status = http.StatusCreated
		}
	case http.MethodDelete:
		status = http.StatusNoContent
	}
	ok := &huma.Response{Description: http.StatusText(status)}
	if rt.out != nil {
		ok.Content = map[string]*huma.MediaType{jsonType: {Schema: d.schema(rt.out)}}
	}
	if streams(rt) {
		ok.Content[streamType] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Description: streamDoc}}
	}
	if types := textOf(rt.path); len(types) > 0 {
		ok.Content = map[string]*huma.MediaType{}
		for _, name := range types {
			ok.Content[name] = &huma.MediaType{Schema: &huma.Schema{Type: "string"}}
		}
	}
	problem := &huma.Response{
		Description: "Refused; nothing was changed.",
		Content:     map[string]*huma.MediaType{api.ProblemType: {Schema: d.schema(api.Problem{})}},
	}
	all := map[string]*huma.Response{strconv.Itoa(status): ok, "default": problem}
	if status == http.StatusCreated && slices.Contains(rt.query, dryRun) {
		all[strconv.Itoa(http.StatusOK)] = &huma.Response{Description: "Dry run: nothing was created.", Content: ok.Content}
	}
	return all
}

// textOf are the media types of a path that answers no JSON.
func textOf(path string) []string {
	switch path {
	case "/-/metrics":
		return []string{"text/plain"}
	case docsPath:
		return []string{"text/html"}
	case docsPath + "/{file}":
		return []string{"text/css", "text/javascript", "image/png"}
	}
	return nil
}

func (d *documenter) schema(value any) *huma.Schema {
	if _, is := value.(raw); is {
		return &huma.Schema{Type: "object"}
	}
	return d.schemas.Schema(reflect.TypeOf(value), true, "")
}

// request is the schema of a route's body. It is that of the answer, where any key may be left out or null and no other
// key may be there.
func (d *documenter) request(rt route) *huma.Schema {
	s := d.writable(d.schemas.Schema(reflect.TypeOf(rt.in), true, ""))
	for _, identity := range []string{"name", "api", "sync_id", "role", "resource", "verb", "team", "event", "message", "at"} {
		if p, ok := s.Properties[identity]; ok {
			p.Nullable = false
		}
	}
	for _, identity := range []string{"name", "api", "role", "resource", "verb", "team", "event", "message", "at"} {
		if _, ok := s.Properties[identity]; ok && rt.method == http.MethodPost {
			s.Required = append(s.Required, identity)
		}
	}
	if operator, ok := s.Properties["operator"]; ok {
		mergePatch(operator)
	}
	return s
}

// mergePatch has null clear any key of an object, at every depth. An array is taken as it is, with whole items.
func mergePatch(s *huma.Schema) {
	for _, p := range s.Properties {
		p.Nullable = true
		mergePatch(p)
		if p.Items == nil {
			continue
		}
		p.Items.Required = slices.Sorted(maps.Keys(p.Items.Properties))
		for _, whole := range p.Items.Properties {
			whole.Nullable = false
		}
	}
}

// writable is a copy of the schema, at every depth.
func (d *documenter) writable(s *huma.Schema) *huma.Schema {
	if s.Ref != "" {
		s = d.schemas.SchemaFromRef(s.Ref)
	}
	c := &huma.Schema{
		Type: s.Type, Description: s.Description, Format: s.Format, Enum: s.Enum,
		MinItems: s.MinItems, MaxItems: s.MaxItems, ReadOnly: s.ReadOnly,
		Minimum: s.Minimum, Maximum: s.Maximum,
	}
	if s.Items != nil {
		c.Items = d.writable(s.Items)
	}
	if s.Type != huma.TypeObject {
		return c
	}
	c.AdditionalProperties = false
	c.Properties = make(map[string]*huma.Schema, len(s.Properties))
	for name, p := range s.Properties {
		c.Properties[name] = d.writable(p)
		c.Properties[name].Nullable = len(p.Enum) == 0 && slices.Contains(s.Required, name)
	}
	return c
}
