// Package tuitest has deployments that do not exist, for tests of the screens that show one.
package tuitest

import (
	"fmt"
	"time"

	"kayra/reconciler/katalog"
	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui/fleet"
)

// Sync ids of the sample.
const (
	OldID = "5d3b1c9e-77aa-4f02-9f4e-0a1b2c3d4e5f"
	NewID = "8f3a2b10-1c4d-4e9a-b7c6-55e0f1a2b3c4"
)

// Sample is a deployment with something of everything: what is told of it at a moment.
func Sample(now time.Time) []fleet.Update { return append(Still(now), progress(now)...) }

// Still is the sample without anything that has happened lately.
func Still(now time.Time) []fleet.Update {
	apis := &fleet.APIs{Whole: true}
	add := func(r api.Registration) {
		r.Platform, r.Region, r.Active = "sandbox", "eu-west-1", true
		apis.Changes = append(apis.Changes, fleet.APIChange{Registration: r})
	}
	needs := func(name string, c catalog.Condition) catalog.Dependency {
		return catalog.Dependency{Ref: catalog.Ref{Name: name}, Condition: c}
	}
	add(api.Registration{Name: "network.example.com", ShortName: "network", Owner: "team-net", Description: "Networks and their addresses", SyncID: OldID, ReleasedSyncID: OldID, Mode: "api"})
	add(api.Registration{
		Name: "compute.example.com", ShortName: "compute", Owner: "team-compute", Description: "Virtual machines", Mode: "api",
		SyncID: NewID, ReleasedSyncID: OldID, CanaryNamespaces: []string{"apps", "sre"},
		DependsOn: []catalog.Dependency{needs("network.example.com", catalog.ConditionHealthy), needs("storage.example.com", "")},
	})
	add(api.Registration{Name: "storage.example.com", ShortName: "storage", Owner: "team-storage", SyncID: NewID, ReleasedSyncID: NewID, Mode: "api"})
	add(api.Registration{Name: "dns.example.com", ShortName: "dns", Owner: "team-net", SyncID: NewID, ReleasedSyncID: NewID, Mode: "api", DependsOn: []catalog.Dependency{needs("network.example.com", "")}})
	add(api.Registration{Name: "billing.example.com", Owner: "team-money", SyncID: OldID, ReleasedSyncID: OldID, Paused: true, DependsOn: []catalog.Dependency{needs("compute.example.com", catalog.ConditionSynced)}})
	add(api.Registration{Name: "a-very-long-name-of-an-api.department.example.com", Owner: "team-words", SyncID: OldID, ReleasedSyncID: OldID, DependsOn: []catalog.Dependency{needs("compute.example.com", ""), needs("dns.example.com", ""), needs("ledger.example.com", catalog.ConditionHealthy)}})
	add(api.Registration{Name: "empty.example.com", SyncID: OldID, ReleasedSyncID: OldID})
	subs := &fleet.Subscriptions{Whole: true, At: now}
	subs.Changes = append(subs.Changes, Many("network.example.com", OldID, 40, now, func(int) catalog.Reason { return catalog.ReasonSynced })...)
	subs.Changes = append(subs.Changes, canary(now)...)
	subs.Changes = append(subs.Changes, Many("storage.example.com", NewID, 100, now, inProgress)...)
	subs.Changes = append(subs.Changes, Many("dns.example.com", NewID, 12, now, failing)...)
	subs.Changes = append(subs.Changes, Many("billing.example.com", OldID, 5, now, func(i int) catalog.Reason {
		if i < 2 {
			return catalog.ReasonPaused
		}
		return catalog.ReasonSynced
	})...)
	subs.Changes = append(subs.Changes, Many("a-very-long-name-of-an-api.department.example.com", OldID, 3, now, func(int) catalog.Reason { return catalog.ReasonWaitingDependency })...)
	updates := []fleet.Update{apis, subs}
	updates = append(updates, processes(now)...)
	updates = append(updates, figures())
	for _, name := range []string{fleet.Registrations, fleet.AllSubscriptions, fleet.AllReconcilers, fleet.Katalog} {
		updates = append(updates, fleet.Source{Name: name, Synced: true})
	}
	return updates
}

