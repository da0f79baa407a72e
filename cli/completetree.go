package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kayra/cli/complete"
)

// argumentsOf finds what the arguments of a command may be, or is nil for one that has none.
func (e *env) argumentsOf(cmd *cobra.Command) finder {
	if takesAPI(cmd) {
		return one(e.apis())
	}
	switch below(cmd) {
	case "get", "describe":
		return e.targets("get", "list")
	case "wait":
		return several(e.targets("get", "list"))
	case "create":
		return e.targets("create")
	case "update":
		return e.targets("update", "patch")
	case "edit":
		return e.targets("update")
	case "delete":
		return e.targets("delete")
	case "check":
		return e.questions()
	case "context use", "context delete", "context rename", "logout":
		return one(e.contextNames())
	case "completion":
		return one(fixed(shells()...))
	}
	return nil
}

// takesAPI tells a command whose first argument is an API.
func takesAPI(cmd *cobra.Command) bool {
	switch below(cmd) {
	case "why", "top", "sync", "rollout", "rollout start", "rollout status", "rollout release", "rollout abort":
		return true
	}
	return false
}

// below is a command's path below the root.
func below(cmd *cobra.Command) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return path
}

// one finds the first argument alone.
func one(find finder) finder {
	return func(ctx context.Context, q query) []complete.Suggestion {
		if len(q.args) > 0 {
			return nil
		}
		return find(ctx, q)
	}
}

// several finds the third argument again and again, and leaves out those that are there.
func several(find finder) finder {
	const before = 2
	return func(ctx context.Context, q query) []complete.Suggestion {
		there := q.args[min(len(q.args), before):]
		q.args = q.args[:min(len(q.args), before)]
		return slices.DeleteFunc(find(ctx, q), func(s complete.Suggestion) bool { return slices.Contains(there, s.Value) })
	}
}

// valuesOf completes the values of a flag, or is nil for one of which nothing can be said.
func (e *env) valuesOf(f *pflag.Flag) cobra.CompletionFunc {
	switch f.Name {
	case "dry-run":
		if f.Value.Type() != "bool" {
			return suggest(fixed("client shows what would be sent", "server has the server check it", "none"), 0)
		}
	case "namespace":
		return suggest(e.namespaces(), 0)
	case "api":
		return suggest(e.apis(), 0)
	case "theme":
		return suggest(fixed("auto what the terminal says", "dark", "light", "mono without colours", "contrast"), 0)
	case contextFlag:
		return suggest(e.contextNames(), 0)
	case "output":
		return suggest(fixed(formatsOf(f)...), 0)
	case "from", "to":
		return suggest(fixed("local: a file's path follows", "etcd: endpoints follow, with commas between"), cobra.ShellCompDirectiveNoSpace)
	case "log-level":
		return suggest(fixed("debug", "info", "warn", "error"), 0)
	case "log-format":
		return suggest(fixed("text for people", "json for machines"), 0)
	case "color":
		return suggest(fixed("auto at a terminal", "always", "never"), 0)
	case "field-selector":
		return suggest(inList(e.selectors()), cobra.ShellCompDirectiveNoSpace)
	case "expect-sync-id":
		return suggest(e.syncIDs(), 0)
	case "sort-by":
		return suggest(keysToSortBy, 0)
	case "for":
		return suggest(fixed("synced at the sync id that is to be reached", "active its first sync has succeeded", "delete it is gone", "jsonpath= a field has a value"), 0)
	case "canary":
		return suggest(inList(e.subscribers()), cobra.ShellCompDirectiveNoSpace)
	case "file", "config", tokenFile, "ca-file", "cert-file", "key-file":
		return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		}
	case "dir":
		return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
	return nil
}

// formatsOf are those of -o that a command has, as far as they are not free text.
func formatsOf(f *pflag.Flag) []string {
	documents := []string{"json a document", "yaml a document"}
	if o, ok := f.Value.(*formatFlag); ok && o.text {
		return documents
	}
	all := append([]string{"table columns", "wide more columns", "name RESOURCE/NAME, a line each"}, documents...)
	return append(all, "jsonpath= what a JSON path finds", "jsonpath-file= likewise, of a file", "go-template= a template of Go",
		"go-template-file= likewise, of a file", "custom-columns= HEADER:PATH, with commas between")
}
