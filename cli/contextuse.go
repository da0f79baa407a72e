package cli

import (
	"github.com/spf13/cobra"

	"kayra/cli/contexts"
	"kayra/cli/term"
)

func contextUseCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "use NAME",
		Short: "Make a context the current one",
		Long: "Make a context the current one, which is used where nothing else says which\n" +
			"server is meant. It warns where something else does.",
		Example: "  kayra context use prod",
		Args:    namedContexts("use", "NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var used contexts.Context
			err := e.changeContext(cmd.Context(), args[0], func(all *contexts.Contexts) error {
				all.Current = args[0]
				used, _ = all.Find(args[0])
				return nil
			})
			if err != nil {
				return err
			}
			if err := e.say("context %s is the current one: %s", term.Escape(used.Name), term.Escape(used.Server)); err != nil {
				return err
			}
			e.warnOverridden(used.Name)
			return nil
		},
	}
}
