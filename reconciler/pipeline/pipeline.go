// Package pipeline carries out the HTTP steps that bring one subscription up to its target.
//
// A mode is a list of steps. [Parse] reads all modes once, refuses what is malformed, such as a template with a syntax
// error, and finds the fields and outputs that cannot be there. [Pipelines.Run] then sends the steps of one mode in order.
// A step that is not async must be answered with 2xx, and where it has wait conditions is sent again until they are met;
// otherwise the run ends with an [*Error]. An async step is only waited for briefly, and its failure is logged and ignored.
//
// What a template produces is kept in spans that remember where each came from. So an output or a subscription's value is
// escaped inside an endpoint, and secrets, outputs and query values are masked in what is logged or returned as an error.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Step is one HTTP call of a mode. Endpoint, the literal values of Headers and every string inside Data are templates.
type Step struct {
	Name     string            // for messages and logs only; may be empty
	Method   string            // in any case
	Endpoint string            // an absolute http or https URL once rendered
	Headers  map[string]Header // by header name
	Data     any               // nil: no body. Otherwise maps, lists and scalars, sent as JSON; keys are literal
	Timeout  time.Duration     // of the whole step with all its polls; 0 means 30 s
	Async    bool              // true: a failure or a late answer is ignored, and so is Wait
	Outputs  map[string]string // name to dot path in the answer, for the next step
	Wait     []Condition       // all must be met by one answer
	TLS      TLS
}

// Header is a header's value, sent as "<Type> <Value>" if Type is given.
type Header struct {
	Type  string // literal
	Value Value
}

// Condition waits for a value in a step's answer. Values are compared as text.
type Condition struct {
	Key       string   `json:"key"`                // dot path
	Successes []string `json:"successes"`          // at least one
	Failures  []string `json:"failures,omitempty"` // each ends the step at once
}

// TLS says how an https endpoint is verified and which certificate is presented. The files are read again when they change.
type TLS struct {
	CAFile             string `json:"ca_file,omitempty"`   // PEM; verified against it alone. Empty: the system's roots
	CertFile           string `json:"cert_file,omitempty"` // PEM; with KeyFile or not at all
	KeyFile            string `json:"key_file,omitempty"`
	InsecureSkipVerify bool   `json:"insecure_skip_verify,omitempty"`
}

// Options are shared by all modes. The zero value of each field stands for its default.
type Options struct {
	AsyncAckTimeout  time.Duration                    // how long an async step is waited for; default 2 s
	WaitPollInterval time.Duration                    // between two polls of a step with Wait; default 5 s
	MaxBackground    int                              // async calls that may outlive their step at a time; default 120
	MaxIdlePerHost   int                              // idle connections kept per host; default 30
	OutputHosts      []string                         // "host" (any port) or "host:port" that an output may send a step to
	LookupEnv        func(name string) (string, bool) // default os.LookupEnv
}

// Subscription is what templates see as .Subscription.
type Subscription struct {
	Api, ShortName, Namespace, Platform, Region, CurrentSyncID, ExpectedSyncID string //nolint:revive,staticcheck // templates say .Api
}

// Pipelines are the parsed modes. They may be used by any number of goroutines.
type Pipelines struct {
	modes      map[string][]*step
	hosts      outputHosts
	clients    *clients
	background *background
	tallies    *tallies
	views      map[string][]StepView
	opts       Options
	warnings   []error
}

// Has reports whether mode has steps.
func (p *Pipelines) Has(mode string) bool { return len(p.modes[mode]) > 0 }

// Steps is the number of steps of mode.
func (p *Pipelines) Steps(mode string) int { return len(p.modes[mode]) }

// Warnings are the fields and outputs, each a [*FieldError], that a template names although no run can have them. Such a
// step fails before it is sent.
func (p *Pipelines) Warnings() []error { return slices.Clone(p.warnings) }

// Close waits for the async calls that outlived their step, cuts those that still run when ctx ends, and returns ctx's
// error if there were any. Runs must have ended before.
func (p *Pipelines) Close(ctx context.Context) error {
	err := p.background.close(ctx)
	p.clients.close()
	if err != nil {
		return fmt.Errorf("wait for async steps: %w", err)
	}
	return nil
}

// Reason is the kind of a failure, as it stands on a subscription.
type Reason string

// The reasons that a run can fail with.
const (
	StepFailed Reason = "step_failed"
	Timeout    Reason = "timeout"
)

// Error says which step failed a run, and why.
type Error struct {
	Mode       string
	Step       int // from 0
	Name       string
	Reason     Reason
	Message    string        // one sentence without secrets, header values, query values or outputs
	RetryAfter time.Duration // what the last answer asked for; 0: nothing
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// FieldError is a mistake in a step's configuration.
type FieldError struct {
	Mode  string
	Step  int // from 0
	Name  string
	Field string // such as "endpoint", "headers.Authorization" or "data.variables[0].value"
	Err   error
}

// Error names the place, counting steps from 1 as people do.
func (e *FieldError) Error() string {
	return fmt.Sprintf("mode %q: %s: %s: %v", e.Mode, ordinal(e.Step, e.Name), e.Field, e.Err)
}

// Unwrap gives the mistake without its place.
func (e *FieldError) Unwrap() error { return e.Err }

func ordinal(index int, name string) string {
	if name == "" {
		return fmt.Sprintf("step %d", index+1)
	}
	return fmt.Sprintf("step %d (%s)", index+1, name)
}

// canceled is ctx's error, always one for which errors.Is(err, context.Canceled) holds.
func canceled(ctx context.Context) error {
	err := ctx.Err()
	if errors.Is(err, context.Canceled) {
		return err //nolint:wrapcheck // wrapped by Run, with the mode and the step
	}
	return fmt.Errorf("%w: %w", context.Canceled, err)
}
