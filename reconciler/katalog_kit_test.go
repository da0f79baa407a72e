package reconciler_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"kayra/reconciler"
	"kayra/reconciler/katalog"
)

// asked lets everybody ask.
func (w *world) asked() {
	w.options = both(w.options, func(o *reconciler.Options) {
		o.Authenticate = func(h http.Handler) http.Handler { return h }
	})
}

// answer is what a process answers under /katalog, which must be JSON with the status.
func answer[T any](t *testing.T, p *process, path string, status int) T {
	t.Helper()
	code, body := p.get(t, "/katalog"+path)
	var out T
	if err := json.Unmarshal([]byte(body), &out); err != nil || code != status {
		t.Fatalf("/katalog%s answers %d (%v), not %d: %s", path, code, err, status, body)
	}
	return out
}

func (p *process) health(t *testing.T, api string) katalog.CRDHealthResponse {
	t.Helper()
	code, body := p.get(t, "/katalog/"+api+"/health")
	var h katalog.CRDHealthResponse
	if err := json.Unmarshal([]byte(body), &h); err != nil || h.Status != code && code != http.StatusNotFound {
		t.Fatalf("health of %s: %d, %v: %s", api, code, err, body)
	}
	return h
}

// detail is what a process tells of a subscriber of compute.
func (p *process) detail(t *testing.T, ns string) katalog.CRDetailResponse {
	t.Helper()
	return answer[katalog.CRDetailResponse](t, p, "/"+compute+"/cr/"+ns, http.StatusOK)
}

// events are what has happened to a subscriber of compute, the newest first.
func (p *process) events(t *testing.T, ns string) []katalog.CREvent {
	t.Helper()
	e := answer[katalog.CREventsResponse](t, p, "/"+compute+"/cr/"+ns+"/events", http.StatusOK)
	if e.Total != len(e.Events) || e.Name != compute || e.Namespace != ns {
		t.Errorf("events of %s: %+v", ns, e)
	}
	return e.Events
}
