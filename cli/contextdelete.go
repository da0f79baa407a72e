package cli

import (
	"github.com/spf13/cobra"

	"kayra/cli/contexts"
	"kayra/cli/term"
)

func contextDeleteCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "delete NAME",
		Short:   "Forget a context and its token",
		Example: "  kayra context delete prod",
		Args:    namedContexts("delete", "NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var current bool
			err := e.changeContext(cmd.Context(), args[0], func(all *contexts.Contexts) error {
				current = all.Current == args[0]
				all.Delete(args[0])
				return nil
			})
			if err != nil {
				return err
			}
			if current {
				e.tell("context %s was the current one, and there is none now; `kayra context use NAME` chooses one", term.Escape(args[0]))
			}
			return e.say("context %s deleted", term.Escape(args[0]))
		},
	}
}
