package cli

import (
	"cmp"
	"context"
	"errors"
	"os"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"kayra/cli/contexts"
	"kayra/cli/term"
	"kayra/config"
	"kayra/rollout"
	"kayra/tui"
	"kayra/tui/theme"
	"kayra/tui/wizard"
)

// wizardry is the canary wizard.
type wizardry struct {
	api        string
	accessible bool

	look theme.Options
	open []*rolling // the servers that it has spoken to
}

func (w *wizardry) run(cmd *cobra.Command, e *env) error {
	ctx := cmd.Context()
	in, isFile := e.streams.In.(*os.File)
	out, alsoFile := e.streams.Out.(*os.File)
	if !isFile || !alsoFile || !e.streams.InTTY() || !e.streams.OutTTY {
		return w.withoutTerminal(cmd)
	}
	c, err := e.config(cmd)
	if err != nil {
		return err
	}
	if w.look, err = theme.Detect(theme.Asked{Name: c.Client.Theme, Color: e.color.String()}, e.lookup); err != nil {
		return usage("", "%v", err)
	}
	m, err := e.remoteOf(cmd, c)
	if err != nil {
		return err
	}
	r, engine, name, err := m.engine(ctx, e, w.api)
	if err != nil {
		return ofRollout(err)
	}
	defer w.close()
	w.open = append(w.open, r)
	o := wizard.Options{API: name, Place: e.placeOf(cmd, m), Where: cmp.Or(m.context, m.server), Label: m.label, Production: contexts.Production(m.label), Now: e.now}
	if m.by == currentContext && w.api == "" {
		w.offer(cmd, e, c, &o)
	}
	outcome, err := w.show(ctx, e, engine, o, in, out)
	if err != nil {
		return ofRollout(err)
	}
	return e.lastWords(outcome)
}

func (w *wizardry) close() {
	for _, r := range w.open {
		r.Close()
	}
}

// offer has the wizard ask for the context first, where there are several and nobody has named one.
func (w *wizardry) offer(cmd *cobra.Command, e *env, c *config.Config, o *wizard.Options) {
	all, err := e.readContexts()
	if err != nil {
		return // the one that was found is taken
	}
	for _, x := range all.All {
		o.Contexts = append(o.Contexts, wizard.Context{Name: x.Name, Server: x.Server})
	}
	o.Use = func(ctx context.Context, name string) (*wizard.Connection, error) {
		chooser := e.chooser(cmd, c)
		chooser.flag = name
		p, err := chooser.place()
		if err != nil {
			return nil, err
		}
		m, err := e.connect(p, c.Client.Timeout)
		if err != nil {
			return nil, err
		}
		r, engine, _, err := m.engine(ctx, e, "")
		if err != nil {
			return nil, err
		}
		w.open = append(w.open, r)
		return &wizard.Connection{Engine: engine, Place: e.placeOf(cmd, m), Where: name, Label: m.label, Production: contexts.Production(m.label)}, nil
	}
}

func (w *wizardry) show(ctx context.Context, e *env, engine *rollout.Engine, o wizard.Options, in, out *os.File) (wizard.Outcome, error) {
	if w.accessible || theme.Plain(e.lookup) {
		return wizard.Ask(ctx, engine, o, wizard.Terminal{In: in, Out: out}) //nolint:wrapcheck // is shown as it is
	}
	var m *wizard.Model
	err := tui.Show(ctx, tui.Terminal{In: in, Out: out, Env: e.lookup}, func(ctx context.Context, clip func(string) error) (tea.Model, func()) {
		o.Copy = func(text string) tea.Cmd {
			return func() tea.Msg {
				_ = clip(text) // a terminal that takes none says nothing, either
				return nil
			}
		}
		m = wizard.New(ctx, engine, theme.New(w.look), o)
		return wizard.Program{Model: m}, m.Close
	})
	if m != nil {
		m.Interrupt() // changes nothing where it has ended by itself
	}
	if ctx.Err() != nil || errors.Is(err, tui.ErrHungUp) {
		err = nil // that it was interrupted, the outcome has
	}
	if errors.Is(err, tui.ErrFailed) {
		err = errors.New("the wizard has failed: what it was doing stands above")
	}
	if err != nil {
		return wizard.Outcome{}, err
	}
	return m.Outcome(), nil
}

func (w *wizardry) withoutTerminal(cmd *cobra.Command) error {
	name, of := cmd.Root().Name(), cmp.Or(w.api, "API")
	return &failure{
		code: codeUsage, misuse: true, message: "the wizard needs a terminal, and there is none",
		hint: name + " rollout start " + of + " --canary NS,… [--wait], then rollout status, release or abort " + of + " do the same without one",
	}
}

// lastWords says what has come of a wizard, and gives the exit code for it.
func (e *env) lastWords(o wizard.Outcome) error {
	if o.Err != nil && !o.Interrupted && !o.Unknown {
		return ofRollout(o.Err)
	}
	for _, line := range o.Lines() {
		e.tell("%s", term.Escape(line))
	}
	silent := func(c code) error { return &failure{code: c, silent: true, message: o.Why, err: o.Err} }
	switch {
	case o.Interrupted:
		return silent(codeInterrupted)
	case o.Unknown:
		return ofRollout(o.Err)
	case o.Verdict == rollout.Broken:
		return silent(codeSyncFailed)
	case o.Verdict == rollout.Superseded:
		return silent(codeConflict)
	case o.Verdict == rollout.Gone:
		return silent(codeNotFound)
	}
	return nil
}
