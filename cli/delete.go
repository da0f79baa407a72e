package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
)

// remove deletes a thing.
type remove struct {
	target
	output

	yes bool
	dry dryRun
}

func deleteCommand(e *env) *cobra.Command {
	d := &remove{}
	cmd := &cobra.Command{
		Use:   "delete GROUP [-n NS] RESOURCE NAME[/SUB]",
		Short: "Delete a thing",
		Long: "Delete a thing. At a terminal it says what will go, and asks first, unless\n" +
			"-o json is given. What is in the way of it is listed, with exit code 5.",
		Example: `  kayra delete catalog -n sre subscriptions compute.example.com
  kayra delete catalog apiregistrations compute.example.com --yes
  kayra delete catalog namespaces sre --dry-run=client`,
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
	addDryRun(cmd, &d.dry)
	addClient(cmd)
	cmd.Flags().BoolVarP(&d.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (d *remove) readArgs(args []string) error {
	if err := d.target.readArgs(args); err != nil {
		return err
	}
	if d.dry == dryServer {
		return usage("--dry-run=client shows what would be sent", "the server cannot look at a deletion without doing it")
	}
	return d.needName("delete")
}

func (d *remove) run(ctx context.Context, e *env, c *remote) error {
	r, err := c.resolve(ctx, &d.target)
	if err != nil {
		return err
	}
	if d.dry == dryClient {
		return e.showRequest(d.output, r, http.MethodDelete, nil)
	}
	what := fmt.Sprintf("%s %q", singular(d.resource), d.named())
	if err := d.confirm(ctx, e, r, what); err != nil {
		return err
	}
	if _, err := r.call(ctx, http.MethodDelete, "", nil); err != nil {
		return d.blocked(ctx, r, err)
	}
	gone, err := encode(map[string]any{"resource": r.resource, "name": d.name, "namespace": d.namespace, "deleted": true})
	if err != nil {
		return err
	}
	return e.showWritten(d.output, r.resource, gone, what+" deleted")
}

func (d *remove) confirm(ctx context.Context, e *env, r *route, what string) error {
	if d.yes || !e.streams.Interactive || d.format.format == printer.JSON {
		return nil
	}
	if d.namespace != "" {
		what += fmt.Sprintf(" of namespace %q", d.namespace)
	}
	where := e.place.String()
	if r.app != "" {
		where = fmt.Sprintf("%s, which is behind the gateway at %s", r.app, r.gateway)
	}
	yes, err := e.streams.Confirm(ctx, term.Escape("delete "+what+d.along(ctx, r)+" at "+where)+"?")
	if err != nil {
		return fmt.Errorf("delete %s: %w", what, err)
	}
	if !yes {
		return &failure{code: codeFailed, message: "nothing was deleted"}
	}
	return nil
}

// along says what goes with it, as far as the caller may know.
func (d *remove) along(ctx context.Context, r *route) string {
	if r.resource != "namespaces" || r.app != "" {
		return ""
	}
	const shown = 5
	var names []string
	for _, b := range boundIn(ctx, r, d.name) {
		names = append(names, b.Name)
	}
	if len(names) == 0 {
		return ""
	}
	text := ", with the role bindings that hold in it alone (" + strings.Join(names[:min(len(names), shown)], ", ")
	if more := len(names) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + "),"
}
