package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/store/catalog"
)

func (l *lab) sync(body any) map[string]any {
	l.t.Helper()
	return l.want(http.StatusOK, "PUT", regs+"/"+compute+"/sync", body).body
}

func TestRollout(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		l.world("sre", "apps", "core")
		first := l.registration()["sync_id"]
		second := l.sync(`{}`)
		if second["sync_id"] == first || second["released_sync_id"] != second["sync_id"] {
			t.Fatalf("a plain sync: %v", second)
		}
		canary := l.sync(map[string]any{"canary_namespaces": []string{"sre", "apps", "sre"}, "expected_sync_id": second["sync_id"]})
		if canary["sync_id"] == second["sync_id"] || canary["released_sync_id"] != second["sync_id"] {
			t.Errorf("a canary: %v", canary)
		}
		if d := cmp.Diff([]any{"apps", "sre"}, canary["canary_namespaces"]); d != "" {
			t.Error(d)
		}
		if got := l.want(http.StatusOK, "PUT", regs+"/"+compute, `{"owner":"x","canary_namespaces":[],"released_sync_id":"y"}`).body; got["sync_id"] != canary["sync_id"] || len(got["canary_namespaces"].([]any)) != 2 {
			t.Errorf("a change during the rollout: %v", got)
		}
		if got := l.want(http.StatusOK, "PUT", regs+"/"+compute, `{"sync_id":"by-hand"}`).body; got["sync_id"] != "by-hand" || got["released_sync_id"] != second["sync_id"] || len(got["canary_namespaces"].([]any)) != 2 {
			t.Errorf("another sync_id during the rollout: %v", got)
		}
		again := l.sync(`{"canary_namespaces":["core"]}`)
		if again["sync_id"] == "by-hand" || again["released_sync_id"] != second["sync_id"] {
			t.Errorf("a canary on a canary: %v", again)
		}
		l.want(http.StatusConflict, "PUT", regs+"/"+compute+"/sync", `{"release":true,"expected_sync_id":"by-hand"}`)
		released := l.sync(map[string]any{"release": true, "expected_sync_id": again["sync_id"]})
		if released["sync_id"] != again["sync_id"] || released["released_sync_id"] != again["sync_id"] || len(released["canary_namespaces"].([]any)) != 0 {
			t.Errorf("a release: %v", released)
		}
		l.want(http.StatusConflict, "PUT", regs+"/"+compute+"/sync", `{"release":true}`)
		l.sync(`{"canary_namespaces":["sre"]}`)
		if plain := l.sync(`{}`); plain["released_sync_id"] != plain["sync_id"] || len(plain["canary_namespaces"].([]any)) != 0 {
			t.Errorf("a plain release: %v", plain)
		}
		before := l.registration()
		l.sync(`{"canary_namespaces":["sre"]}`)
		if aborted := l.sync(`{"abort":true}`); !same(aborted, before) {
			t.Errorf("an abort: %v, want %v", aborted, before)
		}
	})
}

func TestStatus(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		l.world("sre", "apps", "core", "new")
		l.succeed("sre", "apps")
		id := l.registration()["sync_id"]
		l.reconcile("core", catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonStepFailed, Message: "step 1 answered 500"})
		status := l.want(http.StatusOK, "GET", regs+"/"+compute+"/status", nil).body
		row := func(ns, state, current string, synced bool, reason, message, attempted any) map[string]any {
			return map[string]any{
				"namespace": ns, "state": state, "current_sync_id": current, "synced": synced,
				"reason": reason, "message": message, "attempted_sync_id": attempted,
			}
		}
		check := func(status map[string]any, want ...any) {
			t.Helper()
			for _, r := range status["subscriptions"].([]any) {
				if r.(map[string]any)["updated_at"] == "" {
					t.Errorf("no time in %v", r)
				}
				delete(r.(map[string]any), "updated_at")
			}
			if d := cmp.Diff(map[string]any{
				"name": compute, "sync_id": id, "released_sync_id": id, "canary_namespaces": []any{}, "subscriptions": want,
			}, status); d != "" {
				t.Error(d)
			}
		}
		apps, sre := row("apps", "success", id.(string), true, "synced", "", id), row("sre", "success", id.(string), true, "synced", "", id)
		check(status, apps, sre)
		core := row("core", "error", "", false, "step_failed", "step 1 answered 500", id)
		fresh := row("new", "init", "", false, "init", "subscribed; the initial sync has not been tried yet; no reconciler is running: start one", "")
		for r, active := range map[string]map[string]any{"apps": apps, "sre": sre, "core": core, "new": fresh} {
			active["active"] = r == "apps" || r == "sre"
		}
		check(l.want(http.StatusOK, "GET", regs+"/"+compute+"/status?all=true", nil).body, apps, core, fresh, sre)
	})
}

