package cli

import (
	"context"
	"errors"
	"os"

	"kayra/config"
	"kayra/tui"
	"kayra/tui/theme"
)

// terminal is where the dashboard would be shown.
func (e *env) terminal() tui.Terminal {
	in, _ := e.streams.In.(*os.File) // what is none is no terminal
	out, _ := e.streams.Out.(*os.File)
	return tui.Terminal{In: in, Out: out, Env: e.lookup, Guard: e.guard}
}

// needTerminal fails where a dashboard cannot be shown, before anything is read or asked.
func (e *env) needTerminal() error {
	if err := e.terminal().Check(); err != nil {
		return &failure{code: codeUsage, message: err.Error(), err: err}
	}
	return nil
}

// show shows the dashboard until somebody quits it.
func (t *top) show(ctx context.Context, e *env, c *config.Config, at tui.Connection, api string) error {
	look, err := theme.Detect(theme.Asked{Name: c.Client.Theme, Color: e.color.String(), ASCII: t.ascii}, e.lookup)
	if err != nil {
		return usage("", "%v", err)
	}
	err = tui.Run(ctx, tui.Options{
		Connection: at, Theme: theme.New(look), ReadOnly: t.readOnly, API: api, Namespace: t.namespace,
	}, e.terminal())
	if errors.Is(err, tui.ErrHungUp) {
		return &failure{code: codeInterrupted, message: err.Error(), err: err}
	}
	return err //nolint:wrapcheck // says what it was
}
