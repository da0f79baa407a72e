package reconciler

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kayra/store/catalog"
)

// deriveResources reads from an OpenAPI 3 document which resources an API serves. Paths look like
//
//	/apis/API/v1/[namespaces/{namespace}/]RESOURCE[/{name}[/ACTION]]
//
// and all others are passed over. Nothing but the paths and their methods is read, so that a document cannot cost more
// than a multiple of its size: references are not followed.
func deriveResources(api string, document []byte) ([]catalog.Resource, error) {
	var doc struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("the document of %s is not an OpenAPI document in JSON: %w", api, syntax(err))
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") {
		return nil, fmt.Errorf(`the document of %s is not OpenAPI 3: its "openapi" field is missing or not 3.x`, api)
	}
	if doc.Paths == nil {
		return nil, fmt.Errorf(`the document of %s is not an OpenAPI document: it has no "paths"`, api)
	}
	found := resources{}
	for path, value := range doc.Paths {
		r, item, ok := parsePath(api, path)
		if !ok {
			continue // such as an extension, which may be any JSON
		}
		var methods map[string]passed
		if err := json.Unmarshal(value, &methods); err != nil {
			return nil, fmt.Errorf("the document of %s is not an OpenAPI document: %.80q is not an object", api, path)
		}
		for method := range methods {
			if v := verbOf(method, item); v != 0 {
				found[r] |= v
			}
		}
	}
	out := found.sorted()
	data, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode resources: %w", err)
	}
	if len(data) > catalog.MaxResources {
		return nil, fmt.Errorf("the document of %s names too many resources: they take %d bytes, and %d are allowed",
			api, len(data), catalog.MaxResources)
	}
	return out, nil
}

// passed is a value that nobody reads.
type passed struct{}

// UnmarshalJSON implements [json.Unmarshaler].
func (*passed) UnmarshalJSON([]byte) error { return nil }

// syntax keeps what is wrong of a JSON error, without what the document said there.
func syntax(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%q has the wrong type", wrong.Field)
	}
	return err
}

// resources are those that were found, with the verbs of each.
type resources map[resource]verbs

// sorted lists the resources by name.
func (found resources) sorted() []catalog.Resource {
	out := make([]catalog.Resource, 0, len(found))
	for r, v := range found {
		out = append(out, catalog.Resource{Name: r.name, Namespaced: r.namespaced, Verbs: v.list()})
	}
	slices.SortFunc(out, func(a, b catalog.Resource) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 || a.Namespaced == b.Namespaced {
			return c
		}
		if a.Namespaced {
			return 1
		}
		return -1
	})
	return out
}
