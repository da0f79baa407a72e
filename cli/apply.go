package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"kayra/cli/manifest"
	"kayra/cli/printer"
	"kayra/cli/term"
	"kayra/server/api"
	"kayra/store/catalog"
)

// apply makes things what documents say.
type apply struct {
	manifests
	output

	dryRun dryRun
}

func applyCommand(e *env) *cobra.Command {
	a := &apply{}
	cmd := &cobra.Command{
		Use:   "apply -f FILE",
		Short: "Make things what documents say",
		Long: "Make things what documents say: create what is not there, and change what is not\n" +
			"so. What is so already is not written, so that applying again triggers nothing.\n" +
			"\n" +
			"FILE is YAML with any number of documents, or JSON: objects, or lists of them as\n" +
			"`get -o json` prints them; a directory stands for its .yaml, .yml and .json\n" +
			"files. A document has a kind (ApiRegistration, Namespace, Subscription, Role or\n" +
			"RoleBinding) and, beside it, the keys of the thing. A key that is left out keeps\n" +
			"its value, null clears it, and what Kayra computes is ignored. Where all keys\n" +
			"are there, as `get -o yaml` prints them, the kind need not be. A thing of an app\n" +
			"has apiVersion: compute.example.com/v1, kind: machines and, if it lives in one,\n" +
			"its namespace.\n" +
			"\n" +
			"Nothing is written unless all files can be read. What others need comes first,\n" +
			"whatever the order of the files; a failure does not keep the rest from being\n" +
			"applied. The exit code is that of the failures, or 1 where they differ.",
		Example: `  kayra apply -f compute.yaml
  kayra apply -f deployment/ -R -n sre
  kayra apply -f compute.yaml --dry-run server
  kayra apply -f deployment/tenants.yaml -n sre -o json
  kayra get catalog subscriptions -A -o yaml | kayra apply -f -`,
		Args: a.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			documents, err := a.read(cmd.Context(), e)
			if err != nil {
				return err
			}
			m, err := e.remote(cmd)
			if err != nil {
				return err
			}
			return a.run(cmd.Context(), e, m, documents)
		},
	}
	addManifests(cmd, &a.manifests)
	addOutput(cmd, &a.output)
	addClient(cmd)
	addDryRun(cmd, &a.dryRun)
	return cmd
}

func (a *apply) run(ctx context.Context, e *env, m *remote, documents []manifest.Document) error {
	c, err := newChanger(ctx, m, a.dryRun)
	if err != nil {
		return err
	}
	var results []applied
	for i, d := range documents {
		r := c.apply(ctx, d)
		if ctx.Err() != nil {
			return fmt.Errorf("apply: %w", context.Cause(ctx))
		}
		r.failure = explainIf(ctx, r.err, e.place)
		results = append(results, r)
		if err := a.tell(e, r); err != nil {
			return err
		}
		if r.failure.isFinal() && i+1 < len(documents) {
			e.tellRest(len(documents) - i - 1)
			break
		}
	}
	if a.dryRun == dryServer && c.unchecked {
		e.tell("warning: the server checks API registrations alone; the rest was compared with what is there, and not checked")
	}
	return a.end(e, results)
}

// isFinal tells a failure that every other document would share: the server's, not that of an app.
func (f *failure) isFinal() bool {
	if f == nil {
		return false
	}
	if _, ofApp := errors.AsType[*appError](f.err); ofApp {
		return false
	}
	return f.code == codeUnreachable || f.code == codeTimeout || f.status == unauthenticated
}

// explainIf is explain for an error that there may be.
func explainIf(ctx context.Context, err error, at *place) *failure {
	if err == nil {
		return nil
	}
	return explain(ctx, err, at)
}

// changer brings the things of documents to what the documents say.
type changer struct {
	*remote

	dryRun    dryRun
	groups    []api.Group
	coming    map[string]bool // registrations that are not there, and would be created
	unchecked bool            // something would be written that the server has not checked
}

func newChanger(ctx context.Context, m *remote, dry dryRun) (*changer, error) {
	groups, err := m.groups(ctx)
	return &changer{remote: m, dryRun: dry, groups: groups, coming: map[string]bool{}}, err
}

// apply writes what has to be written of a document. If somebody else writes in between, it looks again.
func (c *changer) apply(ctx context.Context, d manifest.Document) applied {
	const tries = 10
	r := applied{Document: d}
	for range tries {
		var ch *prospect
		if ch, r.err = c.look(ctx, d); r.err != nil {
			return r
		}
		r.Resource, r.done, r.object = ch.one.resource, ch.action, ch.after
		if ch.action == actionNone || c.dryRun.only() {
			return r
		}
		if r.object, r.err = c.write(ctx, ch); !c.overtaken(ctx, ch, r.err) {
			return r
		}
	}
	return r
}

// overtaken tells whether a write was refused since the thing is not as it was seen.
func (c *changer) overtaken(ctx context.Context, ch *prospect, err error) bool {
	switch {
	case errors.Is(err, catalog.ErrPrecondition):
		return true
	case ch.action == actionChange && errors.Is(err, catalog.ErrNotFound):
		return !c.isThere(ctx, ch)
	case ch.action == actionCreate && errors.Is(err, catalog.ErrConflict):
		return c.isThere(ctx, ch)
	}
	return false
}

// tell tells of a result when it is there, unless all are shown at the end.
func (a *apply) tell(e *env, r applied) error {
	if r.failure != nil {
		if a.format.format != printer.JSON {
			e.tellFailed(r.Document, r.failure)
		}
		return nil
	}
	if a.format.given {
		return nil
	}
	return e.say("%s", term.Escape(fmt.Sprintf("%s %s%s", described(r.Document), r.done, a.dryRun.mark())))
}

// tellFailed tells of a document's failure.
func (e *env) tellFailed(d manifest.Document, f *failure) {
	e.tell("kayra: %s", term.Escape(failed(d, f)))
	if f.hint != "" {
		e.tell("hint: %s", term.Escape(f.hint))
	}
}

// failed is a failure with the place of its document.
func failed(d manifest.Document, f *failure) string {
	return fmt.Sprintf("%s (document %d): %s: %s", d.Place, d.Number, described(d), f.message)
}

func (e *env) tellRest(n int) {
	if n > 0 {
		e.tell("kayra: not tried: the %d documents that follow", n)
	}
}
