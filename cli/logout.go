package cli

import (
	"context"

	"github.com/spf13/cobra"

	"kayra/cli/contexts"
	"kayra/cli/term"
	"kayra/config"
)

func logoutCommand(e *env) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "logout [--context NAME]",
		Short: "Forget the token of a context",
		Long: "Forget the token of a context, by default that of $KAYRA_CONTEXT or the current\n" +
			"one. The context stays, for `login` to give it another token. The server is not\n" +
			"told: a token that others may have must be withdrawn where it was made.",
		Example: `  kayra logout
  kayra logout --context prod`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.logout(cmd.Context(), name)
		},
	}
	cmd.Flags().StringVar(&name, contextFlag, "", "name of the context")
	return cmd
}

func (e *env) logout(ctx context.Context, name string) error {
	by := "flag --" + contextFlag
	if name == "" {
		name, _ = e.lookup(contextVariable)
		by = "env " + contextVariable
	}
	had := false
	err := e.changeContexts(ctx, func(all *contexts.Contexts) error {
		if name == "" {
			name, by = all.Current, currentContext
		}
		if name == "" {
			return usage("`kayra context list` has those there are", "there is no current context, and --context names none")
		}
		x, ok := all.Find(name)
		if !ok {
			return unknownContext(name, by, all)
		}
		had = !x.Token.IsZero()
		x.Token = config.Secret{}
		all.Put(x)
		return nil
	})
	if err != nil {
		return err
	}
	if !had {
		return e.say("context %s has no token", term.Escape(name))
	}
	return e.say("logged out: the token of context %s is forgotten", term.Escape(name))
}
