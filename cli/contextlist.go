package cli

import (
	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
)

func contextListCommand(e *env) *cobra.Command {
	var o output
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the contexts, and tell which have a token",
		Example: "  kayra context list\n  kayra context list -o name",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return e.listContexts(o) },
	}
	addOutput(cmd, &o)
	return cmd
}

// listed is a context as it is shown: never with its token.
type listed struct {
	Current    bool   `json:"current"`
	Name       string `json:"name"`
	Server     string `json:"server"`
	Token      bool   `json:"token"` // there is one
	GatewayURL string `json:"gateway_url,omitempty"`
	CAFile     string `json:"ca_file,omitempty"`
	CertFile   string `json:"cert_file,omitempty"`
	Label      string `json:"label,omitempty"`

	Reconcilers bool `json:"reconcilers,omitempty"` // they may have the token, too
}

func (e *env) listContexts(o output) error {
	all, err := e.readContexts()
	if err != nil {
		return err
	}
	if o.format.format == printer.Name {
		for _, name := range all.Names() {
			if err := e.say("%s", term.Escape(name)); err != nil {
				return err
			}
		}
		return nil
	}
	items := make([]listed, len(all.All))
	for i, x := range all.All {
		items[i] = listed{x.Name == all.Current, x.Name, x.Server, !x.Token.IsZero(), x.GatewayURL, x.CAFile, x.CertFile, x.Label, x.Reconcilers}
	}
	document, err := encode(struct {
		Items []listed `json:"items"`
	}{items})
	if err != nil {
		return err
	}
	if err := e.show(o, "contexts", document); err != nil {
		return err
	}
	if len(items) == 0 {
		e.tell("there are no contexts; `kayra login` makes one")
	} else if all.Current != "" {
		e.warnOverridden(all.Current)
	}
	return nil
}
