package reconciler

import (
	"slices"
	"strings"
)

type resource struct {
	name       string
	namespaced bool
}

// verbs is a set of those that are known: the bit of each is its place in known.
type verbs uint

// known is sorted.
func (verbs) known() []string { return []string{"create", "delete", "get", "list", "patch", "update"} }

func (v verbs) list() []string {
	var out []string
	for i, verb := range v.known() {
		if v&(1<<i) != 0 {
			out = append(out, verb)
		}
	}
	return out
}

// parsePath tells which resource a path is of, and whether it is of one item of it.
func parsePath(api, path string) (r resource, item, ok bool) {
	rest, ok := strings.CutPrefix(path, "/apis/"+api+"/v1/")
	if !ok || len(rest) > maxPath {
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

// Bounds, in bytes, on what is taken for a path of a resource and for a name in it.
const (
	maxPath = 1 << 10
	maxName = 128
)

// isName tells whether a part of a path can be the name of a resource or of an action. What would have to be escaped in a
// URL, could not be told apart on a screen, or means something else there is none.
func isName(part string) bool {
	return part != "" && len(part) <= maxName && part != "." && part != ".." &&
		!strings.ContainsFunc(part, func(c rune) bool {
			return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._~:@-", c)
		})
}

// verbOf is the verb that a method of HTTP stands for, or no verb.
func verbOf(method string, item bool) verbs {
	var verb string
	switch strings.ToLower(method) {
	case "get":
		verb = "list"
		if item {
			verb = "get"
		}
	case "post":
		verb = "create"
	case "put":
		verb = "update"
	case "patch", "delete":
		verb = strings.ToLower(method)
	default:
		return 0
	}
	return 1 << slices.Index(verbs(0).known(), verb)
}
