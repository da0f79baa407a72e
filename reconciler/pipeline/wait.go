package pipeline

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// poll sends a step until an answer meets all its conditions, one meets a failure, or the step's time is over. Each poll
// is rendered anew, so that a rotated secret is used; they carry the same idempotency key, since they repeat one request.
func (a *attempt) poll(ctx context.Context, req request) outcome {
	out := outcome{shown: req.shown}
	for {
		out.calls++
		got, err := a.exchange(ctx, req, true)
		verdict := a.judge(ctx, got, err)
		out.status = got.status
		switch {
		case verdict.done:
			out.outputs, out.giver = a.step.extract(got.body), got.giver
			return out
		case verdict.fail != nil:
			out.fail = verdict.fail
			return out
		}
		if ctx.Err() == nil {
			a.tell(StateRunning, out, verdict.notYet)
			pause(ctx, max(a.p.opts.WaitPollInterval, pauseAfter(got)))
		}
		if ctx.Err() != nil {
			out.fail = a.unanswered(ctx, err)
			out.fail.why += ": " + verdict.notYet
			out.fail.retryAfter = pauseAfter(got)
			return out
		}
		if req, err = a.render(); err != nil {
			out.fail = failed("cannot be sent again: " + err.Error())
			return out
		}
	}
}

func pauseAfter(got answer) time.Duration {
	if got.status == http.StatusTooManyRequests || got.status == http.StatusServiceUnavailable {
		return got.retryAfter
	}
	return 0
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// verdict on one poll: exactly one of its fields is set.
type verdict struct {
	done   bool
	fail   *failure
	notYet string // why, without anything that the answer holds
}

func (a *attempt) judge(ctx context.Context, got answer, err error) verdict {
	switch {
	case err != nil && ctx.Err() != nil:
		return verdict{notYet: "the last poll got no answer"}
	case is[redirectError](err):
		return verdict{fail: failed("failed: " + explainTransport(err))}
	case err != nil:
		return verdict{notYet: "the last poll got no answer, " + explainTransport(err)}
	case got.status == http.StatusTooManyRequests || got.status >= 500:
		return verdict{notYet: fmt.Sprintf("the last poll was answered %d", got.status)}
	case !got.ok():
		return verdict{fail: &failure{reason: StepFailed, why: fmt.Sprintf("answered %d", got.status), retryAfter: got.retryAfter}}
	case got.tooLarge:
		return verdict{notYet: "the last answer was larger than 1 MiB"}
	}
	doc, ok := parseDocument(got.body)
	if !ok {
		return verdict{notYet: "the last answer was not JSON"}
	}
	return a.step.met(doc)
}

// met looks at all conditions: a failure in any of them counts, whatever the others say.
func (s *step) met(doc document) verdict {
	notYet := ""
	for _, c := range s.wait {
		value, found := doc.text(c.path)
		switch {
		case found && slices.Contains(c.failures, value):
			return verdict{fail: failed(fmt.Sprintf("answered %s = %q, a failure", c.key, value))}
		case found && slices.Contains(c.successes, value):
		case notYet == "" && found:
			notYet = c.key + " is not yet one of its successes"
		case notYet == "":
			notYet = "the last answer has no " + c.key
		}
	}
	return verdict{done: notYet == "", notYet: notYet}
}
