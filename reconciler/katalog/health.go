package katalog

import (
	"net/http"
	"time"

	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

// CRDHealthResponse is the health of a registration. Its counters are this process's, since it started the registration;
// what Resources… count is all there is.
type CRDHealthResponse struct {
	Name                     string                      `json:"name"`
	State                    string                      `json:"state"`  // of [catalog.HealthState]
	Status                   int                         `json:"status"` // that the health is answered with: 200 or 503
	DegradedReason           string                      `json:"degradedReason,omitempty"`
	IsKonductor              bool                        `json:"isKonductor"`
	Healthy                  bool                        `json:"healthy"`
	Started                  bool                        `json:"started"`
	Pending                  bool                        `json:"pending"`
	StartedAt                string                      `json:"startedAt"` // RFC 3339, or "not started"
	Uptime                   string                      `json:"uptime"`    // as Go writes durations, or "not started"
	QueueDepth               int                         `json:"queueDepth"`
	ErrorRate                float64                     `json:"errorRate"` // from 0 to 1, since the start
	ConsecutiveFails         int64                       `json:"consecutiveFails"`
	TotalReconciles          int64                       `json:"totalReconciles"`
	FailedReconciles         int64                       `json:"failedReconciles"`
	ResourceCount            int                         `json:"resourceCount"`
	ResourcesSynced          int                         `json:"resourcesSynced"`
	ResourcesFailing         int                         `json:"resourcesFailing"` // whose last attempt has failed
	ResourcesInError         int                         `json:"resourcesInError"` // that have ended in error at the sync id
	FailuresRecorded         int                         `json:"failuresRecorded"` // by all processes since any success; failure_threshold is about them
	LastError                string                      `json:"lastError"`        // one sentence; it stays when others succeed
	LastReconcile            string                      `json:"lastReconcile"`    // RFC 3339; "": none yet
	HasUnhealthyDependencies bool                        `json:"hasUnhealthyDependencies"`
	Dependencies             map[string]DependencyStatus `json:"dependencies,omitempty"` // by name, PLATFORM/REGION/NAME of another scope
	Missing                  bool                        `json:"missing,omitempty"`

	Recent
	Panics    int64      `json:"panics"` // each is a failure, too
	LastPanic *PanicInfo `json:"lastPanic,omitempty"`
}

// Recent are figures of the attempts that ended in the last five minutes; all are 0 when none did.
type Recent struct {
	RecentReconciles int     `json:"recentReconciles"`
	ErrorRatePercent float64 `json:"errorRatePercent"`
	DurationP50Ms    float64 `json:"durationP50Ms"`
	DurationP95Ms    float64 `json:"durationP95Ms"`
	DurationP99Ms    float64 `json:"durationP99Ms"`
}

// PanicInfo is what is kept of a panic.
type PanicInfo struct {
	At    string `json:"at"` // RFC 3339
	Stack string `json:"stack"`
}

// DependencyStatus is a dependency as it is now.
type DependencyStatus struct {
	Name                string `json:"name"`
	State               string `json:"state"`               // its health, "external" where the store does not tell, "unknown" until it has been read
	Condition           string `json:"condition"`           // the most that is so now: synced, healthy, started, or state where it has not started
	AcceptableCondition string `json:"acceptableCondition"` // that is asked for
	Satisfied           bool   `json:"satisfied"`           // of synced: no subscription waits for it
	LastCheck           string `json:"lastCheck,omitempty"` // RFC 3339
}

// NewHealth is how the health of a registration is answered.
func NewHealth(p Process, a API) CRDHealthResponse {
	h := CRDHealthResponse{
		Name: a.Name, State: string(a.State), Status: statusOf(a.State), DegradedReason: a.Reason, IsKonductor: p.Konductor,
		Healthy: a.State == catalog.HealthHealthy, Started: a.Started, Pending: a.State == catalog.HealthPending,
		StartedAt: notStarted, Uptime: notStarted, QueueDepth: a.Queue.Depth,
		ErrorRate: a.Vitals.ErrorRate(), ConsecutiveFails: a.Vitals.Consecutive,
		TotalReconciles: a.Vitals.Attempts, FailedReconciles: a.Vitals.Failed,
		ResourceCount: a.Tally.Subscribed, ResourcesSynced: a.Tally.Synced, ResourcesFailing: a.Tally.Failing,
		ResourcesInError: a.Tally.InError, FailuresRecorded: a.Tally.Failures,
		LastError: a.Vitals.LastError.Message, LastReconcile: timestamp(a.Vitals.LastAttempt),
		HasUnhealthyDependencies: a.hasUnhealthyDependencies(), Dependencies: a.dependencies(p),
		Missing: a.State == catalog.HealthMissing,
		Recent:  newRecent(a.Vitals.Recent), Panics: a.Vitals.Panics,
	}
	if a.Started {
		h.StartedAt, h.Uptime = timestamp(a.Vitals.StartedAt), uptime(p.Now.Sub(a.Vitals.StartedAt))
	}
	if a.Vitals.Panics > 0 {
		h.LastPanic = &PanicInfo{At: timestamp(a.Vitals.LastPanic.At), Stack: a.Vitals.LastPanic.Stack}
	}
	return h
}

const notStarted = "not started"

// statusOf is the status that the health is answered with.
func statusOf(state catalog.HealthState) int {
	switch state {
	case catalog.HealthNotStarted, catalog.HealthDegraded, catalog.HealthMissing:
		return http.StatusServiceUnavailable
	case catalog.HealthPending, catalog.HealthStarted, catalog.HealthHealthy:
	}
	return http.StatusOK
}

func (a *API) hasUnhealthyDependencies() bool {
	for _, d := range a.Dependencies {
		if !d.Satisfied || d.State == string(catalog.HealthDegraded) || d.State == string(catalog.HealthMissing) {
			return true
		}
	}
	return false
}

func (a *API) dependencies(p Process) map[string]DependencyStatus {
	all := make(map[string]DependencyStatus, len(a.Dependencies))
	for _, d := range a.Dependencies {
		name := d.NameIn(p.Scope)
		all[name] = DependencyStatus{
			Name: name, State: d.State, Condition: d.Condition, AcceptableCondition: string(d.Needs()),
			Satisfied: d.Satisfied, LastCheck: timestamp(p.Now),
		}
	}
	return all
}

func newRecent(r kordinator.Recent) Recent {
	return Recent{
		RecentReconciles: r.Attempts, ErrorRatePercent: r.ErrorRatePercent,
		DurationP50Ms: milliseconds(r.P50), DurationP95Ms: milliseconds(r.P95), DurationP99Ms: milliseconds(r.P99),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// timestamp is a time as it is answered; "" of none.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func uptime(d time.Duration) string { return max(0, d).Truncate(time.Second).String() }
