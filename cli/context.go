package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/contexts"
)

func contextCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "context",
		Short: "List the servers that you have logged in at, and say which is used",
		Long: "List the servers that you have logged in at, and say which is used. A command\n" +
			"speaks to the server of the first of these that is there: --server, --context,\n" +
			"$KAYRA_CLIENT_SERVER, $KAYRA_CONTEXT, client.server of kayra.yaml, the current\n" +
			"context, http://localhost:8080.",
		Example: "  kayra context list\n  kayra context use prod",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(contextListCommand(e), contextUseCommand(e), contextRenameCommand(e), contextDeleteCommand(e))
	return cmd
}

// namedContexts wants as many names as the form has.
func namedContexts(verb string, form ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == len(form) {
			return nil
		}
		return usage("`kayra context list` has the names", "the form is %s %s", verb, strings.Join(form, " "))
	}
}

// changeContext changes something about a context that is there.
func (e *env) changeContext(ctx context.Context, name string, fn func(*contexts.Contexts) error) error {
	return e.changeContexts(ctx, func(all *contexts.Contexts) error {
		if _, ok := all.Find(name); !ok {
			return unknownContext(name, "", all)
		}
		return fn(all)
	})
}