func TestSubscriptionAnswer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		l.world()
		id := l.registration()["sync_id"]
		l.want(http.StatusCreated, "POST", spaces, `{"name":"sre","active":true}`)
		if got := l.want(http.StatusOK, "GET", spaces+"/sre", nil); string(got.raw) != `{"name":"sre","active":false}`+"\n" {
			t.Errorf("a namespace: %s", got.raw)
		}
		one := spaces + "/sre/subscriptions/" + compute
		created := l.want(http.StatusCreated, "POST", spaces+"/sre/subscriptions", `{"api":"compute.example.com","active":true,"state":"success","current_sync_id":"x"}`)
		if created.header.Get("Location") != one || created.header.Get("ETag") == "" {
			t.Errorf("headers: %v", created.header)
		}
		want := map[string]any{
			"api": compute, "namespace": "sre", "active": false, "state": "init", "current_sync_id": "", "expected_sync_id": id,
			"synced": false, "reason": "init", "message": "subscribed; the initial sync has not been tried yet", "attempted_sync_id": "",
		}
		check := func(what string, got map[string]any) {
			t.Helper()
			if got["updated_at"] == "" {
				t.Errorf("%s: no time", what)
			}
			delete(got, "updated_at")
			got["message"] = strings.TrimSuffix(got["message"].(string), "; no reconciler is running: start one") // what is written does not look
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", what, d)
			}
		}
		check("created", created.body)
		check("read", l.subscription("sre"))
		check("confirmed", l.want(http.StatusOK, "PUT", one, `{"api":"compute.example.com","active":true,"state":"success"}`).body)
		check("sent back", l.want(http.StatusOK, "PUT", one, l.subscription("sre")).body)
		l.succeed("sre")
		want["active"], want["state"], want["current_sync_id"], want["synced"] = true, "success", id, true
		want["reason"], want["message"], want["attempted_sync_id"] = "synced", "", id
		check("synced", l.subscription("sre"))
		want["current_sync_id"], want["synced"], want["reason"], want["message"] = "", false, "queued", "waiting for a reconciler"
		check("forced", l.want(http.StatusOK, "PUT", one+"/sync", `{}`).body)
		check("read after force", l.subscription("sre"))
		run := l.begin("sre")
		if got := l.subscription("sre"); got["reason"] != "running" {
			t.Errorf("while it runs: %v", got)
		}
		l.must(l.repository.Finish(t.Context(), run, catalog.Outcome{Phase: catalog.PhaseSuccess}))
		l.want(http.StatusNoContent, "DELETE", one, nil)
		l.want(http.StatusNotFound, "GET", one, nil)
		l.want(http.StatusNoContent, "DELETE", spaces+"/sre", nil)
	})
}

func TestReasons(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world("sre", "apps", "new")
	l.succeed("sre", "apps")
	l.sync(`{"canary_namespaces":["sre"]}`)
	for ns, want := range map[string]string{"sre": "queued", "apps": "canary_hold", "new": "init"} {
		if got := l.subscription(ns)["reason"]; got != want {
			t.Errorf("%s during a rollout: %v, want %s", ns, got, want)
		}
	}
	l.want(http.StatusOK, "PUT", regs+"/"+compute, `{"paused":true}`)
	for ns, want := range map[string]string{"sre": "paused", "apps": "canary_hold"} {
		if got := l.subscription(ns)["reason"]; got != want {
			t.Errorf("%s while paused: %v, want %s", ns, got, want)
		}
	}
}
