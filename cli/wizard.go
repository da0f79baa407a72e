package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"kayra/cli/term"
	"kayra/rollout"
	"kayra/tui/theme"
	"kayra/tui/wizard"
)

// wizardry is the canary wizard.
type wizardry struct {
	api        string
	accessible bool
}

func (w *wizardry) run(cmd *cobra.Command, e *env) error {
	ctx := cmd.Context()
	in, ok := e.streams.In.(*os.File)
	if !ok || !e.streams.InTTY() || !e.streams.OutTTY {
		return w.withoutTerminal(cmd)
	}
	look, err := theme.Detect(theme.Asked{}, e.lookup)
	if err != nil {
		return fmt.Errorf("choose theme: %w", err)
	}
	m, err := e.remote(cmd)
	if err != nil {
		return err
	}
	r, engine, name, err := m.engine(ctx, e, w.api)
	if err != nil {
		return ofRollout(err)
	}
	defer r.Close()
	o := wizard.Options{API: name, Place: e.placeOf(cmd, m), Where: cmp.Or(m.context, m.server), Now: e.now}
	outcome, err := w.show(ctx, e, engine, theme.New(look), o, in)
	if err != nil {
		return ofRollout(err)
	}
	return e.lastWords(outcome, o.Place)
}

func (w *wizardry) show(ctx context.Context, e *env, engine *rollout.Engine, th *theme.Theme, o wizard.Options, in *os.File) (wizard.Outcome, error) {
	if w.accessible || theme.Plain(e.lookup) {
		return wizard.Ask(ctx, engine, o, wizard.Terminal{In: in, Out: e.streams.Out}) //nolint:wrapcheck // is shown as it is
	}
	m := wizard.New(ctx, engine, th, o)
	defer m.Close()
	_, err := tea.NewProgram(wizard.Program{Model: m}, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(e.streams.Out),
		tea.WithAltScreen(), tea.WithoutSignalHandler()).Run()
	if err != nil && !m.Done() && ctx.Err() == nil {
		return m.Outcome(), fmt.Errorf("show wizard: %w", err)
	}
	m.Interrupt() // changes nothing where it has ended by itself
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
func (e *env) lastWords(o wizard.Outcome, at rollout.Place) error {
	if o.Err != nil && !o.Interrupted && !o.Unknown {
		return ofRollout(o.Err)
	}
	for _, line := range o.Lines(at) {
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
