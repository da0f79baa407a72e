package katalog

import (
	"fmt"
	"net/http"

	"kayra/store/catalog"
)

// KatalogResponse is all that a process works on.
type KatalogResponse struct { //nolint:revive // tools know it by this name
	CRDs               []CRDSummaryResponse `json:"crds"` // by name
	Total              int                  `json:"total"`
	TotalEnabled       int                  `json:"totalEnabled"` // those whose API may be used
	OrkReady           bool                 `json:"OrkReady"`     // what /-/readyz answers
	IsKonductor        bool                 `json:"isKonductor"`
	DeletionProtection bool                 `json:"deletionProtection"` // always: what is referred to is not deleted
	Healthy            bool                 `json:"healthy"`            // none is degraded or missing
	Status             int                  `json:"status"`             // that this is answered with
	DegradedReason     string               `json:"degradedReason,omitempty"`
	StatusCounts       StatusCounts         `json:"statusCounts"`
	Name               string               `json:"name,omitempty"`
	Version            string               `json:"version,omitempty"`
	RuntimeVersion     string               `json:"runtimeVersion,omitempty"`
	ClusterName        string               `json:"clusterName,omitempty"` // PLATFORM/REGION

	Namespaces map[string]KatalogNamespaceSummary `json:"namespaces,omitempty"` // by owner

	GatewayEndpoint string `json:"gatewayEndpoint,omitempty"` // URL of a server that counts what was asked of it
}

// StatusCounts counts registrations. One that is not started is pending, and one that is missing degraded.
type StatusCounts struct {
	Healthy  int `json:"healthy"`
	Degraded int `json:"degraded"`
	Started  int `json:"started"`
	Pending  int `json:"pending"`
}

// KatalogNamespaceSummary sums up the registrations of one owner.
type KatalogNamespaceSummary struct { //nolint:revive // tools know it by this name
	CRDs         []string     `json:"crds"`
	StatusCounts StatusCounts `json:"statusCounts"`
	Healthy      bool         `json:"healthy"`
	Workers      int          `json:"workers"`
	Resources    int          `json:"resources"`
}

// CRDSummaryResponse is a registration in short.
type CRDSummaryResponse struct {
	Name                     string             `json:"name"`
	Description              string             `json:"description"`
	Mode                     string             `json:"mode"` // that holds for it; "": none
	GVK                      string             `json:"gvk"`
	GVR                      string             `json:"gvr"`
	Namespaced               bool               `json:"namespaced"` // always: a subscription is a namespace's
	Namespace                string             `json:"namespace"`
	DependsOn                []string           `json:"dependsOn,omitempty"`
	HasUnhealthyDependencies bool               `json:"hasUnhealthyDependencies"`
	Workers                  int                `json:"workers"` // that there may be now
	WorkersSource            string             `json:"workersSource"`
	WorkersActive            int32              `json:"workersActive"`
	WorkersProcessing        int32              `json:"workersProcessing"`
	Resync                   string             `json:"resync"`
	ResyncSource             string             `json:"resyncSource"`
	QueueDepth               int                `json:"queueDepth"`
	MaxDepth                 int                `json:"maxDepth"` // 0: no limit
	MaxDepthSource           string             `json:"maxDepthSource"`
	ResourceCount            int                `json:"resourceCount"`
	ResourcesSynced          int                `json:"resourcesSynced"`
	ResourcesFailing         int                `json:"resourcesFailing"`
	OperatorBox              OperatorBoxSummary `json:"operatorBox"`
	Healthy                  bool               `json:"healthy"`
	State                    string             `json:"state"`
	DegradedReason           string             `json:"degradedReason,omitempty"`
	Started                  bool               `json:"started"`
	Pending                  bool               `json:"pending"`
	StartedAt                string             `json:"startedAt"`
	Uptime                   string             `json:"uptime"`
	ErrorRate                float64            `json:"errorRate"`
	ErrorRatePercent         float64            `json:"errorRatePercent"`
	Endpoints                EndpointInfo       `json:"endpoints"`
	RBACCount                int                `json:"rbacCount,omitempty"`
	DeletionProtection       bool               `json:"deletionProtection"`
	ProviderCount            int                `json:"providerCount,omitempty"`
	KatalogNamespace         string             `json:"katalogNamespace,omitempty"`
}

// EndpointInfo has the paths of a registration's answers.
type EndpointInfo struct {
	Health string `json:"health"`
	Info   string `json:"info"`
}

// OperatorBoxSummary tells what works on a registration.
type OperatorBoxSummary struct {
	Type         string `json:"type"` // "pipeline", or "placeholder" where nothing is sent
	HasTemplates bool   `json:"hasTemplates,omitempty"`
}

