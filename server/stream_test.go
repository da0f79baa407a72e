package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"kayra/store/catalog"
)

// watchable are the paths of all streams of a world.
func watchable() []string {
	return []string{
		spaces, regs, base + "/subscriptions", spaces + "/sre/subscriptions", regs + "/" + compute + "/status",
		base + "/reconcilers", access + "/roles", access + "/rolebindings",
	}
}

const watchTrue = "?watch=true"

func TestWatchBeginsWithTheList(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		l.world("apps", "sre")
		l.succeed("sre")
		l.must(l.repository.Announce(l.t.Context(), catalog.Reconciler{ID: "r1", Host: "<h>"}, l.session()))
		for _, path := range watchable() {
			var list struct{ Items, Subscriptions []json.RawMessage }
			l.must(json.Unmarshal(l.want(http.StatusOK, "GET", path, nil).raw, &list))
			w := l.watch(path + watchTrue)
			rows := append(list.Items, list.Subscriptions...)
			if len(rows) == 0 {
				l.t.Errorf("%s is empty", path)
			}
			for _, row := range rows {
				if e := w.next(); e.kind != "added" || e.id != "0" || e.data != string(row) {
					l.t.Errorf("%s: %+v, and the list has %s", path, e, row)
				}
			}
			if e := w.next(); e.kind != "synced" || e.id == "0" {
				l.t.Errorf("%s: %+v", path, e)
			}
			if h := w.res.Header; h.Get("Cache-Control") != "no-store" || h.Get("X-Accel-Buffering") != "no" {
				l.t.Errorf("%s: %v", path, h)
			}
		}
		w := l.watch(regs + "/" + compute + "/status" + watchTrue + "&all=true")
		w.want("added namespace=apps active=false", "added namespace=sre active=true", "synced name="+compute)
	})
}

func TestWatchTellsOfChanges(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		all := map[string]*watcher{}
		l.world("sre")
		for _, path := range watchable() {
			all[path] = l.watch(path + watchTrue)
			all[path].until("synced")
		}
		l.want(http.StatusCreated, "POST", spaces, `{"name":"apps"}`)
		all[spaces].want("added name=apps active=false")
		ns, err := l.repository.Namespace(l.t.Context(), "apps")
		l.must(err)
		l.must(l.repository.ActivateNamespace(l.t.Context(), ns))
		all[spaces].want("modified name=apps active=true")
		l.want(http.StatusNoContent, "DELETE", spaces+"/apps", nil)
		all[spaces].want("deleted name=apps active=true")

		l.want(http.StatusCreated, "POST", regs, `{"name":"app.example.com"}`)
		all[regs].want("added name=app.example.com")
		l.want(http.StatusOK, "PUT", regs+"/app.example.com", `{"owner":"me"}`)
		all[regs].want("modified owner=me")
		l.want(http.StatusOK, "PUT", regs+"/app.example.com", `{"owner":"me"}`) // no row shows it
		l.want(http.StatusNoContent, "DELETE", regs+"/app.example.com", nil)
		all[regs].want("deleted name=app.example.com owner=me")

		l.must(l.repository.Announce(l.t.Context(), catalog.Reconciler{ID: "r1"}, l.session()))
		all[base+"/reconcilers"].want("added id=r1 konductor=false")
		_, err = l.repository.Campaign(l.t.Context(), "r1", l.session())
		l.must(err)
		all[base+"/reconcilers"].want("modified id=r1 konductor=true")

		l.want(http.StatusCreated, "POST", roles, `{"name":"r"}`)
		all[roles].want("added name=r")
		l.want(http.StatusOK, "PUT", bindings+"/viewers", `{"role":"r"}`)
		all[bindings].want("modified role=r")
		l.want(http.StatusNoContent, "DELETE", bindings+"/viewers", nil)
		all[bindings].want("deleted role=r")
	})
}

// The rows of a status move through a sync, and its head does.
func TestWatchStatus(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		l.world("a", "b")
		l.succeed("a", "b")
		status := regs + "/" + compute + "/status" + watchTrue
		w := l.watch(status)
		w.want("added namespace=a synced=true", "added namespace=b synced=true", "synced sync_id="+l.syncID())
		l.want(http.StatusOK, "PUT", regs+"/"+compute+"/sync", `{"canary_namespaces":["a"]}`)
		seen := w.until("synced")
		if len(seen) != 3 || seen[0].id != seen[1].id || seen[1].id == seen[2].id {
			l.t.Fatalf("%+v", seen)
		}
		rest := l.resume(w, status)
		rest.want("synced canary_namespaces=[\"a\"] sync_id=" + l.syncID())
		claim := l.begin("a")
		rest.want("modified namespace=a reason=running synced=false")
		l.must(l.repository.Finish(l.t.Context(), claim, catalog.Outcome{Phase: catalog.PhaseSuccess}))
		rest.want("modified namespace=a reason=synced synced=true")
		l.want(http.StatusOK, "PUT", regs+"/"+compute+"/sync", `{"release":true}`)
		rest.want("modified namespace=b reason=queued synced=false", "synced canary_namespaces=[]")
		for _, ns := range []string{"a", "b"} {
			l.want(http.StatusNoContent, "DELETE", spaces+"/"+ns+"/subscriptions/"+compute, nil)
			rest.want("deleted namespace=" + ns)
		}
		l.want(http.StatusNoContent, "DELETE", regs+"/"+compute, nil)
		rest.ends()
		l.want(http.StatusNotFound, "GET", status, nil)
	})
}

func (l *lab) syncID() string {
	l.t.Helper()
	id, _ := l.registration()["sync_id"].(string)
	return id
}

// Who is cut off before all rows have come begins anew, and is told to.
func TestWatchBeginsAnew(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		l.world("a", "b")
		w := l.watch(spaces + watchTrue)
		w.want("added name=a")
		l.want(http.StatusNoContent, "DELETE", spaces+"/a/subscriptions/"+compute, nil)
		l.want(http.StatusNoContent, "DELETE", spaces+"/a", nil)
		for range 2 { // also after the first event of that
			w = l.resume(w, spaces+watchTrue)
			if e := w.next(); e != (event{kind: "reset", id: "0", data: "{}"}) {
				l.t.Fatalf("%+v", e)
			}
		}
		w.want("added name=b", "synced")
		l.resume(w, spaces+watchTrue).want("synced")
	})
}
