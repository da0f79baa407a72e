package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/server"
	"kayra/store"
)

const checks = access + "/check"

func TestWhoAmI(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	whoami := access + "/whoami"
	want := map[string]any{"user": "root", "groups": []any{"sysadmin"}, "sysadmin": true}
	if d := cmp.Diff(want, l.want(http.StatusOK, "GET", whoami, nil).body); d != "" {
		t.Error(d)
	}
	want = map[string]any{"user": "ann", "groups": []any{"tenants"}, "sysadmin": false}
	if d := cmp.Diff(want, l.want(http.StatusOK, "GET", whoami, nil, "Authorization", "Bearer "+annToken).body); d != "" {
		t.Error(d)
	}
	bare := newLab(t, openLocal(t), anybody)
	want = map[string]any{"user": "bob", "groups": []any{}, "sysadmin": false}
	if d := cmp.Diff(want, bare.want(http.StatusOK, "GET", whoami, nil, "Authorization", "Bearer bob").body); d != "" {
		t.Error(d)
	}
}

// says insists on what /check answers ann, as soon as the policy has all that was written.
func (l *lab) says(allowed bool, reason, body string) {
	l.t.Helper()
	want := map[string]any{"allowed": allowed, "reason": reason}
	var got map[string]any
	defer func() {
		if l.t.Failed() {
			l.t.Logf("%s: got %v, want %v", body, got, want)
		}
	}()
	l.eventually(func() bool {
		got = l.want(http.StatusOK, "POST", checks, body, "Authorization", "Bearer "+annToken).body
		return got["allowed"] == allowed && got["reason"] == reason
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		create := `{"api":"compute.example.com","resource":"machines","verb":"create","namespace":"sre"}`
		list := `{"api":"compute.example.com","resource":"machines","verb":"list"}`
		l.says(false, `no API "compute.example.com" is registered in this deployment`, create)
		l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com","active":false}`)
		l.says(false, `API registration "compute.example.com" is not active: its owner has switched it off`, create)
		l.want(http.StatusOK, "PUT", regs+"/"+compute, `{"active":true}`)
		l.says(false, `there is no namespace "sre"`, create)
		l.want(http.StatusCreated, "POST", spaces, `{"name":"sre"}`)
		l.says(false, `namespace "sre" is not active yet: a reconciler activates it`, create)
		l.want(http.StatusCreated, "POST", spaces+"/sre/subscriptions", `{"api":"compute.example.com"}`)
		ns, err := l.repository.Namespace(l.t.Context(), "sre")
		l.must(err)
		l.must(l.repository.ActivateNamespace(l.t.Context(), ns))
		l.says(false, `the subscription of namespace "sre" to compute.example.com is not active yet: its first sync has not succeeded`, create)
		l.succeed("sre")
		const none = ` of user "ann" (groups tenants) gives `
		l.says(false, `no role`+none+`create on machines of compute.example.com in namespace "sre"`, create)
		l.says(false, `no role`+none+`list on machines of compute.example.com cluster-wide`, list)
		l.want(http.StatusCreated, "POST", roles, `{"name":"viewer","rules":[{"apis":["compute.example.com"],"resources":["machines"],"verbs":["*"]}]}`)
		l.want(http.StatusCreated, "POST", bindings, `{"name":"sre-viewers","role":"viewer","namespace":"sre","subjects":[{"kind":"group","name":"tenants"}]}`)
		l.says(true, `role "viewer" through role binding "sre-viewers" allows it`, create)
		l.says(false, `no role`+none+`list on machines of compute.example.com cluster-wide`, list)
		l.want(http.StatusNoContent, "DELETE", spaces+"/sre/subscriptions/"+compute, nil)
		l.says(false, `namespace "sre" is not subscribed to compute.example.com`, create)
	})
}

// TestCheckOfOwn asks about Kayra's own APIs, of which /check says what the gate would.
func TestCheckOfOwn(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.want(http.StatusCreated, "POST", roles, `{"name":"r","rules":[{"apis":["catalog.example.com"],"resources":["subscriptions","namespaces","roles"],"verbs":["*"]}]}`)
	l.want(http.StatusCreated, "POST", bindings, `{"name":"b","role":"r","namespace":"sre","subjects":[{"kind":"user","name":"ann"}]}`)
	own := func(group, resource, verb, namespace string) string {
		return `{"api":"` + group + `.example.com","resource":"` + resource + `","verb":"` + verb + `","namespace":"` + namespace + `"}`
	}
	const (
		yes  = `role "r" through role binding "b" allows it`
		nobd = `no role of user "ann" (groups tenants) gives `
	)
	l.says(true, yes, own("catalog", "subscriptions", "create", "sre"))
	l.says(false, nobd+`create on subscriptions of catalog.example.com in namespace "apps"`, own("catalog", "subscriptions", "create", "apps"))
	l.says(false, nobd+`patch on subscriptions/sync of catalog.example.com in namespace "sre"`, own("catalog", "subscriptions/sync", "patch", "sre"))
	l.says(true, yes, own("catalog", "subscriptions", "list", "sre"))
	l.says(false, nobd+`list on subscriptions of catalog.example.com cluster-wide`, own("catalog", "subscriptions", "list", ""))
	l.says(true, yes, own("catalog", "namespaces", "get", "sre"))
	l.says(false, nobd+`list on namespaces of catalog.example.com cluster-wide`, own("catalog", "namespaces", "list", "sre"))
	l.says(false, `apiregistrations is for sysadmins alone, and user "ann" (groups tenants) is none`, own("catalog", "apiregistrations", "get", ""))
	l.says(false, `roles is for sysadmins alone, and user "ann" (groups tenants) is none`, own("authorization", "roles", "list", ""))
	l.says(true, `anyone who is authenticated may`, own("catalog", "apiregistrations/openapi.json", "get", ""))
	l.says(true, `anyone who is authenticated may`, own("authorization", "check", "create", "x"))
	l.says(false, `catalog.example.com has no resource "roles" with the verb "get"`, own("catalog", "roles", "get", ""))
	l.says(false, `catalog.example.com has no resource "subscriptions" with the verb "patch"`, own("catalog", "subscriptions", "patch", "sre"))
}