// NewKatalog is how all registrations are answered.
func NewKatalog(p Process, apis []API) KatalogResponse {
	k := KatalogResponse{
		CRDs: make([]CRDSummaryResponse, 0, len(apis)), Total: len(apis), OrkReady: p.Ready, IsKonductor: p.Konductor,
		DeletionProtection: true, Status: http.StatusOK, Name: "kayra", Version: p.Version, RuntimeVersion: p.Version,
		ClusterName: p.Scope.String(), Namespaces: map[string]KatalogNamespaceSummary{}, GatewayEndpoint: p.Gateway,
	}
	for i := range apis {
		a := &apis[i]
		k.CRDs = append(k.CRDs, newSummary(p, a))
		k.StatusCounts.count(a.State)
		if a.Registration != nil && a.Registration.Active {
			k.TotalEnabled++
		}
		owner := k.Namespaces[a.owner()]
		owner.add(a)
		k.Namespaces[a.owner()] = owner
	}
	k.Healthy = k.StatusCounts.Degraded == 0
	if !k.Healthy {
		k.Status, k.DegradedReason = http.StatusServiceUnavailable, degradedReason(apis)
	}
	return k
}

// degradedReason names the first that is degraded, and how many more there are.
func degradedReason(apis []API) string {
	reason, more := "", 0
	for _, a := range apis {
		switch {
		case a.State != catalog.HealthDegraded && a.State != catalog.HealthMissing:
		case reason == "":
			reason = fmt.Sprintf("%s is %s: %s", a.Name, a.State, a.Reason)
		default:
			more++
		}
	}
	if more > 0 {
		reason += fmt.Sprintf(" (and %d more)", more)
	}
	return reason
}

func (c *StatusCounts) count(state catalog.HealthState) {
	switch state {
	case catalog.HealthHealthy:
		c.Healthy++
	case catalog.HealthDegraded, catalog.HealthMissing:
		c.Degraded++
	case catalog.HealthStarted:
		c.Started++
	case catalog.HealthPending, catalog.HealthNotStarted:
		c.Pending++
	}
}

func (s *KatalogNamespaceSummary) add(a *API) {
	s.CRDs = append(s.CRDs, a.Name)
	s.StatusCounts.count(a.State)
	s.Healthy = s.StatusCounts.Degraded == 0
	s.Workers += a.Vitals.Workers
	s.Resources += a.Tally.Subscribed
}

// owner is whose the registration is.
func (a *API) owner() string {
	if a.Registration == nil || a.Registration.Owner == "" {
		return "default"
	}
	return a.Registration.Owner
}

func newSummary(p Process, a *API) CRDSummaryResponse {
	h, l := NewHealth(p, *a), a.limits()
	s := CRDSummaryResponse{
		Name: a.Name, Mode: a.Mode, GVK: a.gvk(), GVR: a.gvr(), Namespaced: true, DependsOn: a.dependsOn(p),
		HasUnhealthyDependencies: h.HasUnhealthyDependencies,
		Workers:                  a.Vitals.Workers, WorkersSource: l.workers, WorkersActive: a.workersActive(),
		WorkersProcessing: int32(a.Vitals.Processing()), //nolint:gosec // there are 10,000 at most
		Resync:            catalog.Duration(a.Resync).String(), ResyncSource: l.resync,
		QueueDepth: h.QueueDepth, MaxDepth: l.maxDepth, MaxDepthSource: l.maxDepthSource,
		ResourceCount: h.ResourceCount, ResourcesSynced: h.ResourcesSynced, ResourcesFailing: h.ResourcesFailing,
		OperatorBox: OperatorBoxSummary{Type: a.boxType(), HasTemplates: !a.Placeholder},
		Healthy:     h.Healthy, State: h.State, DegradedReason: h.DegradedReason, Started: h.Started, Pending: h.Pending,
		StartedAt: h.StartedAt, Uptime: h.Uptime, ErrorRate: h.ErrorRate, ErrorRatePercent: h.ErrorRatePercent,
		Endpoints: EndpointInfo{Health: "/katalog/" + a.Name + "/health", Info: "/katalog/" + a.Name},
		RBACCount: a.Rules, DeletionProtection: true, ProviderCount: a.Hosts, KatalogNamespace: a.owner(),
	}
	if a.Registration != nil {
		s.Description = a.Registration.Description
	}
	return s
}

func (a *API) gvk() string { return a.Name + "/v1, Kind=Subscription" }

func (a *API) gvr() string { return a.Name + "/v1/subscriptions" }

func (a *API) boxType() string {
	if a.Placeholder {
		return "placeholder"
	}
	return "pipeline"
}

// workersActive are the workers that there are, those among them that are to end once their attempt has.
func (a *API) workersActive() int32 {
	return int32(a.Vitals.Idle() + a.Vitals.Processing()) //nolint:gosec // there are 10,000 at most
}

func (a *API) dependsOn(p Process) []string {
	names := make([]string, len(a.Dependencies))
	for i, d := range a.Dependencies {
		names[i] = d.NameIn(p.Scope)
	}
	return names
}
