package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"kayra/cli/complete"
	"kayra/store/catalog"
)

// keysToSortBy finds the keys of the things that are listed, as far as Kayra knows them.
func keysToSortBy(_ context.Context, q query) []complete.Suggestion {
	var all []complete.Suggestion
	if len(q.args) > 1 {
		for _, key := range keysOf(q.args[1]) {
			all = append(all, complete.Suggestion{Value: key})
		}
	}
	return all
}

// selectors finds KEY=VALUE: first the key, then what it may be.
func (e *env) selectors() finder {
	apis, namespaces := e.apis(), e.namespaces()
	return func(ctx context.Context, q query) []complete.Suggestion {
		key, _, ok := strings.Cut(q.typed, "=")
		if !ok {
			return around("", keysToSortBy(ctx, q), "=")
		}
		var all []complete.Suggestion
		switch name := strings.TrimSuffix(key, "!"); name {
		case "api":
			all = apis(ctx, q)
		case "namespace":
			all = namespaces(ctx, q)
		default:
			all = fixed(valuesOfKey(name)...)(ctx, q)
		}
		return around(key+"=", all, "")
	}
}

// valuesOfKey are all the values that a key of Kayra's own things may have; none: there is no end to them.
func valuesOfKey(key string) []string {
	switch key {
	case "state":
		return []string{string(catalog.StateInit), string(catalog.StateSuccess), string(catalog.StateError)}
	case "reason":
		return reasons()
	case "active", "synced", "paused", "upstream", "downstream", "konductor":
		return []string{"true", "false"}
	}
	return nil
}

// reasons are those that a subscription may have.
func reasons() []string {
	all := []catalog.Reason{
		catalog.ReasonSynced, catalog.ReasonInit, catalog.ReasonPaused, catalog.ReasonCanaryHold, catalog.ReasonWaitingDependency,
		catalog.ReasonQueued, catalog.ReasonRunning, catalog.ReasonBackoff, catalog.ReasonSpecUnavailable, catalog.ReasonNoMode,
		catalog.ReasonStepFailed, catalog.ReasonTimeout, catalog.ReasonInterrupted,
	}
	out := make([]string, len(all))
	for i, reason := range all {
		out[i] = string(reason)
	}
	return out
}

// syncIDs finds the sync id that an API is at.
func (e *env) syncIDs() finder {
	return e.asking(func(ctx context.Context, a *asker, q query) []complete.Suggestion {
		groups, err := a.knownGroups(ctx)
		if err != nil || len(q.args) == 0 {
			return nil
		}
		own, err := findGroup(groups, "catalog")
		known, err2 := findGroup(groups, q.args[0])
		if err != nil || err2 != nil {
			return nil
		}
		at := (&target{resource: "apiregistrations", name: known.Name}).path(own.Name)
		id, err := remembered(ctx, a, at, func(ctx context.Context) (string, error) {
			answer, err := a.at.Do(ctx, http.MethodGet, at, nil)
			if err != nil {
				return "", fmt.Errorf("read sync id: %w", err)
			}
			var registration struct {
				SyncID string `json:"sync_id"`
			}
			if err := json.Unmarshal(answer.Body, &registration); err != nil {
				return "", fmt.Errorf("read sync id: %w", err)
			}
			return registration.SyncID, nil
		})
		if err != nil {
			return nil
		}
		return []complete.Suggestion{{Value: id, Note: "where " + known.Name + " is now"}}
	})
}
