package server_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kayra/server"
	"kayra/store"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
	"kayra/store/local"
)

const asAnn = "Bearer " + annToken

// TestAccessOnEveryServer changes who may do what on one server, and looks at another.
func TestAccessOnEveryServer(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) func() store.Store{"local": openFile, "etcd": openPrefix} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handle := open(t)
			here, there := newLab(t, handle()), newLab(t, handle())
			here.want(http.StatusCreated, "POST", spaces, `{"name":"sre"}`)
			becomes := func(status int) {
				t.Helper()
				began := time.Now()
				there.eventually(func() bool { return there.call("GET", spaces+"/sre", nil, "Authorization", asAnn).status == status })
				t.Logf("%d after %s", status, time.Since(began))
			}
			becomes(http.StatusForbidden)
			here.want(http.StatusCreated, "POST", roles, `{"name":"r","rules":[{"apis":["*"],"resources":["namespaces"],"verbs":["get"]}]}`)
			const binding = `{"name":"b","role":"r","namespace":"sre","subjects":[{"kind":"group","name":"tenants"}]}`
			here.want(http.StatusCreated, "POST", bindings, binding)
			becomes(http.StatusOK)
			here.want(http.StatusNoContent, "DELETE", bindings+"/b", nil)
			becomes(http.StatusForbidden)
			here.want(http.StatusCreated, "POST", bindings, binding)
			becomes(http.StatusOK)
			here.want(http.StatusOK, "PUT", roles+"/r", `{"rules":[]}`)
			becomes(http.StatusForbidden)
			here.want(http.StatusOK, "PUT", roles+"/r", `{"rules":[{"apis":["catalog.example.com"],"resources":["*"],"verbs":["*"]}]}`)
			becomes(http.StatusOK)
			here.want(http.StatusOK, "PUT", bindings+"/b", `{"subjects":[{"kind":"user","name":"tenants"}]}`)
			becomes(http.StatusForbidden)
			here.want(http.StatusOK, "PUT", bindings+"/b", `{"subjects":[{"kind":"user","name":"ann"}]}`)
			becomes(http.StatusOK)
			here.want(http.StatusOK, "PUT", bindings+"/b", `{"namespace":"apps"}`)
			becomes(http.StatusForbidden)
		})
	}
}

// openFile opens one file again and again, as processes of their own do.
func openFile(t *testing.T) func() store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kayra.db")
	return func() store.Store {
		s, err := local.Open(t.Context(), local.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

func openPrefix(t *testing.T) func() store.Store {
	t.Helper()
	srv := cluster.Server(t)
	prefix := srv.Prefix(t)
	return func() store.Store {
		return dial(t, etcd.Options{Endpoints: srv.Endpoints(), Prefix: prefix, RequestTimeout: time.Minute})
	}
}

func dial(t *testing.T, o etcd.Options) store.Store {
	t.Helper()
	s, err := etcd.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestSilentNetwork takes access away while a server hears nothing from its store, and does not know it.
func TestSilentNetwork(t *testing.T) {
	t.Parallel()
	const most = 2 * time.Second
	srv := cluster.Server(t)
	proxy := etcdtest.NewProxy(t, srv)
	options := etcd.Options{Endpoints: srv.Endpoints(), Prefix: srv.Prefix(t), RequestTimeout: time.Minute}
	here := newLab(t, dial(t, options))
	options.Endpoints = proxy.Endpoints()
	options.WatchProgress, options.WatchSilence, options.RequestTimeout = 100*time.Millisecond, 3*time.Second, time.Second
	cut := dial(t, options)
	policy := startPolicy(t, cut, most)
	there := newLab(t, cut, func(o *server.Options) { o.Policy = policy })

	here.want(http.StatusCreated, "POST", roles, `{"name":"r","rules":[{"apis":["*"],"resources":["namespaces"],"verbs":["get"]}]}`)
	here.want(http.StatusCreated, "POST", bindings, `{"name":"b","role":"r","subjects":[{"kind":"user","name":"ann"}]}`)
	const q = `{"api":"catalog.example.com","resource":"namespaces","verb":"get"}`
	allowed := func() (bool, int) {
		a := there.call("POST", checks, q, "Authorization", asAnn)
		return a.body["allowed"] == true, a.status
	}
	there.eventually(func() bool { is, _ := allowed(); return is })
	there.eventually(func() bool { return there.call("GET", "/-/readyz", nil).status == http.StatusOK })

	proxy.Pause()
	paused := time.Now()
	here.want(http.StatusNoContent, "DELETE", bindings+"/b", nil)
	for unknown := 0; unknown < 200; {
		began := time.Now()
		is, status := allowed()
		if is && began.Sub(paused) > most {
			t.Fatalf("what was taken away is still given %s later", began.Sub(paused))
		}
		if unknown++; status != http.StatusServiceUnavailable {
			unknown = 0
		}
	}
	a := there.want(http.StatusServiceUnavailable, "GET", spaces+"/sre", nil, "Authorization", asAnn)
	if detail, _ := a.body["detail"].(string); !strings.HasPrefix(detail, "who may do what is not known for sure now: ") || a.header.Get("Retry-After") == "" {
		t.Errorf("%v: %s", a.header, a.raw)
	}
	there.want(http.StatusServiceUnavailable, "GET", "/-/readyz", nil)
	there.want(http.StatusOK, "POST", checks, q)
	there.want(http.StatusOK, "GET", access+"/whoami", nil)
	there.want(http.StatusOK, "GET", access+"/whoami", nil, "Authorization", asAnn)
	there.want(http.StatusForbidden, "GET", regs, nil, "Authorization", asAnn)

	proxy.Resume()
	there.eventually(func() bool {
		is, status := allowed()
		if is {
			t.Fatal("what was taken away is given again")
		}
		return status == http.StatusOK
	})
	there.want(http.StatusForbidden, "GET", spaces+"/sre", nil, "Authorization", asAnn)
	there.eventually(func() bool { return there.call("GET", "/-/readyz", nil).status == http.StatusOK })
}
