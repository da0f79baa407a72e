package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"kayra/cli/contexts"
	"kayra/cli/term"
	"kayra/config"
)

// contexts is the file of the user's contexts.
func (e *env) contexts() (contexts.File, error) {
	path, err := contexts.Place(e.lookup)
	if err != nil {
		return contexts.File{}, &failure{code: codeUsage, message: err.Error(), err: err}
	}
	return contexts.File{Path: path, Warn: func(text string) { e.tell("warning: %s", term.Escape(text)) }}, nil
}

// readContexts gives none where there is no place for any.
func (e *env) readContexts() (*contexts.Contexts, error) {
	file, err := e.contexts()
	if errors.Is(err, contexts.ErrNoPlace) {
		return &contexts.Contexts{}, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := file.Read()
	if err != nil {
		return nil, &failure{code: codeUsage, message: err.Error(), hint: "mend the file, or remove it and log in again", err: err}
	}
	return all, nil
}

// chooser reads the environment, and the flags of a command if there is one.
func (e *env) chooser(cmd *cobra.Command, c *config.Config) *chooser {
	named, _ := e.lookup(contextVariable)
	w := &chooser{config: c, env: named, read: e.readContexts, warn: e.tell}
	if cmd != nil {
		w.flag = cmd.Flag(contextFlag).Value.String()
	}
	return w
}

// changeContexts changes the file of the contexts.
func (e *env) changeContexts(ctx context.Context, fn func(*contexts.Contexts) error) error {
	file, err := e.contexts()
	if err != nil {
		return err
	}
	var own *failure
	err = file.Change(ctx, func(all *contexts.Contexts) error {
		err := fn(all)
		own, _ = errors.AsType[*failure](err)
		return err
	})
	if err == nil || own != nil {
		return err //nolint:wrapcheck // says which file
	}
	return &failure{code: codeFailed, message: err.Error() + ": nothing was stored", err: err}
}

// warnOverridden says what decides here instead of the context that has been made the current one.
func (e *env) warnOverridden(name string) {
	c, _, err := config.Load(e.configOptions())
	if err != nil {
		return // is told by the next command that needs it
	}
	w := e.chooser(nil, c)
	p, err := w.place()
	var all *contexts.Contexts
	if err == nil {
		all, err = w.contexts()
	}
	if err != nil {
		e.tell("warning: %s", term.Escape(err.Error()))
		return
	}
	x, _ := all.Find(name)
	switch {
	case p.context != name && contexts.Normal(p.server) != contexts.Normal(x.Server):
		e.tell("warning: %s decides here: without --context, commands speak to %s", term.Escape(p.by), term.Escape(p.server))
	case p.tokenBy != "" && !p.stored:
		e.tell("warning: %s decides here: without --context, its token is sent and not the one of the context", term.Escape(p.tokenBy))
	case p.context != name && p.context != "":
		e.tell("warning: %s decides here: without --context, commands use context %s", term.Escape(p.by), term.Escape(p.context))
	}
}
