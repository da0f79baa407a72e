package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"kayra/cli/contexts"
	"kayra/cli/term"
)

func contextRenameCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "rename NAME NEW",
		Short:   "Give a context another name",
		Example: "  kayra context rename kayra.example.com prod",
		Args:    namedContexts("rename", "NAME", "NEW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, to := args[0], args[1]
			if err := contexts.CheckName(to); err != nil {
				return usage("", "%v", err)
			}
			err := e.changeContext(cmd.Context(), from, func(all *contexts.Contexts) error {
				if _, taken := all.Find(to); taken {
					return &failure{code: codeConflict, message: fmt.Sprintf("there is a context %q already", to), hint: "take another name, or delete that one"}
				}
				all.Rename(from, to)
				return nil
			})
			if err != nil {
				return err
			}
			return e.say("context %s is called %s now", term.Escape(from), term.Escape(to))
		},
	}
}