// TestCheckOfOthers: a sysadmin may ask about anybody, and nobody else about anyone, not even about themselves by name.
func TestCheckOfOthers(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.want(http.StatusCreated, "POST", roles, `{"name":"r","rules":[{"apis":["*"],"resources":["*"],"verbs":["*"]}]}`)
	l.want(http.StatusCreated, "POST", bindings, `{"name":"b","role":"r","subjects":[{"kind":"group","name":"g"}]}`)
	const q = `{"api":"catalog.example.com","resource":"namespaces","verb":"list"`
	for body, want := range map[string]string{
		q + `}`: `user "root" is a sysadmin`,
		q + `,"user":"eve","groups":["x","sysadmin"]}`:     `user "eve" is a sysadmin`,
		q + `,"user":"eve","groups":["x","g"]}`:            `role "r" through role binding "b" allows it`,
		q + `,"user":"eve"}`:                               `no role of user "eve" (no groups) gives list on namespaces of catalog.example.com cluster-wide`,
		q + `,"user":"g","groups":[]}`:                     `no role of user "g" (no groups) gives list on namespaces of catalog.example.com cluster-wide`,
		q + `,"user":"root","groups":null,"namespace":""}`: `no role of user "root" (no groups) gives list on namespaces of catalog.example.com cluster-wide`,
	} {
		l.eventually(func() bool { return l.want(http.StatusOK, "POST", checks, body).body["reason"] == want })
	}
	for _, more := range []string{`,"user":"root"}`, `,"user":"ann"}`, `,"user":"ann","groups":["g"]}`} {
		l.want(http.StatusForbidden, "POST", checks, q+more, "Authorization", "Bearer "+annToken)
	}
	l.want(http.StatusUnauthorized, "POST", checks, q+`}`, "Authorization", "")
	l.metrics(
		`kayra_authorization_decisions_total{cause="role",result="allowed"} `,
		`kayra_authorization_decisions_total{cause="sysadmin",result="allowed"} `,
		`kayra_authorization_decisions_total{cause="unregistered",result="refused"} 0`,
		`kayra_authorization_copy_age_seconds `,
	)
}

// unlisted is a store whose lists never come.
type unlisted struct{ store.Store }

func (unlisted) List(context.Context, string, store.ListOptions) (store.Listing, error) {
	return store.Listing{}, store.ErrUnavailable
}

// TestRolesUnknown has a server that has not read the roles yet.
func TestRolesUnknown(t *testing.T) {
	t.Parallel()
	s := openLocal(t)
	var log bytes.Buffer
	l := newLab(t, s, func(o *server.Options) {
		o.Policy, o.Logger = startPolicy(t, unlisted{s}, 0), slog.New(slog.NewTextHandler(&log, nil))
	})
	const q = `{"api":"compute.example.com","resource":"machines","verb":"get"`
	l.want(http.StatusOK, "GET", spaces, nil)
	l.want(http.StatusOK, "GET", "/apis", nil, "Authorization", "Bearer "+annToken)
	l.want(http.StatusForbidden, "GET", regs, nil, "Authorization", "Bearer "+annToken)
	l.want(http.StatusOK, "POST", checks, q+`}`)
	l.want(http.StatusServiceUnavailable, "POST", checks, q+`,"user":"ann"}`)
	l.want(http.StatusServiceUnavailable, "POST", checks, q+`}`, "Authorization", "Bearer "+annToken)
	a := l.want(http.StatusServiceUnavailable, "GET", spaces, nil, "Authorization", "Bearer "+annToken)
	const want = "who may do what is not known yet: the roles are still being read from the store: try again, or ask a sysadmin"
	if a.body["detail"] != want || a.header.Get("Retry-After") == "" {
		t.Errorf("%v, %s", a.header, a.raw)
	}
	a = l.want(http.StatusServiceUnavailable, "GET", "/-/readyz", nil)
	if a.body["detail"] != "not ready: who may do what is not known yet: the roles are still being read from the store" {
		t.Errorf("%s", a.raw)
	}
	l.metrics(`kayra_authorization_decisions_total{cause="unknown",result="unknown"} 3`)
	l.close()
	if log.Len() > 0 {
		t.Errorf("a flood of requests would be a flood in the log: %s", log.String())
	}
}
