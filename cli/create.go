package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"
)

// create makes a thing, or carries out an action of an app.
type create struct {
	target
	output
	bodyFlags

	dry dryRun
}

func createCommand(e *env) *cobra.Command {
	c := &create{}
	cmd := &cobra.Command{
		Use:   "create GROUP [-n NS] RESOURCE [NAME/SUB] (-d JSON | -f FILE)",
		Short: "Make a thing",
		Long: "Make a thing (POST). Its name stands in the body. NAME/SUB is an action of an\n" +
			"app on the thing NAME.",
		Example: `  kayra create catalog namespaces -d '{"name": "sre"}'
  kayra create catalog apiregistrations -d '{"name": "compute.example.com", "short_name": "compute"}'
  kayra create catalog apiregistrations -d '{"name": "compute.example.com", "operator": {"workers": 5, "resync": "10m"}}'
  kayra create catalog -n sre subscriptions -d '{"api": "compute.example.com"}'
  kayra create catalog apiregistrations -f compute.yaml --dry-run=server -o yaml`,
		Args: func(_ *cobra.Command, args []string) error { return c.readArgs(args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			body, err := c.read(cmd, e.streams.In)
			if err != nil {
				return err
			}
			cl, err := e.remote(cmd)
			if err != nil {
				return err
			}
			return c.run(cmd.Context(), e, cl, body)
		},
	}
	addTarget(cmd, &c.target)
	addBody(cmd, &c.bodyFlags)
	addOutput(cmd, &c.output)
	addDryRun(cmd, &c.dry)
	addClient(cmd)
	return cmd
}

func (c *create) readArgs(args []string) error {
	if err := c.target.readArgs(args); err != nil {
		return err
	}
	if c.name != "" && c.sub == "" {
		return usage(fmt.Sprintf(`write -d '{"name": %q}'`, c.name), "the name of what is created stands in its body, not in the arguments")
	}
	return nil
}

func (c *create) run(ctx context.Context, e *env, cl *remote, body []byte) error {
	r, err := cl.resolve(ctx, &c.target)
	if err != nil {
		return err
	}
	query, err := c.dry.query(r, &c.target)
	if err != nil {
		return err
	}
	if c.dry == dryClient {
		return e.showRequest(c.output, r, http.MethodPost, body)
	}
	document, err := r.call(ctx, http.MethodPost, query, body)
	if err != nil {
		return err
	}
	if c.sub != "" {
		return e.showWritten(c.output, r.resource, document, fmt.Sprintf("%s %q done", singular(c.resource), c.named()))
	}
	name := cmp.Or(textOf(document, "name", "api", "id"), textOf(body, "name", "api", "id"))
	return e.showWritten(c.output, r.resource, document, fmt.Sprintf("%s %q created%s", singular(c.resource), name, c.dry.done()))
}
