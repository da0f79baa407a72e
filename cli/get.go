package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
)

// get reads one thing or a list of them.
type get struct {
	target
	output

	limit int
}

func getCommand(e *env) *cobra.Command {
	g := &get{target: target{lists: true}}
	cmd := &cobra.Command{
		Use:   "get GROUP [-n NS] RESOURCE [NAME[/SUB]]",
		Short: "Show one thing, or all of a kind",
		Long: "Show one thing, or all of a kind. GROUP is the short or the long name of an API,\n" +
			"as `apis` lists them; a resource of a registered app is reached through\n" +
			"reconciler.gateway_url. Without -n, what lives in namespaces is listed for all\n" +
			"of them. At a terminal a table has the first letters of a sync id; -o wide has\n" +
			"all of it.",
		Example: `  kayra get catalog apiregistrations
  kayra get catalog apiregistrations compute.example.com -o yaml
  kayra get catalog apiregistrations compute.example.com/status
  kayra get catalog apiregistrations compute.example.com/openapi.json
  kayra get catalog -n sre subscriptions
  kayra get catalog subscriptions -A -o wide`,
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
	cmd.Flags().IntVar(&g.limit, "limit", 0, "list at most this many; 0: all")
	return cmd
}

func (g *get) readArgs(args []string) error {
	if g.limit < 0 {
		return usage("", "--limit %d is not allowed: use 1 and up, or 0 for all", g.limit)
	}
	return g.target.readArgs(args)
}

func (g *get) run(ctx context.Context, e *env, c *remote) error {
	r, err := c.resolve(ctx, &g.target)
	if err != nil {
		return err
	}
	if g.name != "" {
		document, err := r.call(ctx, http.MethodGet, "", nil)
		if err != nil {
			return err
		}
		return g.showOne(e, r.resource, document)
	}
	document, err := g.list(ctx, r)
	if err != nil {
		return err
	}
	if list, ok := readPage(document); ok && list.Continue != "" && g.format.format != printer.JSON {
		e.tell("there are more than %d; --limit 0 lists all", len(list.Items))
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

// page is a part of a list, its items left as they are.
type page struct {
	Items    []json.RawMessage `json:"items"`
	Continue string            `json:"continue,omitempty"`
}

// readPage tells a list from other answers, which an app may give.
func readPage(answer []byte) (page, bool) {
	var p page
	err := json.Unmarshal(answer, &p)
	return p, err == nil && p.Items != nil
}

// list reads the pages of a list and joins them. An answer that is no list is given as it is.
func (g *get) list(ctx context.Context, r *route) ([]byte, error) {
	all := page{Items: []json.RawMessage{}}
	for {
		answer, err := r.call(ctx, http.MethodGet, g.query(len(all.Items), all.Continue), nil)
		if err != nil {
			return nil, err
		}
		next, ok := readPage(answer)
		if !ok {
			return answer, nil
		}
		if next.Continue != "" && next.Continue == all.Continue {
			return nil, fmt.Errorf("list %s: the server gives the same page again and again", r.resource)
		}
		all.Items, all.Continue = append(all.Items, next.Items...), next.Continue
		if all.Continue == "" || g.limit > 0 && len(all.Items) >= g.limit {
			return encode(all)
		}
	}
}

func (g *get) query(have int, next string) string {
	query := url.Values{}
	if g.limit > 0 {
		query.Set("limit", strconv.Itoa(g.limit-have))
	}
	if next != "" {
		query.Set("continue", next)
	}
	return query.Encode()
}

// encode leaves text as it was; json.Marshal would escape what HTML needs escaped.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("join pages: %w", err)
	}
	return b.Bytes(), nil
}
