package pipeline

import (
	"net/http"
	"time"
)

// Lookup parses a path and follows it through a JSON body.
func Lookup(text string, body []byte) (value string, found bool, err error) {
	p, err := parsePath(text)
	if err != nil {
		return "", false, err
	}
	d, ok := parseDocument(body)
	if !ok {
		return "", false, nil
	}
	value, found = d.text(p)
	return value, found, nil
}

// Endpoint renders the endpoint of the second step of mode "m", and gives it as it is sent and as it is shown.
func (p *Pipelines) Endpoint(sub Subscription, outputs map[string]string) (sent, shown string, err error) {
	a := &attempt{p: p, step: p.modes["m"][1], in: Input{Subscription: sub}, before: previous{Outputs: outputs}}
	req, err := a.render()
	return req.url.reveal(), req.shown, err
}

// RetryAfter reads the header of an answer.
func RetryAfter(value string, now time.Time) time.Duration {
	return retryAfter(http.Header{"Retry-After": {value}}, now)
}

// Redirect decides about a redirect. The headers that are travelling may go anywhere.
func Redirect(next *http.Request, via []*http.Request, travelling http.Header) error {
	*next = *next.WithContext(withTravelling(next.Context(), travelling))
	return followRedirect(next, via)
}

// Rendered renders the second step of mode "m".
func (p *Pipelines) Rendered(sub Subscription, outputs map[string]string) (body string, headers http.Header, err error) {
	a := &attempt{p: p, step: p.modes["m"][1], in: Input{Subscription: sub}, before: previous{Outputs: outputs}}
	req, err := a.render()
	headers = http.Header{}
	for _, f := range req.header {
		headers.Set(f.name, f.value.reveal())
	}
	if req.body != nil {
		body = req.body.reveal()
	}
	return body, headers, err
}