// progress has a few syncs of storage.example.com end well, so that there is a rate.
func progress(now time.Time) []fleet.Update {
	var updates []fleet.Update
	for i := range 30 {
		at := now.Add(-time.Duration(30-i) * 6 * time.Second)
		row := Row("storage.example.com", fmt.Sprintf("team-%04d", i), NewID, catalog.ReasonSynced, at.Add(time.Second))
		before := row
		before.Reason, before.Synced, before.UpdatedAt = catalog.ReasonRunning, false, at
		updates = append(updates, &fleet.Subscriptions{At: at, Changes: []fleet.SubscriptionChange{{Subscription: before}}},
			&fleet.Subscriptions{At: at, Changes: []fleet.SubscriptionChange{{Subscription: row}}})
	}
	return updates
}

// Many are so many subscriptions to an API.
func Many(name, id string, n int, now time.Time, reason func(i int) catalog.Reason) []fleet.SubscriptionChange {
	all := make([]fleet.SubscriptionChange, n)
	for i := range all {
		at := now.Add(-time.Duration(i*i*37+i*5) * time.Second)
		all[i].Subscription = Row(name, fmt.Sprintf("team-%04d", i), id, reason(i), at)
	}
	return all
}

// Row is a subscription that stands as it does for a reason, since a moment.
func Row(name, namespace, id string, reason catalog.Reason, since time.Time) api.Subscription {
	s := api.Subscription{
		API: name, Namespace: namespace, Active: true, State: catalog.StateSuccess, CurrentSyncID: OldID, ExpectedSyncID: id,
		Reason: reason, AttemptedSyncID: OldID, UpdatedAt: since,
	}
	switch reason {
	case catalog.ReasonSynced:
		s.CurrentSyncID, s.AttemptedSyncID, s.Synced = id, id, true
	case catalog.ReasonStepFailed:
		s.State, s.AttemptedSyncID = catalog.StateError, id
		s.Message = "step create: POST https://gateway.internal/apis/dns answered 500 Internal Server Error: no free zone"
	case catalog.ReasonTimeout:
		s.State, s.AttemptedSyncID = catalog.StateError, id
		s.Message = "step wait: no value of .status was done within 30s"
	case catalog.ReasonRunning:
		s.AttemptedSyncID, s.Message = id, "attempt 1 to reach sync_id "+id+" is running: step 2 of 3, wait"
	case catalog.ReasonCanaryHold:
		s.Message = "a rollout is pending: it reaches this namespace when it is released"
	case catalog.ReasonWaitingDependency:
		s.Active, s.State, s.CurrentSyncID, s.Message = false, catalog.StateInit, "", "waits for ledger.example.com to be healthy: it is not registered"
	case catalog.ReasonInit:
		s.Active, s.State, s.CurrentSyncID, s.Message = false, catalog.StateInit, "", "subscribed; the initial sync has not been tried yet"
	case catalog.ReasonQueued:
		s.Message = "waiting for a slot: 31 jobs of this API wait for one, and 30 run, in all reconcilers (2)"
	case catalog.ReasonBackoff:
		s.Message = "step create failed; retry 2 follows at 2026-08-04T10:15:00Z"
	case catalog.ReasonPaused:
		s.Message = "the API registration is paused: set paused to false to go on"
	default:
	}
	return s
}

func inProgress(i int) catalog.Reason {
	switch {
	case i < 63:
		return catalog.ReasonSynced
	case i < 65:
		return catalog.ReasonTimeout
	case i < 80:
		return catalog.ReasonRunning
	case i < 82:
		return catalog.ReasonBackoff
	case i < 85:
		return catalog.ReasonInit
	}
	return catalog.ReasonQueued
}

func failing(i int) catalog.Reason {
	if i%2 == 0 {
		return catalog.ReasonStepFailed
	}
	return catalog.ReasonSynced
}

// canary is an API whose rollout has reached two namespaces.
func canary(now time.Time) []fleet.SubscriptionChange {
	all := Many("compute.example.com", NewID, 20, now, func(int) catalog.Reason { return catalog.ReasonCanaryHold })
	for _, ns := range []string{"apps", "sre"} {
		all = append(all, fleet.SubscriptionChange{Subscription: Row("compute.example.com", ns, NewID, catalog.ReasonSynced, now.Add(-90*time.Second))})
	}
	return all
}

