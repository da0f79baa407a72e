package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"kayra/cli/plan"
	"kayra/server/api"
	"kayra/store/catalog"
)

// planning tells what applying a file would change.
type planning struct {
	output

	file string
}

func planCommand(e *env) *cobra.Command {
	p := &planning{}
	cmd := &cobra.Command{
		Use:   "plan -f FILE",
		Short: "Show what applying an API registration would change",
		Long: "Show what applying the API registration in a file would change, without changing\n" +
			"anything: its fields; what it needs, in the order in which workers are started;\n" +
			"who would be reconciled, and in which order; and the requests that the first of\n" +
			"them would be sent, by the modes of the kayra.yaml that is found here. Secrets,\n" +
			"values of headers and queries, and what is written literally in data are masked.\n" +
			"\n" +
			"FILE has what `create` or `update catalog apiregistrations` would be given, as\n" +
			"JSON or YAML; - is the standard input. The server checks it as if it were\n" +
			"applied, and a refusal has the exit code that applying it would have. Otherwise\n" +
			"the exit code is 0, whether or not something would change. It takes a sysadmin.",
		Example: `  kayra plan -f compute.yaml
  kayra plan -f compute.yaml --config /etc/kayra/kayra.yaml
  kayra plan -f compute.yaml -o json | jq -r '.reconcile.due[].namespace'
  kayra get catalog apiregistrations compute.example.com -o yaml | kayra plan -f -`,
		Args: p.readArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd, e) },
	}
	cmd.Flags().StringVarP(&p.file, "file", "f", "", "a file with the API registration, JSON or YAML, or - for the standard input")
	addDocument(cmd, &p.output)
	addClient(cmd)
	return cmd
}

func (p *planning) readArgs(cmd *cobra.Command, args []string) error {
	if err := noArgs(cmd, args); err != nil {
		return err
	}
	if p.file == "" {
		return usage("give it with -f FILE, or with -f - on the standard input", "which API registration? No file is given")
	}
	return nil
}

func (p *planning) run(cmd *cobra.Command, e *env) error {
	wanted, err := readWanted(cmd.Context(), e, p.file)
	if err != nil {
		return err
	}
	c, err := e.config(cmd)
	if err != nil {
		return err
	}
	m, err := e.remoteOf(cmd, c)
	if err != nil {
		return err
	}
	facts, err := m.facts(cmd.Context(), wanted)
	if err != nil {
		return err
	}
	made, err := plan.New(*facts)
	if err != nil {
		return fmt.Errorf("make plan: %w", err)
	}
	if made.Requests, err = requestsOf(c, e.lookup, made, facts); err != nil {
		return err
	}
	return p.show(e, made)
}

func (p *planning) show(e *env, made *plan.Plan) error {
	if !p.format.given {
		if _, err := fmt.Fprint(e.streams.Out, made.Text()); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
		return nil
	}
	document, err := encode(made)
	if err != nil {
		return err
	}
	return e.show(p.output, "plan", document)
}

// wanted is an API registration as a file has it.
type wanted struct {
	name   string
	syncID bool // it names one
	body   []byte
}

// readWanted reads as much of the file as it takes to know what it is about. The server reads the rest.
func readWanted(ctx context.Context, e *env, path string) (wanted, error) {
	body, err := readBody(ctx, "-f "+path, path, e.streams.In)
	if err != nil {
		return wanted{}, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil || object == nil {
		return wanted{}, usage("it has keys such as name, mode and depends_on", "-f %s is not an API registration: it is no object", path)
	}
	var name, id string
	if err := json.Unmarshal(object["name"], &name); err != nil || name == "" || name == "." || name == ".." {
		return wanted{}, usage("a name is such as compute.example.com", "-f %s does not say under name which API registration it is", path)
	}
	_ = json.Unmarshal(object["sync_id"], &id) // what is no text is refused by the server
	return wanted{name, id != "", body}, nil
}

// facts asks the server for what there is, and for what applying would make of it.
func (m *remote) facts(ctx context.Context, w wanted) (*plan.Facts, error) {
	all, err := m.resolve(ctx, &target{group: "catalog", resource: "apiregistrations", lists: true})
	if err != nil {
		return nil, err
	}
	f := &plan.Facts{Rows: map[string][]api.Row{}}
	one := *all
	one.path += "/" + url.PathEscape(w.name)
	f.Before, err = one.call(ctx, http.MethodGet, "", nil)
	apply, method := &one, http.MethodPut
	if errors.Is(err, catalog.ErrNotFound) {
		f.Before, err, apply, method, f.Minted = nil, nil, all, http.MethodPost, !w.syncID
	}
	if err != nil {
		return nil, err
	}
	if f.After, err = apply.call(ctx, method, "dry_run=true", w.body); err != nil {
		return nil, err
	}
	return f, m.surroundings(ctx, f, all)
}

// surroundings reads the other registrations, and the subscribers of those that matter.
func (m *remote) surroundings(ctx context.Context, f *plan.Facts, all *route) error {
	list, err := (&get{}).list(ctx, all)
	if err != nil {
		return err
	}
	var regs api.List[api.Registration]
	if err := json.Unmarshal(list, &regs); err != nil {
		return fmt.Errorf("read list of API registrations: %w", err)
	}
	f.Registrations = regs.Items
	if f.Before == nil {
		return nil // nobody subscribes
	}
	names, err := f.Gating()
	if err != nil {
		return fmt.Errorf("read API registration: %w", err)
	}
	for _, name := range append(names, textOf(f.Before, "name")) {
		if f.Rows[name], err = m.rows(ctx, all, name); err != nil {
			return err
		}
	}
	return nil
}

// rows are all subscriptions of a registration.
func (m *remote) rows(ctx context.Context, all *route, name string) ([]api.Row, error) {
	at := *all
	at.path += "/" + url.PathEscape(name) + "/status"
	answer, err := at.call(ctx, http.MethodGet, "all=true", nil)
	if err != nil {
		return nil, err
	}
	var status api.Status
	if err := json.Unmarshal(answer, &status); err != nil {
		return nil, fmt.Errorf("read status of API registration %q: %w", name, err)
	}
	return status.Subscriptions, nil
}
