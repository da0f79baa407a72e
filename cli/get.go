package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
)

// get reads one thing or a list of them, once or for as long as they change.
type get struct {
	target
	output
	listing

	watch, watchOnly bool
}

func getCommand(e *env) *cobra.Command {
	g := &get{target: target{lists: true}}
	cmd := &cobra.Command{
		Use:   "get GROUP [-n NS] RESOURCE [NAME[/SUB]]",
		Short: "Show one thing, or all of a kind",
		Long: "Show one thing, or all of a kind. GROUP is the short or the long name of an API,\n" +
			"as `apis` lists them; a resource of a registered app is reached through\n" +
			"reconciler.gateway_url. Without -n, what lives in namespaces is listed for all\n" +
			"of them. At a terminal a table has the first letters of a sync id, and only the\n" +
			"columns that there is room for, which … at the end of its header tells; -o wide\n" +
			"has more columns, and a pipe gets all of everything.\n\n" +
			"-w shows what changes, until Ctrl-C: at a terminal the table stays where it is\n" +
			"and changes, in a pipe each change is a row below the others, and -o json has a\n" +
			"line {\"type\": \"added|modified|deleted\", \"object\": {…}} for each. It outlasts the\n" +
			"server.",
		Example: `  kayra get catalog apiregistrations
  kayra get catalog apiregistrations compute.example.com -o yaml
  kayra get catalog apiregistrations compute.example.com/status -w
  kayra get catalog apiregistrations compute.example.com/openapi.json
  kayra get catalog -n sre subscriptions
  kayra get catalog subscriptions -A -o wide --sort-by -updated_at
  kayra get catalog subscriptions --field-selector state=error,api=compute.example.com
  kayra get catalog namespaces -o jsonpath='{.items[*].name}'
  kayra get catalog subscriptions --watch-only -o json | jq -c .object.state`,
		Args: func(_ *cobra.Command, args []string) error { return g.readArgs(args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.remote(cmd)
			if err != nil {
				return err
			}
			return g.run(cmd.Context(), e, c)
		},
	}
	addTarget(cmd, &g.target)
	addOutput(cmd, &g.output)
	addClient(cmd)
	cmd.Flags().BoolVarP(&g.all, "all-namespaces", "A", false, "list those of all namespaces")
	addListing(cmd, &g.listing)
	cmd.Flags().BoolVarP(&g.watch, "watch", "w", false, "show what there is, and then what changes")
	cmd.Flags().BoolVar(&g.watchOnly, "watch-only", false, "show what changes from now on")
	return cmd
}

func (g *get) readArgs(args []string) error {
	if err := g.target.readArgs(args); err != nil {
		return err
	}
	g.watch = g.watch || g.watchOnly
	switch {
	case g.limit < 0:
		return usage("", "--limit %d is not allowed: use 1 and up, or 0 for all", g.limit)
	case g.limit > 0 && g.watch:
		return usage("", "--limit shows a part of a list, and -w what changes in all of it: use either")
	case g.narrows() && !g.isList():
		return usage("leave out the name", "--field-selector and --sort-by are about lists, and %q is one thing", g.named())
	case g.watch && g.sub != "" && !g.isList():
		return usage("watch a list, a name, or a NAME/status", "%s cannot be watched", g.named())
	}
	return nil
}

// isList tells that several things are asked for.
func (g *get) isList() bool { return g.name == "" || g.sub == "status" }

func (g *get) run(ctx context.Context, e *env, c *remote) error {
	r, err := c.resolve(ctx, &g.target)
	if err != nil {
		return err
	}
	if err := g.checkKeys(r); err != nil {
		return err
	}
	switch {
	case g.watch:
		return g.follow(ctx, e, r)
	case g.isList():
		return g.showList(ctx, e, r)
	}
	document, err := r.call(ctx, http.MethodGet, "", nil)
	if err != nil {
		return err
	}
	return g.showOne(e, r.resource, document)
}

func (g *get) showList(ctx context.Context, e *env, r *route) error {
	var document []byte
	var err error
	if g.name == "" {
		document, err = g.list(ctx, r)
	} else {
		document, err = r.call(ctx, http.MethodGet, "", nil)
	}
	if err != nil {
		return err
	}
	document, more, err := g.narrow(e, r.resource, document)
	if err != nil {
		return err
	}
	if more && g.format.format != printer.JSON {
		e.tell("there are more than %d; --limit 0 lists all", g.limit)
	}
	if g.name != "" {
		return g.showOne(e, r.resource, document)
	}
	return e.show(g.output, r.resource, document)
}

// showOne gives a stored OpenAPI document as it was served unless a format is asked for. What was asked for is named as it
// was: not every answer has its name.
func (g *get) showOne(e *env, resource string, document []byte) error {
	if g.format.format == printer.Name {
		return e.say("%s", term.Escape(g.resource+"/"+g.named()))
	}
	if g.sub != "openapi.json" || g.format.given {
		return e.show(g.output, resource, document)
	}
	text := string(document)
	if e.streams.OutTTY {
		var err error
		if text, err = printer.Indent(document); err != nil {
			return fmt.Errorf("show document: %w", err)
		}
	}
	if _, err := fmt.Fprint(e.streams.Out, text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}
