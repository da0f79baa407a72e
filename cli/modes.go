package cli

import (
	"errors"
	"fmt"
	"strings"

	"kayra/config"
	"kayra/reconciler/pipeline"
)

// lookup finds an environment variable, as os.LookupEnv does.
type lookup func(name string) (string, bool)

// parseModes reads the pipelines of a configuration. An error says in which line of the file the mistake is.
func parseModes(c *config.Config, env lookup) (*pipeline.Pipelines, error) {
	p, err := pipeline.Parse(modesOf(c.Reconciler.Mode, env), pipeline.Options{
		AsyncAckTimeout:  c.Reconciler.AsyncAckTimeout,
		WaitPollInterval: c.Reconciler.WaitPollInterval,
		MaxIdlePerHost:   c.Reconciler.MaxConcurrentReconciles,
		OutputHosts:      c.Reconciler.OutputHosts,
		LookupEnv:        env,
	})
	if err != nil {
		return nil, modeFailure(c, err, func(*pipeline.FieldError) bool { return true })
	}
	return p, nil
}

// checkModes is parseModes for processes that do not run pipelines, on whose machine the files of a step's tls need not be.
func checkModes(c *config.Config, env lookup) error {
	_, err := pipeline.Parse(modesOf(c.Reconciler.Mode, env), pipeline.Options{OutputHosts: c.Reconciler.OutputHosts, LookupEnv: env})
	if err == nil {
		return nil
	}
	return modeFailure(c, err, func(wrong *pipeline.FieldError) bool { return wrong.Field != "tls" })
}

// modeFailure has a line for each mistake that counts, or is nil if none does.
func modeFailure(c *config.Config, err error, counts func(*pipeline.FieldError) bool) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	var lines []string
	for _, one := range all {
		wrong, ok := errors.AsType[*pipeline.FieldError](one)
		switch {
		case !ok:
			lines = append(lines, fmt.Sprintf("%s: %v", c.File(), one))
		case counts(wrong):
			key := fmt.Sprintf("reconciler.mode.%s[%d].%s", wrong.Mode, wrong.Step, wrong.Field)
			lines = append(lines, fmt.Sprintf("%s: reconciler.mode: %v", strings.TrimPrefix(c.Source(key), "file "), wrong))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return &failure{code: codeUsage, message: strings.Join(lines, "\n"), err: err}
}

func modesOf(modes map[string][]config.Step, env lookup) map[string][]pipeline.Step {
	out := make(map[string][]pipeline.Step, len(modes))
	for name, steps := range modes {
		out[name] = make([]pipeline.Step, len(steps))
		for i, s := range steps {
			out[name][i] = stepOf(s, env)
		}
	}
	return out
}

func stepOf(s config.Step, env lookup) pipeline.Step {
	step := pipeline.Step{
		Name: s.Name, Method: s.Method, Endpoint: s.Endpoint, Headers: headersOf(s.Headers, env), Data: s.Data,
		Timeout: s.Timeout, Async: s.Async, Outputs: s.Outputs, TLS: pipeline.TLS(s.TLS),
	}
	for _, w := range s.Wait {
		step.Wait = append(step.Wait, pipeline.Condition(w))
	}
	return step
}

func headersOf(headers map[string]config.Header, env lookup) map[string]pipeline.Header {
	out := make(map[string]pipeline.Header, len(headers))
	for name, h := range headers {
		variable, file := h.Value.Origin()
		value := pipeline.From(func() (string, error) { return h.Value.Reveal(env) }, pipeline.Origin{Env: variable, File: file})
		if text, ok := h.Value.Literal(); ok {
			value = pipeline.Text(text)
		}
		out[name] = pipeline.Header{Type: h.Type, Value: value}
	}
	return out
}
