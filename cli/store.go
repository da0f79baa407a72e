package cli

import "github.com/spf13/cobra"

func storeCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "store",
		Short:   "Look after the store",
		Example: "  kayra store copy --from local:kayra.db --to local:backup.db",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(storeCopyCommand(e))
	return cmd
}
