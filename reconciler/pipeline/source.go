package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Source is a place that a document is read from, by one GET request.
type Source struct {
	pipelines *Pipelines
	step      *step
}

// NewSource reads the step of a source. Its Method, Data, Async, Outputs and Wait are not used.
func (p *Pipelines) NewSource(s Step) (*Source, error) {
	s.Method, s.Data, s.Async, s.Outputs, s.Wait = http.MethodGet, nil, false, nil, nil
	parser := &stepParser{in: s, declared: outputNames{first: true}}
	parsed := parser.parse(p.clients)
	if err := errors.Join(parser.errs...); err != nil {
		return nil, err
	}
	return &Source{pipelines: p, step: parsed}, nil
}

// Get reads the document, of at most 1 MiB, that the endpoint's template names for the subscription. Only an answer of
// 200 has one. The error is one redacted sentence.
func (s *Source) Get(ctx context.Context, sub Subscription) ([]byte, error) {
	a := &attempt{p: s.pipelines, step: s.step, in: Input{Subscription: sub}}
	req, err := a.render()
	if err != nil {
		return nil, plainError(err.Error() + "; nothing was sent")
	}
	ctx, cancel := context.WithTimeout(ctx, s.step.timeout)
	defer cancel()
	got, err := a.send(ctx, req, true)
	switch why := "GET " + req.shown + " "; {
	case err != nil:
		return nil, plainError(why + a.unanswered(ctx, err).why)
	case got.status != http.StatusOK:
		return nil, plainError(fmt.Sprintf("%sanswered %d", why, got.status))
	case got.tooLarge:
		return nil, plainError(why + "answered with more than 1 MiB")
	}
	return got.body, nil
}
