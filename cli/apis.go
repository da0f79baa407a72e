package cli

import (
	"net/http"

	"github.com/spf13/cobra"
)

func apisCommand(e *env) *cobra.Command {
	var o output
	cmd := &cobra.Command{
		Use:   "apis",
		Short: "List the API groups and their resources",
		Long: "List the API groups and their resources: Kayra's own, then those of the\n" +
			"registered apps as their OpenAPI documents tell.",
		Example: `  kayra apis
  kayra apis -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.remote(cmd)
			if err != nil {
				return err
			}
			answer, err := c.at.Do(cmd.Context(), http.MethodGet, "/apis", nil)
			if err != nil {
				return err //nolint:wrapcheck // is shown as it is
			}
			return e.show(o, "apis", answer.Body)
		},
	}
	addOutput(cmd, &o)
	addClient(cmd)
	return cmd
}
