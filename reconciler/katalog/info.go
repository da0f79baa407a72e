package katalog

import (
	"fmt"
	"strings"

	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

// CRDInfoResponse is a registration with how it is worked on.
type CRDInfoResponse struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	Mode           string   `json:"mode"`
	GVK            string   `json:"gvk"`
	GVR            string   `json:"gvr"`
	Namespaced     bool     `json:"namespaced"`
	Namespace      string   `json:"namespace"`
	DependsOn      []string `json:"dependsOn,omitempty"`
	IsKonductor    bool     `json:"isKonductor"`
	Paused         bool     `json:"paused,omitempty"`
	SyncID         string   `json:"syncId"`
	ReleasedSyncID string   `json:"releasedSyncId"`
	Canaries       []string `json:"canaryNamespaces,omitempty"`

	WorkerStats
	WorkersSource  string `json:"workersSource"`
	Resync         string `json:"resync"`
	ResyncSource   string `json:"resyncSource"`
	QueueDepth     int    `json:"queueDepth"`
	QueueDelayed   int    `json:"queueDelayed"` // that follow after a time
	QueueOldest    string `json:"queueOldest"`  // for how long the one waits that has waited longest
	QueueRefused   uint64 `json:"queueRefused"` // that found the queue full, counted each time; all of them follow
	MaxDepth       int    `json:"maxDepth"`
	MaxDepthSource string `json:"maxDepthSource"`

	ResourceCount    int             `json:"resourceCount"`
	ResourcesSynced  int             `json:"resourcesSynced"`
	ResourcesFailing int             `json:"resourcesFailing"`
	ResourcesInError int             `json:"resourcesInError"`
	TotalReconciles  int64           `json:"totalReconciles"`
	OperatorBox      OperatorBoxInfo `json:"operatorBox"`
	Healthy          bool            `json:"healthy"`
	State            string          `json:"state"`
	DegradedReason   string          `json:"degradedReason,omitempty"`
	Started          bool            `json:"started"`
	Pending          bool            `json:"pending"`
	ErrorRate        float64         `json:"errorRate"`

	Recent
	Providers         []ProviderInfoResponse  `json:"providers,omitempty"`
	RBAC              RBACInfo                `json:"rbac"`
	AutoscalerEnabled bool                    `json:"autoscalerEnabled,omitempty"`
	AutoscalerWorkers *kordinator.ScaleReport `json:"autoscalerWorkers,omitempty"`
	Rollback          *RollbackStats          `json:"rollback,omitempty"`
	Metrics           kordinator.Metrics      `json:"metrics"` // that the conditions of an autoscaler read
}

// WorkerStats are a registration's workers in this process.
type WorkerStats struct {
	Workers           int32             `json:"workers"`       // that there may be now
	WorkersActive     int32             `json:"workersActive"` // that there are
	WorkersIdle       int32             `json:"workersIdle"`
	WorkersProcessing int32             `json:"workersProcessing"`
	WorkerDetails     map[string]string `json:"workerDetails,omitempty"` // by "worker-0" and so on: idle, processing or stopped
}

// OperatorBoxInfo is what works on a registration's subscriptions. There are no hooks and no finalizers.
type OperatorBoxInfo struct {
	Type        string          `json:"type"` // "pipeline", or "placeholder" where nothing is sent
	Finalizers  FinalizersInfo  `json:"finalizers"`
	Hooks       HooksInfo       `json:"hooks"`
	Constructor ConstructorInfo `json:"constructor"`
	Templates   map[string]any  `json:"templates,omitempty"` // steps: those of the mode, masked
}

// FinalizersInfo is empty.
type FinalizersInfo struct {
	Source string   `json:"source"`
	Values []string `json:"values"`
}

// HooksInfo is empty.
type HooksInfo struct {
	Configured bool `json:"configured"`
}

// ConstructorInfo is empty.
type ConstructorInfo struct {
	Configured bool `json:"configured"`
}

// ProviderInfoResponse is a host that the steps of a mode call, with the calls of this process.
type ProviderInfoResponse struct {
	Name      string   `json:"name"`
	Kinds     []string `json:"kinds"` // the names of the steps that call it, of one without a name its method
	Total     int64    `json:"total"`
	Errors    int64    `json:"errors"`
	ErrorRate float64  `json:"errorRate"` // from 0 to 1
}

// RBACInfo is who may do what with an API, as far as roles say it.
type RBACInfo struct {
	Rules      []RBACRule `json:"rules"`
	Summary    string     `json:"summary"`
	TotalRules int        `json:"totalRules"`
}

// RBACRule is a rule of a role.
type RBACRule struct {
	APIGroups   []string `json:"apiGroups,omitempty"`
	Resources   []string `json:"resources,omitempty"`
	Verbs       []string `json:"verbs,omitempty"`
	Description string   `json:"description,omitempty"` // which role it is of
}

