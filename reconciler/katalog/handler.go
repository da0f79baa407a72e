package katalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"kayra/store/catalog"
)

// Handler answers what is asked of the process under /katalog. Whom it may answer is for others to decide.
func Handler(from Source) http.Handler {
	h := &handler{from}
	mux := http.NewServeMux()
	for path, answer := range map[string]func(r *http.Request) (int, any, error){
		"/katalog":                      h.katalog,
		"/katalog/raw":                  h.allRaw,
		"/katalog/enriched":             h.allEnriched,
		"/katalog/{api}":                h.info,
		"/katalog/{api}/health":         h.health,
		"/katalog/{api}/raw":            h.raw,
		"/katalog/{api}/enriched":       h.enriched,
		"/katalog/{api}/cr":             h.list,
		"/katalog/{api}/cr/{ns}":        h.detail,
		"/katalog/{api}/cr/{ns}/events": h.events,
	} {
		mux.Handle(path, serve(answer))
	}
	mux.Handle("/", serve(func(*http.Request) (int, any, error) {
		return 0, nil, notFound("there is nothing at this path; GET /katalog lists what there is")
	}))
	return mux
}

type handler struct{ from Source }

func (h *handler) katalog(*http.Request) (int, any, error) {
	k := NewKatalog(h.from.Process(), h.from.APIs())
	return k.Status, k, nil
}

func (h *handler) allRaw(*http.Request) (int, any, error) {
	crds := []*catalog.Registration{}
	for _, a := range h.from.APIs() {
		if a.Registration != nil {
			crds = append(crds, a.Registration)
		}
	}
	return http.StatusOK, newDocument(h.from.Process(), crds), nil
}

func (h *handler) allEnriched(*http.Request) (int, any, error) {
	crds := []EnrichedCRD{}
	for _, a := range h.from.APIs() {
		if full, ok := h.from.API(a.Name); ok && full.Registration != nil {
			crds = append(crds, NewEnriched(full))
		}
	}
	return http.StatusOK, newDocument(h.from.Process(), crds), nil
}

func (h *handler) info(r *http.Request) (int, any, error) {
	a, err := h.registered(r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, NewInfo(h.from.Process(), a), nil
}

func (h *handler) health(r *http.Request) (int, any, error) {
	a, err := h.known(r)
	if err != nil {
		return 0, nil, err
	}
	health := NewHealth(h.from.Process(), a)
	return health.Status, health, nil
}

func (h *handler) raw(r *http.Request) (int, any, error) {
	a, err := h.registered(r)
	return http.StatusOK, a.Registration, err
}

func (h *handler) enriched(r *http.Request) (int, any, error) {
	a, err := h.registered(r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, NewEnriched(a), nil
}

func (h *handler) list(r *http.Request) (int, any, error) {
	a, err := h.registered(r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, NewCRList(h.from.Process(), a.Name, h.from.Tenants(a.Name)), nil
}

func (h *handler) detail(r *http.Request) (int, any, error) {
	a, t, err := h.tenant(r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, NewCRDetail(t, !a.Placeholder), nil
}

func (h *handler) events(r *http.Request) (int, any, error) {
	_, t, err := h.tenant(r)
	if err != nil {
		return 0, nil, err
	}
	sub := t.Subscription
	return http.StatusOK, CREventsResponse{Name: sub.API, Namespace: sub.Namespace, Total: len(t.Events), Events: t.Events}, nil
}

// known is the registration of the path, which may be one that is missing.
func (h *handler) known(r *http.Request) (API, error) {
	name := r.PathValue("api")
	a, ok := h.from.API(name)
	if !ok {
		return a, notFound("API %q is not registered here; GET /katalog lists those that are", clip(name))
	}
	return a, nil
}

func (h *handler) registered(r *http.Request) (API, error) {
	a, err := h.known(r)
	if err == nil && a.Registration == nil {
		return a, notFound("API %q is not registered, although others depend on it: register it, or take it out of their depends_on", clip(a.Name))
	}
	return a, err
}

func (h *handler) tenant(r *http.Request) (API, Tenant, error) {
	a, err := h.registered(r)
	if err != nil {
		return a, Tenant{}, err
	}
	ns := r.PathValue("ns")
	t, ok := h.from.Tenant(a.Name, ns)
	if !ok {
		return a, t, notFound("namespace %q does not subscribe to %s; GET /katalog/%s/cr lists those that do", clip(ns), a.Name, a.Name)
	}
	return a, t, nil
}

// missing is a refusal with 404.
type missing struct{ detail string }

func (m *missing) Error() string { return m.detail }

func notFound(format string, args ...any) error { return &missing{fmt.Sprintf(format, args...)} }

func serve(answer func(r *http.Request) (int, any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			Refuse(w, r, http.StatusMethodNotAllowed, "this path does not take the method; it takes GET and HEAD")
			return
		}
		status, body, err := answer(r)
		if err != nil {
			Refuse(w, r, http.StatusNotFound, err.Error())
			return
		}
		write(w, r, "application/json", status, body)
	})
}

// problem says why a request was refused (RFC 9457).
type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance"`
}

// Refuse answers with a problem. detail says what to do.
func Refuse(w http.ResponseWriter, r *http.Request, status int, detail string) {
	write(w, r, "application/problem+json", status, problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Instance: r.URL.EscapedPath(),
	})
}

// write encodes before it answers, so that the length is known.
func write(w http.ResponseWriter, r *http.Request, mediaType string, status int, body any) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		if mediaType == "application/json" {
			Refuse(w, r, http.StatusInternalServerError, "the answer cannot be encoded, which is a fault of the reconciler")
		}
		return
	}
	header := w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Content-Length", strconv.Itoa(text.Len()))
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

// clip keeps a problem readable, whatever was sent.
func clip(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
