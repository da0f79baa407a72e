package reconciler

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kayra/store/catalog"
)

// deriveResources reads from an OpenAPI 3 document which resources an API serves. Paths look like
//
//	/apis/API/v1/[namespaces/{namespace}/]RESOURCE[/{name}[/ACTION]]
//
// and all others are passed over. Nothing but the paths and their methods is read, so that a document cannot cost more
// than its size: references are not followed.
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
	found := map[resource]map[string]bool{}
	for path, value := range doc.Paths {
		r, item, ok := parsePath(api, path)
		if !ok {
			continue // such as an extension, which may be any JSON
		}
		var methods map[string]json.RawMessage
		if err := json.Unmarshal(value, &methods); err != nil {
			return nil, fmt.Errorf("the document of %s is not an OpenAPI document: %.80q is not an object", api, path)
		}
		for method := range methods {
			if verb := verbOf(method, item); verb != "" {
				if found[r] == nil {
					found[r] = map[string]bool{}
				}
				found[r][verb] = true
			}
		}
	}
	return sorted(api, found)
}

// syntax keeps what is wrong of a JSON error, without what the document said there.
func syntax(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%q has the wrong type", wrong.Field)
	}
	return err
}

type resource struct {
	name       string
	namespaced bool
}

// parsePath tells which resource a path is of, and whether it is of one item of it.
func parsePath(api, path string) (r resource, item, ok bool) {
	rest, ok := strings.CutPrefix(path, "/apis/"+api+"/v1/")
	if !ok {
		return r, false, false
	}
	parts := strings.Split(rest, "/")
	const inNamespace = 3
	if len(parts) >= inNamespace && parts[0] == "namespaces" && isParameter(parts[1]) {
		r.namespaced = true
		parts = parts[2:]
	}
	const withAction = 3
	if len(parts) > withAction || !isName(parts[0]) {
		return r, false, false
	}
	r.name = parts[0]
	if len(parts) > 1 && !isParameter(parts[1]) {
		return r, false, false
	}
	if len(parts) == withAction {
		if !isName(parts[2]) {
			return r, false, false
		}
		r.name += "/" + parts[2]
	}
	return r, len(parts) > 1, true
}

func isParameter(part string) bool {
	return strings.HasPrefix(part, "{") && strings.HasSuffix(part, "}")
}

func isName(part string) bool { return part != "" && !strings.ContainsAny(part, "{}") }

func verbOf(method string, item bool) string {
	switch strings.ToLower(method) {
	case "get":
		if item {
			return "get"
		}
		return "list"
	case "post":
		return "create"
	case "put":
		return "update"
	case "patch":
		return "patch"
	case "delete":
		return "delete"
	}
	return ""
}

// sorted lists the resources by name, and refuses more of them than can be stored.
func sorted(api string, found map[resource]map[string]bool) ([]catalog.Resource, error) {
	out := make([]catalog.Resource, 0, len(found))
	for r, verbs := range found {
		out = append(out, catalog.Resource{Name: r.name, Namespaced: r.namespaced, Verbs: slices.Sorted(maps.Keys(verbs))})
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
