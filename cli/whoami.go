package cli

import (
	"context"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
	"kayra/server/api"
)

func whoamiCommand(e *env) *cobra.Command {
	var o output
	cmd := &cobra.Command{
		Use:   "whoami",
		Short: "Show who you are to the server, and which server that is",
		Long: "Show whom the server takes you for, your groups, and whether you are a sysadmin\n" +
			"by its configuration; which server that is, by which context, and with -o wide\n" +
			"what has decided for it and where the token came from.",
		Example: `  kayra whoami
  kayra whoami -o wide
  kayra whoami --context prod -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := e.remote(cmd)
			if err != nil {
				return err
			}
			return e.whoami(cmd.Context(), o, m)
		},
	}
	addOutput(cmd, &o)
	addClient(cmd)
	return cmd
}

func (e *env) whoami(ctx context.Context, o output, m *remote) error {
	who, err := m.caller(ctx)
	if err != nil {
		return err
	}
	if o.format.format == printer.Name {
		return e.say("%s", term.Escape(who.User))
	}
	document, err := encode(struct {
		api.Caller

		Server   string `json:"server"`
		Context  string `json:"context,omitempty"`
		ServerBy string `json:"server_by"`
		TokenBy  string `json:"token_by,omitempty"`
	}{who, m.server, m.context, m.by, m.tokenBy})
	if err != nil {
		return err
	}
	return e.show(o, "whoami", document)
}
