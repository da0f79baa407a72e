package cli

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kayra/cli/term"
	"kayra/config"
)

// env is what the commands share. What it opens, it opens when it is first asked for.
type env struct {
	streams    term.Streams
	environ    []string
	now        func() time.Time
	guard      func(restore func())
	configPath string // --config
	color      colorFlag
	running    bool   // the arguments were found right, and the command has begun
	place      *place // what the command has spoken to, or nil
	secret     string // the token that it sends there, or ""

	asJSON   bool     // a failure is told as one JSON object, with the warnings in it
	warnings []string // that were held back for that
}

func newEnv(p Process) *env {
	return &env{streams: p.Streams, environ: p.Environ, now: p.Now, guard: p.Guard}
}

// say writes a line of data.
func (e *env) say(format string, args ...any) error {
	if _, err := fmt.Fprintf(e.streams.Out, format+"\n", args...); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// tell writes a line for the person at the terminal. That this fails is not worth a failure. A warning, which begins with that
// word, waits where it would stand before a failure in JSON.
func (e *env) tell(format string, args ...any) {
	line := masked(fmt.Sprintf(format, args...), e.secret)
	if warning, is := strings.CutPrefix(line, "warning: "); is && e.asJSON {
		e.warnings = append(e.warnings, warning)
		return
	}
	_, _ = fmt.Fprintln(e.streams.Err, line)
}

// warn writes the warnings that were held back.
func (e *env) warn() {
	e.asJSON = false
	for _, warning := range e.warnings {
		e.tell("warning: %s", warning)
	}
}

// lookup is os.LookupEnv for the environment that the command line was given. Of a name that is there twice the last one counts.
func (e *env) lookup(name string) (string, bool) {
	for _, pair := range slices.Backward(e.environ) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// keyOf marks a flag as one that sets a key of the configuration.
const keyOf = "key"

// bind declares a flag that overrides a key of the configuration.
func bind(flags *pflag.FlagSet, name, key, help string) {
	flags.String(name, "", help)
	flags.Lookup(name).Annotations = map[string][]string{keyOf: {key}}
}

// config reads the configuration that the command's flags, the environment and the file give.
func (e *env) config(cmd *cobra.Command) (*config.Config, error) {
	o := e.configOptions()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if key, ok := f.Annotations[keyOf]; ok {
			o.Flags[key[0]], o.FlagNames[key[0]] = f.Value.String(), f.Name
		}
	})
	c, warnings, err := config.Load(o)
	if err != nil {
		return nil, &failure{code: codeUsage, message: err.Error(), err: err}
	}
	for _, w := range warnings {
		e.tell("warning: %s", term.Escape(w.String()))
	}
	if err := checkModes(c, e.lookup); err != nil {
		return nil, err
	}
	if _, err := operatorOf(c); err != nil {
		return nil, err
	}
	return c, nil
}

// configOptions have the environment and the file, and no flags yet.
func (e *env) configOptions() config.Options {
	return config.Options{
		Path: e.configPath, Flags: map[string]string{}, FlagNames: map[string]string{}, Env: e.environ, KnownEnv: []string{contextVariable, editorVariable},
	}
}

// wrongKey is the failure for a value that turned out to be wrong when it was used, with the place that it comes from.
func wrongKey(c *config.Config, key string, err error) error {
	at := strings.TrimPrefix(c.Source(key), "file ")
	return &failure{code: codeUsage, message: fmt.Sprintf("%s: %s: %v", at, key, err), err: err}
}

// logger writes to the standard error, as the configuration says.
func (e *env) logger(c config.Log) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		return nil, fmt.Errorf("read log level: %w", err)
	}
	o := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(e.streams.Err, o)), nil
	}
	return slog.New(slog.NewTextHandler(e.streams.Err, o)), nil
}
