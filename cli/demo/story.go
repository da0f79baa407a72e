package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	wire "kayra/server/api"
	"kayra/server/client"
	"kayra/store/catalog"
)

const (
	catalogPath  = "/apis/catalog.example.com/v1"
	registration = catalogPath + "/apiregistrations/" + api

	stepTimeout = 30 * time.Second      // within which everything has to happen that is waited for
	pollPause   = 20 * time.Millisecond // between two looks at the status
	canary      = "sre"
)

// story is what is played.
type story struct {
	server *client.Client
	show   *timeline
	seen   map[string]wire.Row // by namespace, as they were shown last
}

func (s *story) tell(ctx context.Context) error {
	s.seen = map[string]wire.Row{}
	first, err := s.subscribe(ctx, canary, "apps", "core")
	if err != nil {
		return err
	}
	if err := s.until(ctx, "activation", func(st *wire.Status) bool { return len(st.Subscriptions) == 3 && allAt(st, first) }); err != nil {
		return err
	}
	second, err := s.canary(ctx, first)
	if err != nil {
		return err
	}
	if err := s.release(ctx, second); err != nil {
		return err
	}
	return s.check(ctx, second)
}

// subscribe registers the API and has the namespaces subscribe to it. It gives the registration's first sync id.
func (s *story) subscribe(ctx context.Context, namespaces ...string) (string, error) {
	var reg wire.Registration
	err := s.call(ctx, http.MethodPost, catalogPath+"/apiregistrations", map[string]any{"name": api, "short_name": "compute", "owner": "sre-a"}, &reg)
	if err != nil {
		return "", fmt.Errorf("register %s: %w", api, err)
	}
	s.show.event("", "%s is registered, at sync id %s", api, short(reg.SyncID))
	for _, ns := range namespaces {
		if err := s.call(ctx, http.MethodPost, catalogPath+"/namespaces", map[string]any{"name": ns}, nil); err != nil {
			return "", fmt.Errorf("create namespace %s: %w", ns, err)
		}
		path := catalogPath + "/namespaces/" + ns + "/subscriptions"
		if err := s.call(ctx, http.MethodPost, path, map[string]any{"api": api}, nil); err != nil {
			return "", fmt.Errorf("subscribe %s: %w", ns, err)
		}
		s.show.event(ns, "subscribed")
	}
	return reg.SyncID, nil
}

// canary gives one namespace a fresh sync id, and checks that the others stay where they are.
func (s *story) canary(ctx context.Context, before string) (string, error) {
	var reg wire.Registration
	if err := s.call(ctx, http.MethodPut, registration+"/sync", map[string]any{"canary_namespaces": []string{canary}}, &reg); err != nil {
		return "", fmt.Errorf("begin canary: %w", err)
	}
	s.show.event("", "canary: sync id %s, for %s alone", short(reg.SyncID), canary)
	reached := func(st *wire.Status) bool {
		return slices.ContainsFunc(st.Subscriptions, func(r wire.Row) bool { return r.Namespace == canary && r.Synced && r.CurrentSyncID == reg.SyncID })
	}
	if err := s.until(ctx, "the canary", reached); err != nil {
		return "", err
	}
	st, err := s.look(ctx)
	if err != nil {
		return "", err
	}
	for _, r := range st.Subscriptions {
		if r.Namespace != canary && (r.CurrentSyncID != before || r.Reason != catalog.ReasonCanaryHold) {
			return "", fmt.Errorf("the canary has reached %s: it is at %s (%s)", r.Namespace, short(r.CurrentSyncID), r.Reason)
		}
	}
	s.show.event("", "checked: the others are still at %s", short(before))
	return reg.SyncID, nil
}

