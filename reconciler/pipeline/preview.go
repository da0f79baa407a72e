package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// sampleText stands in for secrets where nothing is sent. It is long enough to be cut or compared.
const sampleText = "00000000-0000-0000-0000-000000000000"

// RequestView is a step's request as it would be sent, without what may not be shown: ***, or a name in angle brackets,
// stands for it.
type RequestView struct {
	Index   int             `json:"index"` // from 0
	Name    string          `json:"name,omitempty"`
	Method  string          `json:"method"`
	URL     string          `json:"url"` // without userinfo, query values and fragment
	Headers []HeaderLine    `json:"headers,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"` // without literal texts and numbers, which may be secrets; nil: none
	Async   bool            `json:"async,omitempty"`
	Problem string          `json:"problem,omitempty"` // which template cannot be rendered, and why; nothing would be sent
}

// HeaderLine is a header of a request. What the configuration gives as its value is masked.
type HeaderLine struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Preview renders the requests that a run of mode would send for in.Subscription, the only part of in that is used. It
// reads no secret and sends nothing. An output, which only an answer can give, is shown as <output NAME of step N>, counted
// from 1, and what a template would make of one as <made of outputs of step N>; which branch of an if that compares one is
// taken cannot be known. A step that cannot be rendered says so, and those behind it are shown all the same. The only error
// is that mode has no steps.
func (p *Pipelines) Preview(mode string, in Input) ([]RequestView, error) {
	if !p.Has(mode) {
		return nil, fmt.Errorf("preview mode %q: it has no steps", mode)
	}
	views := make([]RequestView, 0, p.Steps(mode))
	var before samples
	for _, s := range p.modes[mode] {
		v := viewer{
			scope:   &scope{Subscription: in.Subscription, Previous: before.outputs(), lookup: p.opts.LookupEnv, sample: true},
			samples: before,
		}
		view, err := v.request(s)
		if err != nil {
			view.Problem = err.Error()
		}
		views = append(views, view)
		before = samplesOf(s)
	}
	return views, nil
}

// samples stand in for the outputs of a step, each for one of them.
type samples struct {
	step  int // from 1
	names map[string]string
}

func samplesOf(s *step) samples {
	names := make(map[string]string, len(s.outputs))
	for i, o := range s.outputs {
		names[fmt.Sprintf("%08d%s", i+1, sampleText[8:])] = o.name
	}
	return samples{s.index + 1, names}
}

func (s samples) outputs() previous {
	before := previous{Outputs: make(map[string]string, len(s.names))}
	for sample, name := range s.names {
		before.Outputs[name] = sample
	}
	return before
}

// label is what is shown for a text that may not be shown.
func (s samples) label(sp span) string {
	if sp.from&fromSecret != 0 {
		return mask
	}
	if name, ok := s.names[sp.text]; ok {
		return fmt.Sprintf("<output %s of step %d>", name, s.step)
	}
	return fmt.Sprintf("<made of outputs of step %d>", s.step)
}

// viewer renders a step for its preview.
type viewer struct {
	*scope
	samples
}

func (v viewer) request(s *step) (RequestView, error) {
	view := RequestView{Index: s.index, Name: s.name, Method: s.method, Async: s.async}
	var err error
	if view.URL, err = v.endpoint(s); err != nil {
		return view, err
	}
	if view.Headers, err = v.headers(s); err != nil || s.data == nil {
		return view, err
	}
	var body bytes.Buffer
	if err := s.data.encode(v.scope, v, &body); err != nil {
		return view, err
	}
	view.Body = body.Bytes()
	return view, nil
}

// endpoint shows as much as is known beside an error.
func (v viewer) endpoint(s *step) (string, error) {
	spans, failed := s.endpoint.render(v.scope)
	if len(spans) > 0 && spans[0].from&fromSecret != 0 {
		spans[0].text = "https://" + sampleText // a secret at the beginning is an address
	}
	b, err := buildEndpoint(spans, v.label)
	switch {
	case failed != nil:
		return b.display() + "…", failed
	case err == nil && !b.unreadable:
		_, err = b.parse()
	}
	if err != nil {
		return b.display(), &renderError{fieldEndpoint, err.Error()}
	}
	return b.display(), nil
}

func (v viewer) headers(s *step) ([]HeaderLine, error) {
	var lines []HeaderLine
	given := map[string]bool{}
	for _, h := range s.headers {
		if h.text != nil {
			if _, err := h.text.render(v.scope); err != nil {
				return lines, err
			}
		}
		given[strings.ToLower(h.name)] = true
		lines = append(lines, HeaderLine{h.name, h.prefix + mask})
	}
	for _, own := range ownHeaders(s, mask) {
		if !given[strings.ToLower(own.name)] {
			lines = append(lines, HeaderLine{own.name, own.value})
		}
	}
	return lines, nil
}

// text is the part of the body that a template gave. The configuration's own texts are not shown.
func (v viewer) text(spans []span) ([]byte, error) {
	var b strings.Builder
	masked := false
	for _, sp := range spans {
		shown := v.shown(sp)
		if shown != mask || !masked {
			b.WriteString(shown)
		}
		masked = shown == mask
	}
	return marshalPlain(b.String())
}

func (v viewer) shown(sp span) string {
	switch {
	case sp.from.hidden():
		return v.label(sp)
	case sp.from == 0 && strings.TrimSpace(sp.text) == "":
		return sp.text
	case sp.from == fromSubscription && v.isOfSubscription(sp.text):
		return sp.text
	}
	return mask
}

// isOfSubscription tells a value of the subscription, or a part of one, from what a template has added a text to.
func (v viewer) isOfSubscription(text string) bool {
	values := reflect.ValueOf(v.Subscription)
	for i := range values.NumField() {
		if strings.Contains(values.Field(i).String(), text) {
			return true
		}
	}
	return false
}

// constant shows true, false and null.
func (v viewer) constant(encoded []byte) []byte {
	switch string(encoded) {
	case "true", "false", "null":
		return encoded
	}
	return []byte(`"` + mask + `"`)
}

// marshalPlain leaves the characters that HTML needs escaped.
func marshalPlain(text string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return nil, errors.New("cannot be encoded")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
