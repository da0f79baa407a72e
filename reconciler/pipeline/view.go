package pipeline

import "slices"

// StepView is a step as it is configured, its templates unrendered, without what may be a secret: userinfo, query values and
// fragments of endpoints, values of headers, and what is written literally in the data. It is masked as `kayra config view`
// masks it.
type StepView struct {
	Name     string                `json:"name,omitempty"`
	Method   string                `json:"method"`
	Endpoint string                `json:"endpoint"`
	Headers  map[string]HeaderView `json:"headers,omitempty"`
	Data     any                   `json:"data,omitempty"` // nil: no body
	Timeout  string                `json:"timeout"`        // as Go writes durations
	Async    bool                  `json:"async,omitempty"`
	Outputs  map[string]string     `json:"outputs,omitempty"`
	Wait     []Condition           `json:"wait,omitempty"`
	TLS      TLS                   `json:"tls,omitzero"` // paths
}

// HeaderView is a header's value without the value.
type HeaderView struct {
	Type  string `json:"type,omitempty"`
	Value any    `json:"value"` // an Origin, or a mask where the value stands in the configuration
}

// Describe gives the steps of mode as they are configured, nothing if it has none. What is given must not be changed.
func (p *Pipelines) Describe(mode string) []StepView { return slices.Clone(p.views[mode]) }

func describe(parsed *step, s Step) StepView {
	view := StepView{
		Name: s.Name, Method: parsed.method, Endpoint: maskURL(s.Endpoint), Data: maskData(s.Data),
		Timeout: parsed.timeout.String(), Async: s.Async, Outputs: s.Outputs, Wait: s.Wait, TLS: s.TLS,
	}
	if len(s.Headers) > 0 {
		view.Headers = make(map[string]HeaderView, len(s.Headers))
	}
	for name, h := range s.Headers {
		shown := HeaderView{Type: h.Type, Value: viewMask}
		if h.Value.origin != (Origin{}) {
			shown.Value = h.Value.origin
		}
		view.Headers[name] = shown
	}
	return view
}
