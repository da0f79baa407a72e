package pipeline

import (
	"bytes"
	"errors"
	"fmt"
)

// sampleText stands in for secrets and outputs where nothing is sent. It is long enough to be cut or compared.
const sampleText = "00000000-0000-0000-0000-000000000000"

// Request is a step's request as it may be shown: secrets, outputs, header values and query values are masked.
type Request struct {
	Index    int
	Name     string
	Method   string
	Endpoint string
	Headers  []string // their names
	Body     string   // JSON; empty: none
	Async    bool
}

// Render renders every template of mode without reading a secret and without sending anything. Samples stand in for the
// outputs. Its error joins one [*FieldError] for each step that cannot be rendered.
func (p *Pipelines) Render(mode string, sub Subscription) ([]Request, error) {
	if !p.Has(mode) {
		return nil, fmt.Errorf("render mode %q: it has no steps", mode)
	}
	var (
		requests []Request
		errs     []error
		before   previous
	)
	for _, s := range p.modes[mode] {
		sc := &scope{Subscription: sub, Previous: before, lookup: p.opts.LookupEnv, sample: true}
		req, err := s.preview(sc)
		if at, ok := errors.AsType[*renderError](err); ok {
			errs = append(errs, &FieldError{Mode: mode, Step: s.index, Name: s.name, Field: at.field, Err: plainError(at.why)})
		}
		requests = append(requests, req)
		before = s.sampleOutputs()
	}
	return requests, errors.Join(errs...)
}

func (s *step) sampleOutputs() previous {
	before := previous{Outputs: map[string]string{}}
	for _, o := range s.outputs {
		before.Outputs[o.name] = sampleText
	}
	return before
}

func (s *step) preview(sc *scope) (Request, error) {
	req := Request{Index: s.index, Name: s.name, Method: s.method, Async: s.async}
	spans, err := s.endpoint.render(sc)
	if err != nil {
		return req, err
	}
	if len(spans) > 0 && spans[0].from&fromSecret != 0 {
		spans[0].text = "https://" + sampleText // a secret at the beginning is an address
	}
	b, err := buildEndpoint(spans)
	if err == nil && !b.unreadable {
		_, err = b.parse()
	}
	if err != nil {
		return req, &renderError{fieldEndpoint, err.Error()}
	}
	req.Endpoint = b.display()
	for _, h := range s.headers {
		if h.text != nil {
			if _, err := h.text.render(sc); err != nil {
				return req, err
			}
		}
		req.Headers = append(req.Headers, h.name)
	}
	if s.data == nil {
		return req, nil
	}
	var body bytes.Buffer
	err = s.data.encode(sc, masked, &body)
	req.Body = body.String()
	return req, err
}
