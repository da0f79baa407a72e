package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"kayra/cli/manifest"
	"kayra/cli/printer"
	"kayra/cli/term"
)

// difference compares what is there with what documents say.
type difference struct {
	manifests
}

func diffCommand(e *env) *cobra.Command {
	d := &difference{}
	cmd := &cobra.Command{
		Use:   "diff -f FILE",
		Short: "Show how what is there differs from what documents say",
		Long: "Show how what is there differs from what documents say: a unified diff of each\n" +
			"thing as it is and as `apply` would make it, as YAML. Nothing is written. FILE\n" +
			"is what `apply` takes.\n" +
			"\n" +
			"The exit code is 0 if applying would change nothing, 1 if it would, and 2 or\n" +
			"more if something failed: 2 is a failure without a code of its own, too.",
		Example: `  kayra diff -f compute.yaml
  kayra diff -f deployment/ -R -n sre
  kayra get catalog apiregistrations -o yaml | kayra diff -f -`,
		Args: d.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			documents, err := d.read(cmd.Context(), e)
			if err != nil {
				return err
			}
			m, err := e.remote(cmd)
			if err != nil {
				return ofDiff(explain(cmd.Context(), err, nil))
			}
			return d.run(cmd.Context(), e, m, documents)
		},
	}
	addManifests(cmd, &d.manifests)
	addClient(cmd)
	return cmd
}

// ofDiff is a failure with a code that cannot be taken for a difference.
func ofDiff(f *failure) *failure {
	if f.code == codeFailed {
		f.code = codeUsage
	}
	return f
}

func (d *difference) run(ctx context.Context, e *env, m *remote, documents []manifest.Document) error {
	c, err := newChanger(ctx, m, dryServer)
	if err != nil {
		return ofDiff(explain(ctx, err, e.place))
	}
	var failures []*failure
	differs := false
	for i, document := range documents {
		ch, err := c.look(ctx, document)
		if ctx.Err() != nil {
			return fmt.Errorf("compare: %w", context.Cause(ctx))
		}
		if f := explainIf(ctx, err, e.place); f != nil {
			failures = append(failures, f)
			e.tellFailed(document, f)
			if f.isFinal() {
				e.tellRest(len(documents) - i - 1)
				break
			}
			continue
		}
		if ch.action == actionNone {
			continue
		}
		differs = true
		if err := e.showDiff(document, ch); err != nil {
			return ofDiff(explain(ctx, err, e.place))
		}
	}
	switch {
	case len(failures) > 0:
		return ofDiff(&failure{code: codeOf(failures), silent: true})
	case differs:
		return &failure{code: codeFailed, silent: true}
	}
	return nil
}

// showDiff shows how a thing differs from what a document says.
func (e *env) showDiff(d manifest.Document, ch *prospect) error {
	after, err := asYAML(ch.foreseen())
	if err != nil {
		return err
	}
	before := ""
	if ch.before != nil {
		if before, err = asYAML(ch.before); err != nil {
			return err
		}
	}
	path := ch.one.resource + "/" + d.Name
	if d.Namespace != "" {
		path = d.Namespace + "/" + path
	}
	was := path
	if ch.before == nil {
		was = "/dev/null"
	}
	text := udiff.Unified(term.Escape(was), fmt.Sprintf("%s (%s)", term.Escape(path), term.Escape(d.String())), before, after)
	if e.streams.Color {
		text = coloured(text)
	}
	if _, err := fmt.Fprint(e.streams.Out, text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// foreseen is what would be there, without the ids that are minted anew when it is created.
func (ch *prospect) foreseen() []byte {
	o, err := manifest.ParseObject(ch.after)
	if err != nil || !ch.minted {
		return ch.after
	}
	return o.Without("sync_id", "released_sync_id").JSON()
}

func asYAML(document []byte) (string, error) {
	var b strings.Builder
	if err := (printer.Printer{Out: &b, Format: printer.YAML}).Print("", document); err != nil {
		return "", fmt.Errorf("show difference: %w", err)
	}
	return b.String(), nil
}

// coloured tells lines that come from those that go by a pair of colours that everybody can tell apart, beside their signs.
func coloured(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		if colour := colourOf(text); colour != "" {
			text = "\x1b[" + colour + "m" + text + "\x1b[0m"
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func colourOf(line string) string {
	const comes, goes, place = "38;5;32", "38;5;166", "1"
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "@@ "):
		return place
	case strings.HasPrefix(line, "+"):
		return comes
	case strings.HasPrefix(line, "-"):
		return goes
	}
	return ""
}
