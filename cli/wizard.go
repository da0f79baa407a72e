package cli

import (
	"cmp"

	"github.com/spf13/cobra"
)

// wizardry is the canary wizard.
type wizardry struct {
	api        string
	accessible bool
}

func (w *wizardry) run(cmd *cobra.Command, _ *env) error {
	name, of := cmd.Root().Name(), cmp.Or(w.api, "API")
	return &failure{
		code: codeUsage, misuse: true, message: "the wizard needs a terminal, and there is none",
		hint: name + " rollout start " + of + " --canary NS,… [--wait], then rollout status, release or abort " + of + " do the same without one",
	}
}