// RollbackStats are a registration's rollbacks, which stand on its record.
type RollbackStats struct {
	TotalRollbacks int64  `json:"totalRollbacks"` // ever
	Active         bool   `json:"active"`         // the sync id is the one that the last one has put it back to
	LastRollbackAt string `json:"lastRollbackAt,omitempty"`
}

// NewInfo is how a registration is answered. It must be registered, and have its details.
func NewInfo(p Process, a API) CRDInfoResponse {
	h, l, reg := NewHealth(p, a), a.limits(), a.Registration
	info := CRDInfoResponse{
		Name: a.Name, Description: reg.Description, Mode: a.Mode, GVK: a.gvk(), GVR: a.gvr(), Namespaced: true,
		DependsOn: a.dependsOn(p), IsKonductor: p.Konductor, Paused: reg.Paused,
		SyncID: reg.SyncID, ReleasedSyncID: reg.ReleasedSyncID, Canaries: reg.CanaryNamespaces,
		WorkerStats: newWorkers(&a.Vitals), WorkersSource: l.workers,
		Resync: catalog.Duration(a.Resync).String(), ResyncSource: l.resync,
		QueueDepth: a.Queue.Depth, QueueDelayed: a.Queue.Delayed, QueueRefused: a.Queue.Refused,
		QueueOldest: uptime(a.Queue.Oldest), MaxDepth: l.maxDepth, MaxDepthSource: l.maxDepthSource,
		ResourceCount: h.ResourceCount, ResourcesSynced: h.ResourcesSynced, ResourcesFailing: h.ResourcesFailing,
		ResourcesInError: h.ResourcesInError, TotalReconciles: h.TotalReconciles, OperatorBox: a.operatorBox(),
		Healthy: h.Healthy, State: h.State, DegradedReason: h.DegradedReason, Started: h.Started, Pending: h.Pending,
		ErrorRate: h.ErrorRate, Recent: h.Recent,
		Providers: a.providers(), RBAC: a.rbac(), Rollback: a.rollback(), Metrics: a.Vitals.Metrics,
	}
	if s := a.Settings; len(s.ScaleWhen.Value)+len(s.ScaleOr.Value) > 0 {
		info.AutoscalerEnabled, info.AutoscalerWorkers = true, &a.Scale
	}
	return info
}

func newWorkers(v *kordinator.Snapshot) WorkerStats {
	idle, processing := int32(v.Idle()), int32(v.Processing()) //nolint:gosec // there are 10,000 at most
	s := WorkerStats{
		Workers: int32(v.Workers), WorkersActive: idle + processing, //nolint:gosec // as above
		WorkersIdle: idle, WorkersProcessing: processing, WorkerDetails: make(map[string]string, len(v.States)),
	}
	for i, state := range v.States {
		s.WorkerDetails[fmt.Sprintf("worker-%d", i)] = string(state)
	}
	return s
}

func (a *API) operatorBox() OperatorBoxInfo {
	box := OperatorBoxInfo{Type: a.boxType(), Finalizers: FinalizersInfo{Values: []string{}}}
	if len(a.Details.Steps) > 0 {
		box.Templates = map[string]any{"steps": a.Details.Steps}
	}
	return box
}

func (a *API) providers() []ProviderInfoResponse {
	all := make([]ProviderInfoResponse, len(a.Details.Hosts))
	for i, h := range a.Details.Hosts {
		all[i] = ProviderInfoResponse{Name: h.Name, Kinds: h.Steps, Total: h.Calls, Errors: h.Errors}
		if h.Calls > 0 {
			all[i].ErrorRate = float64(h.Errors) / float64(h.Calls)
		}
	}
	return all
}

func (a *API) rbac() RBACInfo {
	info, roles := RBACInfo{Rules: make([]RBACRule, len(a.Details.Grants)), TotalRules: len(a.Details.Grants)}, map[string]bool{}
	for i, g := range a.Details.Grants {
		roles[g.Role] = true
		info.Rules[i] = RBACRule{
			APIGroups: g.Rule.APIs, Resources: g.Rule.Resources, Verbs: g.Rule.Verbs,
			Description: fmt.Sprintf("role %s: %s on %s", g.Role, strings.Join(g.Rule.Verbs, ", "), strings.Join(g.Rule.Resources, ", ")),
		}
	}
	info.Summary = fmt.Sprintf("%s of %s", counted(len(info.Rules), "rule"), counted(len(roles), "role"))
	return info
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// rollback is nil of a registration that neither is rolled back nor has been.
func (a *API) rollback() *RollbackStats {
	was := a.Registration.RolledBack
	if was.Total == 0 && a.Settings.RollbackFailures.Value == 0 {
		return nil
	}
	return &RollbackStats{
		TotalRollbacks: was.Total, Active: a.Registration.RollbackStands(), LastRollbackAt: timestamp(was.At),
	}
}
