package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// target is what a verb acts on, as it was typed.
type target struct {
	group     string // short or long name of an API
	resource  string
	name      string // "" for all of them
	sub       string // what stands behind the name's slash: sync, status, openapi.json, an action of an app
	namespace string // -n
	all       bool   // -A
	lists     bool   // the verb can act on all of a kind, in all namespaces
}

// addTarget declares the flags that say where a target is.
func addTarget(cmd *cobra.Command, t *target) {
	cmd.Flags().StringVarP(&t.namespace, "namespace", "n", "", "namespace of a resource that lives in one")
}

// readArgs reads GROUP RESOURCE [NAME[/SUB]].
func (t *target) readArgs(args []string) error {
	const form = "the form is GROUP [-n NS] RESOURCE [NAME[/SUB]]; `kayra apis` lists groups and resources"
	switch len(args) {
	case 0:
		return usage(form, "which group, and which resource?")
	case 1:
		return usage(form, "which resource of %s?", args[0])
	case 2, 3:
	default:
		return usage(form, "too many arguments: %q is one more than there can be", args[3])
	}
	t.group, t.resource = args[0], args[1]
	if len(args) == 3 {
		t.name, t.sub, _ = strings.Cut(args[2], "/")
		if t.name == "" || strings.HasSuffix(args[2], "/") {
			return usage("the form is NAME or NAME/SUB", "%q is not a name", args[2])
		}
	}
	return t.check()
}

// check refuses what could not be told apart from another path, or is no target at all.
func (t *target) check() error {
	parts := append(strings.Split(t.resource, "/"), strings.Split(t.sub, "/")...)
	for _, part := range append(parts, t.name, t.namespace) {
		if part == "." || part == ".." {
			return usage("", "%q is not a name", part)
		}
	}
	if t.group == "" || t.resource == "" {
		return usage("`kayra apis` lists them", "neither a group nor a resource can be empty")
	}
	if t.all && t.namespace != "" {
		return usage("", "-A means all namespaces, and -n one: use either")
	}
	if t.all && t.name != "" {
		return usage("say which with -n", "%q is in one namespace, and -A means all", t.name)
	}
	return nil
}

// named is what the target is called in messages.
func (t *target) named() string {
	if t.sub != "" {
		return t.name + "/" + t.sub
	}
	return t.name
}

// singular is the word for one of a resource.
func singular(resource string) string {
	if stem, ok := strings.CutSuffix(resource, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(resource, "s")
}

func (t *target) needName(verb string) error {
	if t.name == "" {
		return usage("the form is GROUP [-n NS] RESOURCE NAME[/SUB]", "which of the %s is there to %s?", t.resource, verb)
	}
	return nil
}
