package katalog

import (
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"kayra/store/catalog"
)

// CRListResponse has the subscriptions to a registration.
type CRListResponse struct {
	CRD   string      `json:"crd"`
	GVK   string      `json:"gvk"`
	Total int         `json:"total"`
	Items []CRSummary `json:"items"` // by namespace
}

// CRSummary is a subscription in short.
type CRSummary struct {
	Name        string `json:"name"` // of the API
	Namespace   string `json:"namespace,omitempty"`
	Phase       string `json:"phase,omitempty"`       // of [catalog.State]
	Ready       bool   `json:"ready"`                 // it is synced
	ReadyReason string `json:"readyReason,omitempty"` // of [catalog.Reason]
	Age         string `json:"age"`
	Generation  int64  `json:"generation"`
}

// CRDetailResponse is a subscription.
type CRDetailResponse struct {
	Name              string   `json:"name"` // of the API
	Namespace         string   `json:"namespace,omitempty"`
	Generation        int64    `json:"generation"`
	CreationTimestamp string   `json:"creationTimestamp"`
	Ready             bool     `json:"ready"`                  // it is synced
	ReadyReason       string   `json:"readyReason,omitempty"`  // of [catalog.Reason]
	ReadyMessage      string   `json:"readyMessage,omitempty"` // one sentence
	Status            CRStatus `json:"status,omitzero"`
	Children          Children `json:"children"`
	EventsEndpoint    string   `json:"eventsEndpoint"`
	HasTemplateBlocks bool     `json:"hasTemplateBlocks"` // there is something to send
}

// CRStatus is a subscription as the REST API answers it, with its last attempt.
type CRStatus struct {
	API             string         `json:"api"`
	Namespace       string         `json:"namespace"`
	Active          bool           `json:"active"`
	State           catalog.State  `json:"state"`
	CurrentSyncID   string         `json:"current_sync_id"`
	ExpectedSyncID  string         `json:"expected_sync_id"`
	Synced          bool           `json:"synced"`
	Reason          catalog.Reason `json:"reason"`
	Message         string         `json:"message"`
	AttemptedSyncID string         `json:"attempted_sync_id"`
	UpdatedAt       time.Time      `json:"updated_at"`
	Attempt         *CRAttempt     `json:"attempt,omitempty"`
	Failures        int            `json:"failures"` // failed attempts since the last success, of 50 at most
}

// CRAttempt is the last attempt to bring a subscription to a sync id.
type CRAttempt struct {
	SyncID     string         `json:"sync_id"`
	Run        string         `json:"run,omitempty"` // its id
	Number     int            `json:"n"`             // which one of its trigger
	Begun      int            `json:"begun"`         // how often it was begun without an outcome
	Phase      catalog.Phase  `json:"phase"`
	Reason     catalog.Reason `json:"reason,omitempty"`
	Message    string         `json:"message,omitempty"`
	StartedAt  time.Time      `json:"started_at,omitzero"`
	EndedAt    time.Time      `json:"ended_at,omitzero"`
	Reconciler string         `json:"reconciler,omitempty"` // id of the process that made it
	Retries    int            `json:"retries"`              // by operator.retry
	RetryAt    time.Time      `json:"retry_at,omitzero"`
}

// NewCRList is how the subscriptions to a registration are answered.
func NewCRList(p Process, api string, tenants []Tenant) CRListResponse {
	a := API{Name: api}
	list := CRListResponse{CRD: api, GVK: a.gvk(), Total: len(tenants), Items: make([]CRSummary, len(tenants))}
	for i := range tenants {
		sub := tenants[i].Subscription
		list.Items[i] = CRSummary{
			Name: sub.API, Namespace: sub.Namespace, Phase: string(sub.State), Ready: sub.Synced(tenants[i].Registration),
			ReadyReason: string(tenants[i].Reason), Age: age(p.Now, sub.CreatedAt), Generation: sub.Generation,
		}
	}
	return list
}

// NewCRDetail is how a subscription is answered. sends tells whether its mode has steps.
func NewCRDetail(t Tenant, sends bool) CRDetailResponse {
	sub := t.Subscription
	return CRDetailResponse{
		Name: sub.API, Namespace: sub.Namespace, Generation: sub.Generation, CreationTimestamp: timestamp(sub.CreatedAt),
		Ready: sub.Synced(t.Registration), ReadyReason: string(t.Reason), ReadyMessage: t.Message,
		Status: newStatus(t), Children: newChildren(sub.Namespace, t.Run),
		EventsEndpoint:    "/katalog/" + sub.API + "/cr/" + sub.Namespace + "/events",
		HasTemplateBlocks: sends,
	}
}

func newStatus(t Tenant) CRStatus {
	sub, reg := t.Subscription, t.Registration
	s := CRStatus{
		API: sub.API, Namespace: sub.Namespace, Active: sub.Active, State: sub.State,
		CurrentSyncID: sub.CurrentSyncID, ExpectedSyncID: reg.SyncID, Synced: sub.Synced(reg),
		Reason: t.Reason, Message: t.Message, AttemptedSyncID: sub.Attempt.SyncID, UpdatedAt: sub.UpdatedAt,
		Failures: len(sub.Failures),
	}
	if a := sub.Attempt; a.Phase != catalog.PhaseNone {
		s.Attempt = &CRAttempt{
			SyncID: a.SyncID, Run: a.Run, Number: a.N, Begun: a.Begun, Phase: a.Phase, Reason: a.Reason, Message: a.Message,
			StartedAt: a.StartedAt, EndedAt: a.EndedAt, Reconciler: a.Holder, Retries: a.Retries, RetryAt: a.RetryAt,
		}
	}
	return s
}

// age is for how long something has been there, for people.
func age(now, since time.Time) string { return duration.HumanDuration(max(0, now.Sub(since))) }
