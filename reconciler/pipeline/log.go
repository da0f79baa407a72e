package pipeline

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"
)

// names are the outputs' names, for the log: never null.
func (out outcome) names() []string {
	names := slices.AppendSeq(make([]string, 0, len(out.outputs)), maps.Keys(out.outputs))
	slices.Sort(names)
	return names
}

// log writes the one line that every step has, won or lost. An async call that goes on has a second one when it ends.
func (a *attempt) log(ctx context.Context, out outcome) {
	attrs := []slog.Attr{
		slog.String("mode", a.mode),
		slog.Int("index", a.step.index),
		slog.String("method", a.step.method),
		slog.String("endpoint", out.shown),
		slog.Bool("async", a.step.async),
		slog.Int("attempts", out.calls),
		slog.Duration("took", time.Since(a.started).Round(time.Millisecond)),
		slog.Any("outputs", out.names()),
	}
	if a.step.name != "" {
		attrs = append(attrs, slog.String("step", a.step.name))
	}
	if out.status != 0 {
		attrs = append(attrs, slog.Int("status", out.status))
	}
	switch {
	case out.pending:
		a.in.Logger.LogAttrs(ctx, slog.LevelInfo, "step has no answer yet and goes on in the background", attrs...)
	case out.fail != nil:
		attrs = append(attrs, slog.String("error", out.fail.why))
		a.in.Logger.LogAttrs(ctx, slog.LevelWarn, "step failed", attrs...)
	default:
		a.in.Logger.LogAttrs(ctx, slog.LevelInfo, "step succeeded", attrs...)
	}
}
