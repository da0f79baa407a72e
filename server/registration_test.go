package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/store/catalog"
)

func TestRegistrationAnswer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		a := l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com","platform":"mars","region":3,
			"released_sync_id":"x","canary_namespaces":["sre"],"sync_id":null,"short_name":null}`)
		id, _ := a.body["sync_id"].(string)
		if id == "" {
			t.Fatalf("no sync_id was minted: %s", a.raw)
		}
		want := map[string]any{
			"name": compute, "short_name": "", "platform": "sandbox", "region": "eu-west-1", "active": true, "paused": false,
			"upstream": false, "downstream": false, "owner": "", "description": "", "depends_on": []any{}, "sync_id": id,
			"released_sync_id": id, "mode": "", "canary_namespaces": []any{},
			"allowed_namespaces": []any{}, "restricted_namespaces": []any{}, "operator": map[string]any{},
		}
		if d := cmp.Diff(want, a.body); d != "" {
			t.Error(d)
		}
		if got := a.header.Get("Location"); got != regs+"/"+compute {
			t.Errorf("Location %q", got)
		}
		b := l.want(http.StatusOK, "GET", a.header.Get("Location"), nil)
		if d := cmp.Diff(want, b.body); d != "" {
			t.Error(d)
		}
		if tag := a.header.Get("ETag"); tag == "" || tag != b.header.Get("ETag") || tag[0] != '"' {
			t.Errorf("ETag %q, then %q", tag, b.header.Get("ETag"))
		}
	})
}

func TestRegistrationMerge(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		l.want(http.StatusCreated, "POST", regs, `{"name":"base.example.com"}`)
		before := l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com","short_name":"c","active":false,"paused":true,
			"upstream":true,"downstream":true,"owner":"o","description":"d","mode":"m","sync_id":"one","depends_on":[{"name":"base.example.com"}]}`).body
		if d := cmp.Diff([]any{map[string]any{"platform": "sandbox", "region": "eu-west-1", "name": "base.example.com"}}, before["depends_on"]); d != "" {
			t.Error(d)
		}
		for _, method := range []string{"PUT", "PATCH"} {
			for _, body := range []any{before, `{}`, `{"name":"compute.example.com"}`} {
				if got := l.want(http.StatusOK, method, regs+"/"+compute, body).body; !same(got, before) {
					t.Errorf("%s of %v changed it: %v", method, body, got)
				}
			}
		}
		l.want(http.StatusOK, "PATCH", regs+"/"+compute, `{"owner":"q"}`, "Content-Type", "application/merge-patch+json")
		l.want(http.StatusOK, "PUT", regs+"/"+compute, `{"owner":"p"}`, "Content-Type", "application/merge-patch+json")
		got := l.want(http.StatusOK, "PUT", regs+"/"+compute, `{"sync_id":"two"}`).body
		if got["owner"] != "p" || got["description"] != "d" || got["sync_id"] != "two" || got["released_sync_id"] != "two" {
			t.Errorf("after two changes: %v", got)
		}
		cleared := l.want(http.StatusOK, "PUT", regs+"/"+compute, `{"short_name":null,"active":null,"paused":null,"upstream":null,
			"downstream":null,"owner":null,"description":"","mode":null,"depends_on":null,"region":null}`).body
		for key, want := range map[string]any{
			"short_name": "", "active": true, "paused": false, "upstream": false, "downstream": false, "owner": "", "description": "",
			"mode": "", "depends_on": []any{}, "region": "eu-west-1", "sync_id": "two",
		} {
			if d := cmp.Diff(want, cleared[key]); d != "" {
				t.Errorf("%s after null: %s", key, d)
			}
		}
		l.want(http.StatusNoContent, "DELETE", regs+"/base.example.com", nil)
		l.want(http.StatusOK, "PUT", regs+"/"+compute, `{"short_name":"c"}`)
		l.want(http.StatusNoContent, "DELETE", regs+"/"+compute, nil)
		l.want(http.StatusNotFound, "GET", regs+"/"+compute, nil)
	})
}

