package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/manifest"
	"kayra/cli/term"
	"kayra/store/catalog"
)

// edit changes a thing in an editor.
type edit struct {
	target
	output

	dry dryRun
}

func editCommand(e *env) *cobra.Command {
	x := &edit{}
	cmd := &cobra.Command{
		Use:   "edit GROUP [-n NS] RESOURCE NAME",
		Short: "Change a thing in an editor",
		Long: "Change a thing in an editor, as YAML. Those of its keys are written that were\n" +
			"changed; one whose line is gone is cleared. A file that is saved empty, or as it\n" +
			"was, changes nothing.\n" +
			"\n" +
			"The editor is the command in $KAYRA_EDITOR, $VISUAL or $EDITOR, and vi where\n" +
			"there is none. At a terminal, what is refused is shown again, with the reason\n" +
			"on top; save it unchanged to give up. Where somebody else has changed the same\n" +
			"keys meanwhile, it is shown as it is now, with your changes in it; changes of\n" +
			"other keys are kept. What was not written stays in a file, which is named.",
		Example: `  kayra edit catalog apiregistrations compute.example.com
  kayra edit catalog apiregistrations compute.example.com --dry-run=server
  EDITOR="sed -i 's/^owner: .*/owner: sre-b/'" \
    kayra edit catalog apiregistrations compute.example.com
  EDITOR="sed -i 's/- get/- list/'" \
    kayra edit authorization roles viewer`,
		Args: func(_ *cobra.Command, args []string) error { return x.readArgs(args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := e.remote(cmd)
			if err != nil {
				return err
			}
			return x.run(cmd.Context(), e, m)
		},
	}
	addTarget(cmd, &x.target)
	addOutput(cmd, &x.output)
	addDryRun(cmd, &x.dry)
	addClient(cmd)
	return cmd
}

func (x *edit) readArgs(args []string) error {
	if err := x.target.readArgs(args); err != nil {
		return err
	}
	if x.sub != "" {
		return usage("`kayra update` changes one side of a thing", "only a whole thing can be edited, and %s/%s is none", x.name, x.sub)
	}
	return x.needName("edit")
}

func (x *edit) run(ctx context.Context, e *env, m *remote) error {
	editor, err := e.editor()
	if err != nil {
		return err
	}
	s := &session{edit: x, env: e}
	if s.changer, err = newChanger(ctx, m, x.dry); err != nil {
		return err
	}
	if s.route, err = m.resolveIn(s.groups, &x.target); err != nil {
		return err
	}
	if s.query, err = x.dry.query(s.route, &x.target); err != nil {
		return err
	}
	if err = s.fetch(ctx); err != nil {
		return err
	}
	if s.buffer, err = newBuffer(editor); err != nil {
		return err
	}
	return s.buffer.close(s.run(ctx))
}

// session is one edit of a thing, with as many tries as it takes.
type session struct {
	*edit
	*changer

	env    *env
	route  *route
	query  string
	buffer *buffer

	is  manifest.Object // the thing as the editor has shown it
	tag string
}

func (s *session) fetch(ctx context.Context) error {
	answer, err := s.send(ctx, s.route, http.MethodGet, "", nil, "")
	if err != nil {
		return err
	}
	if s.is, err = manifest.ParseObject(answer.Body); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	s.tag = answer.Header.Get("ETag")
	return nil
}

func (s *session) run(ctx context.Context) error {
	text, err := asYAML(s.is.JSON())
	if err != nil {
		return err
	}
	var refused *failure // what has become of the last try
	for {
		offered := s.offer(refused, text)
		saved, err := s.buffer.edit(ctx, s.env.streams, offered)
		switch {
		case err != nil && saved == offered:
			return err
		case err != nil:
			return s.keep(ctx, err)
		case saved == offered && refused != nil:
			return s.keep(ctx, refused)
		case saved == offered || isBlank(saved):
			return s.cancel()
		}
		var change manifest.Object
		text = withoutHead(saved)
		if change, err = s.changes(text); err == nil {
			if len(change) == 0 {
				return s.cancel()
			}
			if text, err = s.write(ctx, change, text); err == nil {
				return nil
			}
		}
		refused = explain(ctx, err, s.env.place)
		if !s.env.streams.Interactive || !refused.isMendable() {
			return s.keep(ctx, err)
		}
	}
}

// isMendable tells a failure that other changes may not have.
func (f *failure) isMendable() bool {
	refused := f.status >= http.StatusBadRequest && f.status < http.StatusInternalServerError
	return f.code == codeConflict || f.code == codeUsage || f.code == codeFailed && refused
}

func (s *session) cancel() error {
	s.env.tell("Edit cancelled, no changes made.")
	return nil
}

// keep leaves the file, and says where it is.
func (s *session) keep(ctx context.Context, err error) error {
	s.buffer.kept = true
	kept := "your changes are kept in " + s.buffer.path
	if ctx.Err() != nil {
		s.env.tell("warning: %s", kept)
		return err
	}
	f := *explain(ctx, err, s.env.place)
	f.misuse = false
	f.hint = strings.TrimPrefix(f.hint+"; "+kept, "; ")
	return &f
}

// changes are those that have been made of what was shown.
func (s *session) changes(text string) (manifest.Object, error) {
	const what = "the text below the comments" // where lines are counted from
	document, err := convertYAML(what, []byte(text))
	if err != nil {
		return nil, err
	}
	wanted, err := manifest.ParseObject(document)
	if err != nil {
		return nil, usage("", what+" is no longer an object with keys")
	}
	return manifest.Difference(s.is, wanted), nil
}

// write writes the changes. Where somebody else has written meanwhile, they go on top of that, unless both have changed the
// same. It gives the text to go on from.
func (s *session) write(ctx context.Context, change manifest.Object, text string) (string, error) {
	const tries = 10
	var err error
	for range tries {
		body := change.JSON()
		if s.route.app != "" { // whose PUT may replace all of it
			body = manifest.Patch(s.is, change).JSON()
		}
		if s.dry == dryClient {
			return text, s.env.showRequest(s.output, s.route, http.MethodPut, body)
		}
		answer, failed := s.send(ctx, s.route, http.MethodPut, s.query, body, s.tag)
		if err = failed; err == nil {
			done := fmt.Sprintf("%s %q edited%s", singular(s.resource), s.name, s.dry.done())
			return text, s.env.showWritten(s.output, s.route.resource, answer.Body, done)
		}
		if !errors.Is(err, catalog.ErrPrecondition) {
			return text, err
		}
		shown := s.is
		if err := s.fetch(ctx); err != nil {
			return text, err
		}
		if both := changedByBoth(shown, s.is, change); len(both) > 0 {
			text, err := asYAML(manifest.Patch(s.is, change).JSON())
			return text, errors.Join(err, overtaken(both))
		}
	}
	return text, err
}

// changedByBoth are the keys that somebody else has changed, too, and to something else.
func changedByBoth(shown, is, mine manifest.Object) []manifest.Member {
	theirs := manifest.Difference(shown, is)
	return slices.DeleteFunc(theirs, func(m manifest.Member) bool {
		i := slices.IndexFunc(mine, func(own manifest.Member) bool { return own.Key == m.Key })
		return i < 0 || manifest.Covers(is, mine[i:i+1])
	})
}

func overtaken(both []manifest.Member) error {
	var theirs []string
	for _, m := range both {
		theirs = append(theirs, fmt.Sprintf("%s to %s", m.Key, m.Value))
	}
	return &failure{code: codeConflict, message: "somebody else has changed it meanwhile: " + strings.Join(theirs, ", ")}
}

// offer is the text with what is to be known of it on top.
func (s *session) offer(refused *failure, text string) string {
	var b strings.Builder
	comment := func(format string, args ...any) {
		for line := range strings.SplitSeq(strings.TrimSpace(fmt.Sprintf(format, args...)), "\n") {
			b.WriteString(strings.TrimRight("# "+term.Escape(line), " ") + "\n")
		}
	}
	where := ""
	if s.namespace != "" {
		where = " of namespace " + s.namespace
	}
	comment("%s %q%s, at %s", singular(s.resource), s.name, where, s.server)
	comment("What you change is written when you save and leave. What Kayra computes is\nignored. An empty file, or one that is as it was, changes nothing.")
	if refused != nil {
		comment("")
		comment("It was not written:\n%s", masked(refused.message, s.env.secret))
		if refused.hint != "" {
			comment("hint: %s", masked(refused.hint, s.env.secret))
		}
		comment("Save it unchanged to give up. Your changes are below:")
	}
	return b.String() + text
}

// withoutHead is the text below the comments that it begins with.
func withoutHead(text string) string {
	for strings.HasPrefix(text, "#") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// isBlank tells that there is nothing but comments.
func isBlank(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}
