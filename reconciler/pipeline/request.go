package pipeline

import (
	"bytes"
	"fmt"
	"net/http"

	"golang.org/x/net/http/httpguts"
)

// request is a rendered step, ready to be sent. What must not be shown is a secret.
type request struct {
	method string
	url    secret
	shown  string // the endpoint as it may be shown
	host   string // its host as it may be shown
	site   site
	header []field
	body   *secret // nil: none
}

// field is a rendered header.
type field struct {
	name   string
	value  secret
	travel bool // it may follow a redirect to another site
}

// maxShown bounds an endpoint in logs and messages.
const maxShown = 512

// render makes the request of a step. On an error nothing may be sent; its request then shows as much of the endpoint as
// is known.
func (a *attempt) render() (request, error) {
	sc := &scope{Subscription: a.in.Subscription, Previous: a.before, lookup: a.p.opts.LookupEnv}
	req := request{method: a.step.method}
	if err := a.renderEndpoint(sc, &req); err != nil {
		return req, err
	}
	if err := a.renderHeaders(sc, &req); err != nil {
		return req, err
	}
	return req, a.renderBody(sc, &req)
}

func (a *attempt) renderEndpoint(sc *scope, req *request) error {
	spans, failed := a.step.endpoint.render(sc)
	b, err := buildEndpoint(spans, masked)
	req.shown, req.host = shorten(b.display()), shorten(b.host())
	if failed != nil {
		req.shown += "…"
		return failed
	}
	if err != nil {
		return &renderError{fieldEndpoint, err.Error()}
	}
	u, err := b.parse()
	if err != nil {
		return &renderError{fieldEndpoint, err.Error()}
	}
	req.url, req.site = conceal(u.String()), siteOf(u)
	if b.outputHost && !a.p.hosts.allow(req.site, a.before.giver) {
		return &renderError{fieldEndpoint, "an output names another host than the one that gave it, " +
			"and reconciler.output_hosts does not list that"}
	}
	return nil
}

func shorten(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return text[:maxShown] + "…"
}

// renderHeaders adds to the headers of the configuration those that it leaves out.
func (a *attempt) renderHeaders(sc *scope, req *request) error {
	given := http.Header{}
	for _, h := range a.step.headers {
		f, err := h.render(sc)
		if err != nil {
			return err
		}
		req.header = append(req.header, f)
		given.Set(h.name, "")
	}
	var key string
	if a.in.RunID != "" {
		key = fmt.Sprintf("%s-%d-%d", a.in.RunID, a.in.Attempt, a.step.index)
	}
	for _, own := range ownHeaders(a.step, key) {
		if given[http.CanonicalHeaderKey(own.name)] == nil {
			req.header = append(req.header, field{own.name, conceal(own.value), true})
		}
	}
	return nil
}

// ownHeader is a header that is sent although the configuration does not name it.
type ownHeader struct{ name, value string }

// ownHeaders are those of a step, with an idempotency key if there is one.
func ownHeaders(s *step, key string) []ownHeader {
	own := []ownHeader{{"User-Agent", "kayra"}}
	if key != "" {
		own = append(own, ownHeader{idempotencyKey, key})
	}
	if s.data != nil {
		own = append(own, ownHeader{"Content-Type", "application/json"})
	}
	return own
}

func (h header) render(sc *scope) (field, error) {
	f := field{name: h.name}
	var spans []span
	if h.from != nil {
		value, err := h.from(sc.lookup)
		if err != nil {
			return f, &renderError{"headers." + h.name, err.Error()}
		}
		spans = []span{{value, fromSecret}}
	} else {
		var err error
		if spans, err = h.text.render(sc); err != nil {
			return f, err
		}
	}
	value := h.prefix + plain(spans)
	if !httpguts.ValidHeaderFieldValue(value) {
		return f, &renderError{"headers." + h.name, "the value has a line break or another character that a header cannot carry"}
	}
	f.value, f.travel = conceal(value), travels(h.name, spans)
	return f, nil
}

// travels is true of headers that only say what the client understands. Every other one may be a credential, whatever its
// name is.
func travels(name string, spans []span) bool {
	for _, sp := range spans {
		if sp.from != 0 {
			return false
		}
	}
	switch http.CanonicalHeaderKey(name) {
	case "Accept", "Accept-Language", "User-Agent":
		return true
	}
	return false
}

func (a *attempt) renderBody(sc *scope, req *request) error {
	if a.step.data == nil {
		return nil
	}
	var b bytes.Buffer
	if err := a.step.data.encode(sc, sent{}, &b); err != nil {
		return err
	}
	body := conceal(b.String())
	req.body = &body
	return nil
}