func TestConditionalWrites(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		l.world("sre")
		for _, path := range []string{regs + "/" + compute, spaces + "/sre", spaces + "/sre/subscriptions/" + compute} {
			tag := l.want(http.StatusOK, "GET", path, nil).header.Get("ETag")
			refuse := func(status int, method, match string) {
				t.Helper()
				l.want(status, method, path, `{}`, "If-Match", match)
			}
			for _, other := range []string{`"x"`, `W/` + tag, `"a", "b"`} {
				refuse(http.StatusPreconditionFailed, "PUT", other)
				refuse(http.StatusPreconditionFailed, "DELETE", other)
			}
			for _, broken := range []string{"x", `"x`, `x"`, tag + ",", `"a" "b"`} {
				refuse(http.StatusBadRequest, "PUT", broken)
				refuse(http.StatusBadRequest, "DELETE", broken)
			}
			for _, match := range []string{tag, "*", `"x", %s`} {
				if strings.Contains(match, "%s") {
					match = fmt.Sprintf(match, l.want(http.StatusOK, "GET", path, nil).header.Get("ETag"))
				}
				a := l.want(http.StatusOK, "PUT", path, `{}`, "If-Match", match)
				if a.header.Get("ETag") == tag {
					t.Errorf("%s has the same ETag after a write", path)
				}
			}
			refuse(http.StatusPreconditionFailed, "PUT", tag)
			refuse(http.StatusPreconditionFailed, "DELETE", tag)
		}
		tag := l.want(http.StatusOK, "GET", regs+"/"+compute, nil).header.Get("ETag")
		l.want(http.StatusPreconditionFailed, "PATCH", regs+"/"+compute, `{}`, "If-Match", `"x"`)
		l.want(http.StatusPreconditionFailed, "PUT", regs+"/"+compute+"/sync", `{}`, "If-Match", `"x"`)
		l.want(http.StatusOK, "PUT", regs+"/"+compute+"/sync", `{}`, "If-Match", tag)
		l.want(http.StatusPreconditionFailed, "PUT", spaces+"/sre/subscriptions/"+compute+"/sync", `{}`, "If-Match", `"x"`)
		for _, path := range []string{spaces + "/sre/subscriptions/" + compute, spaces + "/sre", regs + "/" + compute} {
			tag := l.want(http.StatusOK, "GET", path, nil).header.Get("ETag")
			l.want(http.StatusNoContent, "DELETE", path, nil, "If-Match", tag)
			l.want(http.StatusNotFound, "DELETE", path, nil, "If-Match", "*")
		}
	})
}

func TestPages(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		var names, tenants []string
		for i := range 7 {
			names = append(names, fmt.Sprintf("a%d.example.com", i))
			l.want(http.StatusCreated, "POST", regs, map[string]any{"name": names[i]})
			tenants = append(tenants, fmt.Sprintf("t%d", i))
			l.want(http.StatusCreated, "POST", spaces, map[string]any{"name": tenants[i]})
			l.want(http.StatusCreated, "POST", spaces+"/t0/subscriptions", map[string]any{"api": names[i]})
		}
		for _, ns := range tenants[1:] {
			l.want(http.StatusCreated, "POST", spaces+"/"+ns+"/subscriptions", map[string]any{"api": names[3]})
		}
		check := func(path, key string, limit int, want []string) {
			t.Helper()
			if got := l.collect(path, key, limit); !slices.Equal(got, want) {
				t.Errorf("%s by %d: %v, want %v", path, limit, got, want)
			}
		}
		for _, limit := range []int{0, 1, 2, 3, 7, 8, 10_000} {
			check(regs, "name", limit, names)
			check(spaces, "name", limit, tenants)
			check(spaces+"/t0/subscriptions", "api", limit, names)
			check(base+"/subscriptions?api="+names[3], "namespace", limit, tenants)
			check(base+"/subscriptions?synced=false&state=init&api="+names[6], "namespace", limit, tenants[:1])
			check(base+"/subscriptions?synced=true", "namespace", limit, nil)
			if got := len(l.collect(base+"/subscriptions", "api", limit)); got != 13 {
				t.Errorf("%d subscriptions by %d, want 13", got, limit)
			}
		}
		a := l.want(http.StatusOK, "GET", base+"/reconcilers", nil)
		if string(a.raw) != `{"items":[],"continue":""}`+"\n" {
			t.Errorf("an empty list: %s", a.raw)
		}
	})
}

// collect lists page by page, and has what stands under the key.
func (l *lab) collect(path, key string, limit int) []string {
	l.t.Helper()
	at, err := url.Parse(path)
	l.must(err)
	query := at.Query()
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	var out []string
	for {
		at.RawQuery = query.Encode()
		page := l.want(http.StatusOK, "GET", at.String(), nil).body
		items := page["items"].([]any)
		if limit > 0 && len(items) > limit {
			l.t.Errorf("%s: %d items", at, len(items))
		}
		for _, item := range items {
			out = append(out, item.(map[string]any)[key].(string))
		}
		next := page["continue"].(string)
		if next == "" {
			return out
		}
		query.Set("continue", next)
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		l.world()
		document := "{ \"openapi\" : \"3.1.0\",\n\t\"info\": {\"title\": \"<é>\"}, \"paths\": {} }\n"
		l.fetch(document, catalog.Resource{Name: "machines", Namespaced: true, Verbs: []string{"get", "list"}})
		a := l.want(http.StatusOK, "GET", regs+"/"+compute+"/openapi.json", nil, "Authorization", "Bearer "+annToken)
		if string(a.raw) != document || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s", a.header.Get("Content-Type"), a.raw)
		}
		got := l.groups()
		want := map[string]any{
			"name": compute, "short_name": "compute", "builtin": false,
			"resources": []any{map[string]any{"name": "machines", "namespaced": true, "verbs": []any{"get", "list"}}},
		}
		if d := cmp.Diff(want, got[len(got)-1]); d != "" {
			t.Error(d)
		}
	})
}