func (s *story) release(ctx context.Context, id string) error {
	var reg wire.Registration
	if err := s.call(ctx, http.MethodPut, registration+"/sync", wire.Sync{Release: true, ExpectedSyncID: id}, &reg); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	s.show.event("", "released: sync id %s, for everyone", short(reg.SyncID))
	return s.until(ctx, "the release", func(st *wire.Status) bool { return allAt(st, id) })
}

// check looks at the end state.
func (s *story) check(ctx context.Context, id string) error {
	var reg wire.Registration
	if err := s.call(ctx, http.MethodGet, registration, nil, &reg); err != nil {
		return fmt.Errorf("check registration: %w", err)
	}
	if reg.SyncID != id || reg.ReleasedSyncID != id || len(reg.CanaryNamespaces) > 0 {
		return fmt.Errorf("the rollout has not ended: sync id %s, released %s, canaries %v", short(reg.SyncID), short(reg.ReleasedSyncID), reg.CanaryNamespaces)
	}
	var groups wire.Groups
	if err := s.call(ctx, http.MethodGet, "/apis", nil, &groups); err != nil {
		return fmt.Errorf("check APIs: %w", err)
	}
	known := slices.ContainsFunc(groups.APIs, func(g wire.Group) bool {
		return g.Name == api && slices.ContainsFunc(g.Resources, func(r catalog.Resource) bool { return r.Name == "machines" })
	})
	if !known {
		return fmt.Errorf("the resources of %s are not known", api)
	}
	s.show.event("", "checked: all three are at %s, and no rollout is pending", short(id))
	return nil
}

// until looks at the status until it is as wanted.
func (s *story) until(ctx context.Context, what string, done func(*wire.Status) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stepTimeout, fmt.Errorf("it has not happened within %s", stepTimeout))
	defer cancel()
	pause := time.NewTicker(pollPause)
	defer pause.Stop()
	for {
		st, err := s.look(ctx)
		if err != nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		if done(&st) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
		case <-pause.C:
		}
	}
}

// look reads the status and shows what has changed in it. A sync that failed ends the story.
func (s *story) look(ctx context.Context) (wire.Status, error) {
	var st wire.Status
	if err := s.call(ctx, http.MethodGet, registration+"/status?all=true", nil, &st); err != nil {
		return st, fmt.Errorf("read status: %w", err)
	}
	for _, r := range st.Subscriptions {
		if text := transition(s.seen[r.Namespace], r, &st); text != "" {
			s.show.event(r.Namespace, "%s", text)
		}
		s.seen[r.Namespace] = r
		if r.State == catalog.StateError {
			return st, fmt.Errorf("the sync of %s has failed: %s", r.Namespace, r.Message)
		}
	}
	return st, nil
}

// transition words what has happened to a subscription, or is empty.
func transition(old, now wire.Row, st *wire.Status) string {
	if old.Reason == now.Reason && old.CurrentSyncID == now.CurrentSyncID {
		return ""
	}
	switch {
	case now.Synced && (old.Active == nil || !*old.Active):
		return "active, at " + short(now.CurrentSyncID)
	case now.Synced:
		return "synced, at " + short(now.CurrentSyncID)
	case now.Reason == catalog.ReasonRunning:
		return "running, to " + short(st.SyncID)
	case now.Reason == catalog.ReasonCanaryHold:
		return "held, at " + short(now.CurrentSyncID)
	}
	return ""
}

func allAt(st *wire.Status, id string) bool {
	return !slices.ContainsFunc(st.Subscriptions, func(r wire.Row) bool { return !r.Synced || r.CurrentSyncID != id })
}

func (s *story) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	answer, err := s.server.Do(ctx, method, path, body)
	if err != nil || out == nil {
		return err //nolint:wrapcheck // the caller says what was asked for
	}
	if err := json.NewDecoder(bytes.NewReader(answer.Body)).Decode(out); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// short is enough of a sync id to tell it from the others.
func short(id string) string {
	const shown = 8
	return id[:min(shown, len(id))] + strings.Repeat("…", min(1, max(0, len(id)-shown)))
}
