package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
)

// remove deletes a thing.
type remove struct {
	target
	output

	yes bool
}

func deleteCommand(e *env) *cobra.Command {
	d := &remove{}
	cmd := &cobra.Command{
		Use:   "delete GROUP [-n NS] RESOURCE NAME[/SUB]",
		Short: "Delete a thing",
		Long:  "Delete a thing. At a terminal it asks first.",
		Example: `  kayra delete catalog -n sre subscriptions compute.example.com
  kayra delete catalog apiregistrations compute.example.com --yes`,
		Args: func(_ *cobra.Command, args []string) error { return d.readArgs(args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.remote(cmd)
			if err != nil {
				return err
			}
			return d.run(cmd.Context(), e, c)
		},
	}
	addTarget(cmd, &d.target)
	addOutput(cmd, &d.output)
	addClient(cmd)
	cmd.Flags().BoolVarP(&d.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (d *remove) readArgs(args []string) error {
	if err := d.target.readArgs(args); err != nil {
		return err
	}
	return d.needName("delete")
}

func (d *remove) run(ctx context.Context, e *env, c *remote) error {
	r, err := c.resolve(ctx, &d.target)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s %q", singular(d.resource), d.named())
	if err := d.confirm(ctx, e, what); err != nil {
		return err
	}
	if _, err := r.call(ctx, http.MethodDelete, "", nil); err != nil {
		return err
	}
	gone, err := encode(map[string]any{"resource": r.resource, "name": d.name, "namespace": d.namespace, "deleted": true})
	if err != nil {
		return err
	}
	return e.showWritten(d.output, r.resource, gone, what+" deleted")
}

func (d *remove) confirm(ctx context.Context, e *env, what string) error {
	if d.yes || !e.streams.Interactive || d.format.format == printer.JSON {
		return nil
	}
	if d.namespace != "" {
		what += fmt.Sprintf(" of namespace %q", d.namespace)
	}
	where := ""
	if e.place != nil && e.place.context != "" {
		where = " at " + term.Escape(e.place.String())
	}
	yes, err := e.streams.Confirm(ctx, "delete "+what+where+"?")
	if err != nil {
		return fmt.Errorf("delete %s: %w", what, err)
	}
	if !yes {
		return &failure{code: codeFailed, message: "nothing was deleted"}
	}
	return nil
}