func processes(now time.Time) []fleet.Update {
	said := func(konductor bool, busy int32) *katalog.KatalogResponse {
		k := &katalog.KatalogResponse{OrkReady: true, IsKonductor: konductor, ClusterName: "sandbox/eu-west-1"}
		for _, name := range []string{"network.example.com", "compute.example.com", "storage.example.com", "dns.example.com", "billing.example.com", "a-very-long-name-of-an-api.department.example.com", "empty.example.com"} {
			crd := katalog.CRDSummaryResponse{Name: name, Workers: 30, State: string(catalog.HealthHealthy)}
			if name == "storage.example.com" {
				crd.WorkersProcessing, crd.QueueDepth = busy, 8
			}
			k.CRDs = append(k.CRDs, crd)
		}
		return k
	}
	one := api.Reconciler{ID: "0b9c", Host: "node-1", PID: 4711, Endpoint: "http://10.0.0.1:8081", Version: "v1.4.0", StartedAt: now.Add(-50 * time.Hour), Konductor: true}
	two := api.Reconciler{ID: "7e21", Host: "node-2", PID: 812, Endpoint: "http://10.0.0.2:8081", Version: "v1.4.0", StartedAt: now.Add(-3 * time.Minute)}
	return []fleet.Update{
		&fleet.Reconcilers{Whole: true, Changes: []fleet.ReconcilerChange{{Reconciler: one}, {Reconciler: two}}},
		&fleet.Word{Reconciler: "0b9c", Katalog: said(true, 8), At: now}, &fleet.Word{Reconciler: "7e21", Katalog: said(false, 7), At: now},
	}
}

func figures() fleet.Update {
	k := &api.Katalog{Version: "v1.4.0"}
	for name, state := range map[string]catalog.HealthState{
		"network.example.com": catalog.HealthHealthy, "compute.example.com": catalog.HealthHealthy, "storage.example.com": catalog.HealthStarted,
		"dns.example.com": catalog.HealthDegraded, "billing.example.com": catalog.HealthHealthy,
		"a-very-long-name-of-an-api.department.example.com": catalog.HealthNotStarted, "empty.example.com": catalog.HealthPending,
	} {
		one := api.KatalogAPI{Name: name, State: state}
		if state == catalog.HealthDegraded {
			one.DegradedReason = "6 attempts in a row have failed, the last at team-0010: no free zone"
		}
		k.CRDs = append(k.CRDs, one)
	}
	return &fleet.Figures{Katalog: k}
}

// Detail is what reconcilers tell of a subscription that has failed.
func Detail(name, namespace string, now time.Time) *fleet.Detail {
	step := func(name, state, method, endpoint string, took float64, sent, code int, reason string) katalog.ChildSummary {
		return katalog.ChildSummary{Name: name, Kind: "step", Status: katalog.ChildStatus{
			State: state, Method: method, Endpoint: endpoint, DurationMs: took, Attempts: sent, Code: code, Reason: reason,
		}}
	}
	event := func(kind string, reason katalog.EventReason, message string, count int32, ago time.Duration) fleet.Event {
		return fleet.Event{CREvent: katalog.CREvent{Type: kind, Reason: reason, Message: message, Count: count, Source: "0b9c"}, At: now.Add(-ago)}
	}
	return &fleet.Detail{
		Key: fleet.Key{API: name, Namespace: namespace}, Reconciler: "0b9c", At: now,
		Attempt: &katalog.CRAttempt{SyncID: NewID, Run: "r-51c2", Number: 2, Phase: catalog.PhaseError, StartedAt: now.Add(-40 * time.Second)},
		Run:     &katalog.ChildSummary{Name: "r-51c2", Kind: "run", Status: katalog.ChildStatus{DurationMs: 31412, Attempts: 2}},
		Steps: []katalog.ChildSummary{
			step("token", "ok", "post", "https://idp.internal/token", 41, 1, 200, ""),
			step("create", "ok", "post", "https://gateway.internal/apis/"+name+"/v1/namespaces/"+namespace+"/sync", 318, 1, 202, ""),
			step("audit", "pending", "post", "https://audit.internal/events", 2001, 1, 0, ""),
			step("wait", "failed", "get", "https://gateway.internal/apis/"+name+"/v1/namespaces/"+namespace+"/sync/"+NewID, 30000, 6, 200, "no value of .status was done within 30s; the last was \"working\""),
		},
		Events: []fleet.Event{
			event("Warning", katalog.EventReconcileError, "step wait: no value of .status was done within 30s", 1, 9*time.Second),
			event("Warning", katalog.EventRetrying, "step wait: no value of .status was done within 30s", 3, 40*time.Second),
			event("Normal", katalog.EventReconciled, "synced to "+OldID, 1, 26*time.Hour),
			event("Normal", katalog.EventActivated, "the first sync has succeeded", 1, 400*time.Hour),
		},
	}
}
