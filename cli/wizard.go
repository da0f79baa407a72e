package cli

import "github.com/spf13/cobra"

// wizardry is the canary wizard.
type wizardry struct {
	api        string
	accessible bool
}

func (w *wizardry) run(cmd *cobra.Command, e *env) error { return nil }
