package api

import (
	"time"

	"kayra/server/katalog"
	"kayra/store/catalog"
)

// Gateway is the source of a Katalog that a server answers with, as against one of a reconciler.
const Gateway = "gateway"

// Katalog is what this server has counted. Its names are those that dashboards of the kordinator read.
type Katalog struct {
	Source                     string       `json:"source" enum:"gateway" doc:"Always gateway: a reconciler answers something else under the same path."`
	Name                       string       `json:"name" enum:"kayra"`
	Version                    string       `json:"version"`
	AdmissionEnabled           bool         `json:"admissionEnabled" doc:"Always true: every write is validated."`
	DeletionProtectionEnabled  bool         `json:"deletionProtectionEnabled" doc:"Always true: what is referred to cannot be deleted."`
	NamespaceProtectionEnabled bool         `json:"namespaceProtectionEnabled" doc:"Always true: a registration may say who subscribes."`
	StrictModeEnabled          bool         `json:"strictModeEnabled" doc:"Always true: an unknown key is refused."`
	CRDs                       []KatalogAPI `json:"crds" doc:"Every registration, by name."`
	GatewayVersion             string       `json:"gatewayVersion"`
}

// KatalogOne is one registration of a Katalog, by itself.
type KatalogOne struct {
	Source string `json:"source" enum:"gateway"`

	KatalogAPI
}

// KatalogAPI is what was counted for a registration and its subscriptions since this process started, or since it was
// created if that was later. A request that was not let through, for want of a token or a role, is in none of it.
type KatalogAPI struct {
	Name                string              `json:"name"`
	GVK                 string              `json:"gvk"`
	GVR                 string              `json:"gvr" doc:"By which what a reconciler answers is merged."`
	State               catalog.HealthState `json:"state" enum:",not started,pending,started,healthy,degraded,missing" doc:"How it is doing, as the reconciler sees it that decides for all; empty until one has told."`
	DegradedReason      string              `json:"degradedReason,omitempty" doc:"Why it is degraded."`
	StateSince          time.Time           `json:"stateSince,omitzero" doc:"Since when it is doing so, for that reason."`
	Admission           Admission           `json:"admission"`
	DeletionProtection  DeletionProtection  `json:"deletionProtection"`
	NamespaceProtection NamespaceProtection `json:"namespaceProtection"`
}

// Admission is what became of writes. Latencies are of the last 128 writes, in milliseconds.
type Admission struct {
	WebhooksEnabled   bool    `json:"webhooksEnabled" doc:"Always true."`
	ValidationTotal   int64   `json:"validationTotal" doc:"Writes to the registration and its subscriptions."`
	ValidationAllowed int64   `json:"validationAllowed" doc:"Those that were done."`
	ValidationDenied  int64   `json:"validationDenied" doc:"Those that were refused with 4xx. What is in neither failed with 5xx."`
	ValidationWarned  int64   `json:"validationWarned" doc:"Those that were done without some of their keys, which a client cannot set."`
	ValAvgLatencyMs   float64 `json:"valAvgLatencyMs"`
	ValP95LatencyMs   float64 `json:"valP95LatencyMs"`
	ValMaxLatencyMs   float64 `json:"valMaxLatencyMs"`
	MutationTotal     int64   `json:"mutationTotal" doc:"Writes that were done, other than DELETE."`
	MutationApplied   int64   `json:"mutationApplied" doc:"Those that left to Kayra what a client may say: a sync_id, active and the like, the scope of a dependency."`
	MutationSkipped   int64   `json:"mutationSkipped" doc:"Those that did not."`
	MutAvgLatencyMs   float64 `json:"mutAvgLatencyMs"`
	MutP95LatencyMs   float64 `json:"mutP95LatencyMs"`
	MutMaxLatencyMs   float64 `json:"mutMaxLatencyMs"`
}

// DeletionProtection is what became of deletions of the registration and its subscriptions.
type DeletionProtection struct {
	Enabled bool  `json:"enabled" doc:"Always true."`
	Total   int64 `json:"total" doc:"DELETE requests."`
	Blocked int64 `json:"blocked" doc:"Refused with 409, since something refers to it."`
	Allowed int64 `json:"allowed" doc:"Done. What is in neither was not there, had changed, or failed."`
}

// NamespaceProtection is what became of requests for a subscription.
type NamespaceProtection struct {
	Enabled              bool     `json:"enabled" doc:"Always true."`
	HasNamespaceRules    bool     `json:"hasNamespaceRules" doc:"Whether the registration says who may subscribe."`
	Total                int64    `json:"total" doc:"Subscriptions asked for."`
	Blocked              int64    `json:"blocked" doc:"Refused with 403, by what the registration says."`
	Allowed              int64    `json:"allowed" doc:"Made. What is in neither was refused for another reason, or failed."`
	AllowedNamespaces    []string `json:"allowedNamespaces,omitempty"`
	RestrictedNamespaces []string `json:"restrictedNamespaces,omitempty"`
}

// NewKatalog is how figures are answered.
func NewKatalog(version string, figures []katalog.Figures) Katalog {
	out := Katalog{
		Source: Gateway, Name: "kayra", Version: version, GatewayVersion: version, AdmissionEnabled: true,
		DeletionProtectionEnabled: true, NamespaceProtectionEnabled: true, StrictModeEnabled: true, CRDs: make([]KatalogAPI, len(figures)),
	}
	for i := range figures {
		out.CRDs[i] = newKatalogAPI(&figures[i])
	}
	return out
}

// NewKatalogOne is how the figures of one registration are answered.
func NewKatalogOne(f *katalog.Figures) KatalogOne {
	return KatalogOne{Source: Gateway, KatalogAPI: newKatalogAPI(f)}
}

func newKatalogAPI(f *katalog.Figures) KatalogAPI {
	return KatalogAPI{
		Name: f.API, GVK: f.API + "/v1, Kind=Subscription", GVR: f.API + "/v1/subscriptions",
		State: f.Health.State, DegradedReason: f.Health.Reason, StateSince: f.Health.Since,
		Admission: Admission{
			WebhooksEnabled: true, ValidationTotal: f.Validation.Total, ValidationAllowed: f.Validation.Done,
			ValidationDenied: f.Validation.Refused, ValidationWarned: f.Warned,
			ValAvgLatencyMs: ms(f.Validations.Average), ValP95LatencyMs: ms(f.Validations.P95), ValMaxLatencyMs: ms(f.Validations.Max),
			MutationTotal: f.Mutation.Total, MutationApplied: f.Mutation.Done, MutationSkipped: f.Mutation.Total - f.Mutation.Done,
			MutAvgLatencyMs: ms(f.Mutations.Average), MutP95LatencyMs: ms(f.Mutations.P95), MutMaxLatencyMs: ms(f.Mutations.Max),
		},
		DeletionProtection: DeletionProtection{Enabled: true, Total: f.Deletions.Total, Blocked: f.Deletions.Refused, Allowed: f.Deletions.Done},
		NamespaceProtection: NamespaceProtection{
			Enabled: true, HasNamespaceRules: len(f.Allowed)+len(f.Restricted) > 0,
			Total: f.Subscriptions.Total, Blocked: f.Subscriptions.Refused, Allowed: f.Subscriptions.Done,
			AllowedNamespaces: f.Allowed, RestrictedNamespaces: f.Restricted,
		},
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
