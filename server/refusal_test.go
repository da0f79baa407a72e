package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// badRequest is a request that has to be refused, and what the problem has to say.
type badRequest struct {
	why          string
	method, path string
	body         any
	status       int
	says         string // part of the problem, or ""
	pointer      string // of one of its errors, or ""
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		l.world("sre")
		l.want(http.StatusCreated, "POST", spaces, `{"name":"apps"}`)
		before := l.registration()
		for _, r := range slices.Concat(badRegistrations(), badChanges(), badSyncs(), badTenants(), badQueries(), badPaths()) {
			l.refuses(r)
		}
		if after := l.registration(); !same(before, after) {
			t.Errorf("something was changed: %v, was %v", after, before)
		}
		if n := len(l.want(http.StatusOK, "GET", regs, nil).body["items"].([]any)); n != 1 {
			t.Errorf("%d registrations; a refused create left something", n)
		}
	})
}

func (l *lab) refuses(r badRequest) {
	l.t.Helper()
	a := l.call(r.method, r.path, r.body)
	if a.status != r.status {
		l.t.Errorf("%s: status %d, want %d: %s", r.why, a.status, r.status, a.raw)
		return
	}
	path, _, _ := strings.Cut(r.path, "?")
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		l.t.Errorf("%s: Content-Type %q", r.why, got)
	}
	for key, want := range map[string]any{
		"status": float64(r.status), "title": http.StatusText(r.status), "type": "about:blank", "instance": path,
	} {
		if a.body[key] != want {
			l.t.Errorf("%s: %s is %v, want %v", r.why, key, a.body[key], want)
		}
	}
	// Whoever looks at detail alone learns as much.
	if detail, _ := a.body["detail"].(string); detail == "" || !strings.Contains(detail, r.says) || !strings.Contains(detail, r.pointer) {
		l.t.Errorf("%s: detail does not say %q %q: %s", r.why, r.pointer, r.says, a.raw)
	}
	if r.pointer != "" && !slices.Contains(pointers(a), r.pointer) {
		l.t.Errorf("%s: no error at %q: %s", r.why, r.pointer, a.raw)
	}
}

func pointers(a answer) []string {
	var problem struct {
		Errors []struct{ Pointer, Detail string }
	}
	_ = json.Unmarshal(a.raw, &problem)
	var out []string
	for _, e := range problem.Errors {
		if e.Detail != "" {
			out = append(out, e.Pointer)
		}
	}
	return out
}

func same(a, b map[string]any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func badRegistrations() []badRequest {
	create := func(why string, body any, status int, says, pointer string) badRequest {
		return badRequest{"create: " + why, "POST", regs, body, status, says, pointer}
	}
	name := func(n string) map[string]any { return map[string]any{"name": n} }
	with := func(key string, value any) map[string]any { return map[string]any{"name": "b.example.com", key: value} }
	return []badRequest{
		create("single label", name("compute"), 400, "", "/name"),
		create("upper case", name("Compute.example.com"), 400, "", "/name"),
		create("empty label", name("a..b"), 400, "", "/name"),
		create("trailing dot", name("a.b."), 400, "", "/name"),
		create("leading dash", name("-a.b"), 400, "", "/name"),
		create("label over 63", name(strings.Repeat("x", 64)+".com"), 400, "", "/name"),
		create("name over 253", name(strings.Repeat("a.", 130)+"com"), 400, "", "/name"),
		create("slash in name", name("a.b/c.d"), 400, "", "/name"),
		create("no name", `{}`, 400, "missing", "/name"),
		create("null name", `{"name":null}`, 400, "", "/name"),
		create("number for a name", `{"name":1}`, 400, "a number", "/name"),
		create("exists", name(compute), 409, compute, ""),
		create("an API of Kayra itself", name("catalog.example.com"), 409, "Kayra", ""),
		create("another API of Kayra itself", name("authorization.example.com"), 409, "Kayra", ""),
		create("the short name of an API of Kayra itself", with("short_name", "catalog"), 409, "Kayra", ""),
		{"update: the short name of an API of Kayra itself", "PUT", regs + "/" + compute, `{"short_name":"authorization"}`, 409, "Kayra", ""},
		create("short_name taken", with("short_name", "compute"), 409, compute, ""),
		create("short_name with a dot", with("short_name", "b.c"), 400, "", "/short_name"),
		create("a thousand keys and one", heap("{", func(i int) string { return fmt.Sprintf(`"k%d":0`, i%1001) }, "}"), 400, "more than 1000 keys", ""),
		create("a dependency of a thousand keys and one", heap(`{"name":"b.c","depends_on":[{`, func(i int) string {
			return fmt.Sprintf(`"k%d":0`, i%1001)
		}, "}]}"), 400, "more than 1000 keys", "/depends_on/0"),
		create("a hundred thousand dependencies", heap(`{"name":"b.c","depends_on":[`, func(int) string { return "0" }, "]}"), 400,
			"more than 10000 entries", "/depends_on"),
		create("unknown key", with("colour", 1), 400, "colour", "/colour"),
		create("unknown key with a slash", with("a/b~c", 1), 400, "a/b~c", "/a~1b~0c"),
		create("a text for operator", with("operator", "x"), 400, "write an object", "/operator"),
		create("operator: a number for a duration", with("operator", map[string]any{"resync": 30}), 400, "30 is a number; write a duration such as \"30s\"", "/operator/resync"),
		create("operator: no bound for the first delay", with("operator", map[string]any{"retry": map[string]any{"initial": "0s"}}), 400, "", "/operator/retry/initial"),
		create("operator: a metric that is none", `{"name":"b.c","operator":{"autoscale":{"when":[{"metric":"queuedepth","op":">","value":1}]}}}`, 400, "queueDepth",
			"/operator/autoscale/when/0/metric"),
		create("operator: unknown key", with("operator", map[string]any{"maxDepth": 1}), 400, "max_depth", "/operator/maxDepth"),
		create("operator: a key twice", `{"name":"b.c","operator":{"workers":1,"workers":1}}`, 400, "twice", "/operator/workers"),
		create("operator twice", `{"name":"b.c","operator":{},"operator":{}}`, 400, "twice", "/operator"),
		create("operator nested deeply", `{"name":"b.c","operator":`+strings.Repeat(`{"retry":`, 9_000)+"3"+strings.Repeat("}", 9_000)+"}", 400, "retry", "/operator/retry/retry"),
		create("a text for allowed_namespaces", with("allowed_namespaces", "sre"), 400, "a string", "/allowed_namespaces"),
		create("a number in allowed_namespaces", with("allowed_namespaces", []any{"a", 3}), 400, "a number", "/allowed_namespaces/1"),
		create("a wrong name in restricted_namespaces", with("restricted_namespaces", []any{"a", "B"}), 400, "DNS label", "/restricted_namespaces/1"),
		create("1001 allowed_namespaces", with("allowed_namespaces", slices.Repeat([]string{"a"}, 1001)), 400, "1000", "/allowed_namespaces"),
		create("wrong type", with("active", "yes"), 400, "a string", "/active"),
		create("text for a boolean", with("paused", "true"), 400, "", "/paused"),
		create("object for a text", with("owner", map[string]any{}), 400, "an object", "/owner"),
		create("number for a text", with("mode", 3), 400, "", "/mode"),
		create("text over 64 KiB", with("description", strings.Repeat("x", 64<<10+1)), 400, "", "/description"),
		create("object for a list", with("depends_on", map[string]any{}), 400, "", "/depends_on"),
		create("text in depends_on", with("depends_on", []any{"a.b"}), 400, "", "/depends_on/0"),
		create("dependency without a name", with("depends_on", []any{map[string]any{}}), 400, "", "/depends_on/0/name"),
		create("dependency with a short name", with("depends_on", []any{name("compute")}), 400, "", "/depends_on/0/name"),
		create("condition", with("depends_on", []any{map[string]any{"name": compute, "condition": "ready"}}), 400, "started, healthy or synced", "/depends_on/0/condition"),
		create("a number for a condition", with("depends_on", []any{map[string]any{"name": compute, "condition": 3}}), 400, "a number", "/depends_on/0/condition"),
		create("two conditions", with("depends_on", []any{name(compute), map[string]any{"name": compute, "condition": "synced"}}), 400, "keep one", "/depends_on/1/condition"),
		create("platform of a dependency", with("depends_on", []any{map[string]any{"name": compute, "platform": "A/b"}}), 400, "", "/depends_on/0/platform"),
		create("wrong type in a dependency", with("depends_on", []any{map[string]any{"name": compute, "region": 3}}), 400, "", "/depends_on/0/region"),
		create("unknown dependency", with("depends_on", []any{name("no.example.com")}), 404, "no.example.com", ""),
		create("unknown dependency elsewhere", with("depends_on", []any{map[string]any{"name": compute, "region": "mars"}}), 404, "mars", ""),
		create("itself", with("depends_on", []any{name("b.example.com")}), 409, "b.example.com -> b.example.com", ""),
		create("51 dependencies", with("depends_on", manyNames(51)), 400, "50", "/depends_on"),
		create("sync_id with a slash", with("sync_id", "a/b"), 400, "", "/sync_id"),
		create("a byte order mark", "\xef\xbb\xbf{}", 400, "byte order mark", ""),
		create("broken JSON", `{`, 400, "JSON", ""),
		create("broken in the middle", `{"name":"d.example.com",}`, 400, "JSON", ""),
		create("no JSON", `name=d.example.com`, 400, "JSON", ""),
		create("empty body", "", 400, "empty", ""),
		create("blank body", " \n", 400, "empty", ""),
		create("an array", `[]`, 400, "an array", ""),
		create("null", `null`, 400, "null", ""),
		create("a text", `"x"`, 400, "a string", ""),
		create("two documents", `{"name":"d.example.com"}{"name":"e.example.com"}`, 400, "goes on", ""),
		create("garbage behind", `{"name":"d.example.com"} x`, 400, "goes on", ""),
		create("a key twice", `{"name":"d.example.com","name":"e.example.com"}`, 400, "twice", "/name"),
		create("not UTF-8", "{\"name\":\"d.example.com\",\"owner\":\"\xff\"}", 400, "UTF-8", ""),
		create("nested too deeply", `{"name":"d.example.com","owner":`+strings.Repeat("[", 20_000), 400, "JSON", ""),
		create("over 1 MiB", with("description", strings.Repeat("x", 1<<20)), 413, "", ""),
	}
}

func manyNames(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = map[string]any{"name": fmt.Sprintf("x%d.example.com", i)}
	}
	return out
}

func badChanges() []badRequest {
	put := func(why, body string, status int, says, pointer string) badRequest {
		return badRequest{"update: " + why, "PUT", regs + "/" + compute, body, status, says, pointer}
	}
	return []badRequest{
		put("another name", `{"name":"other.example.com"}`, 400, compute, "/name"),
		put("null name", `{"name":null}`, 400, "", "/name"),
		put("null sync_id", `{"sync_id":null}`, 400, "", "/sync_id"),
		put("empty sync_id", `{"sync_id":""}`, 400, "", "/sync_id"),
		put("sync_id with a slash", `{"sync_id":"a/b"}`, 400, "", "/sync_id"),
		put("sync_id ..", `{"sync_id":".."}`, 400, "", "/sync_id"),
		put("sync_id too long", `{"sync_id":"`+strings.Repeat("x", 129)+`"}`, 400, "", "/sync_id"),
		put("unknown key", `{"colour":1}`, 400, "colour", "/colour"),
		put("two wrong keys", `{"colour":1,"active":3}`, 400, "colour", "/active"),
		put("itself", `{"depends_on":[{"name":"compute.example.com"}]}`, 409, "", ""),
		{"update: unknown", "PUT", regs + "/no.example.com", `{"owner":"x"}`, 404, "no.example.com", ""},
		{"patch: unknown", "PATCH", regs + "/no.example.com", `{"owner":"x"}`, 404, "", ""},
		{"patch: wrong type", "PATCH", regs + "/" + compute, `{"active":[]}`, 400, "", "/active"},
		{"get: unknown", "GET", regs + "/no.example.com", nil, 404, "", ""},
		{"delete: unknown", "DELETE", regs + "/no.example.com", nil, 404, "", ""},
		{"delete: subscribed", "DELETE", regs + "/" + compute, nil, 409, "sre", ""},
		{"no document", "GET", regs + "/" + compute + "/openapi.json", nil, 404, "", ""},
		{"status: unknown", "GET", regs + "/no.example.com/status", nil, 404, "", ""},
	}
}

func badSyncs() []badRequest {
	sync := func(why, body string, status int, says, pointer string) badRequest {
		return badRequest{"sync: " + why, "PUT", regs + "/" + compute + "/sync", body, status, says, pointer}
	}
	many, _ := json.Marshal(map[string]any{"canary_namespaces": slices.Repeat([]string{"sre"}, 101)})
	return []badRequest{
		sync("empty body", "", 400, "{}", ""),
		sync("no canaries", `{"canary_namespaces":[]}`, 400, "", "/canary_namespaces"),
		sync("null canaries", `{"canary_namespaces":null}`, 400, "", "/canary_namespaces"),
		sync("text for canaries", `{"canary_namespaces":"sre"}`, 400, "", "/canary_namespaces"),
		sync("number as a canary", `{"canary_namespaces":["sre",1]}`, 400, "", "/canary_namespaces/1"),
		sync("null as a canary", `{"canary_namespaces":[null]}`, 400, "", "/canary_namespaces/0"),
		sync("canary that is no label", `{"canary_namespaces":["a/b"]}`, 400, "", "/canary_namespaces/0"),
		sync("101 canaries", string(many), 400, "", "/canary_namespaces"),
		sync("canary that does not subscribe", `{"canary_namespaces":["sre","apps"]}`, 404, "apps", ""),
		sync("release false", `{"release":false}`, 400, "leave it out", "/release"),
		sync("abort null", `{"abort":null}`, 400, "", "/abort"),
		sync("release text", `{"release":"true"}`, 400, "", "/release"),
		sync("two at once", `{"release":true,"abort":true}`, 400, "", ""),
		sync("canary and release", `{"canary_namespaces":["sre"],"release":true}`, 400, "", ""),
		sync("unknown key", `{"force":true}`, 400, "force", "/force"),
		sync("empty expected_sync_id", `{"expected_sync_id":""}`, 400, "", "/expected_sync_id"),
		sync("null expected_sync_id", `{"expected_sync_id":null}`, 400, "", "/expected_sync_id"),
		sync("number for expected_sync_id", `{"expected_sync_id":7}`, 400, "", "/expected_sync_id"),
		sync("other expected_sync_id", `{"expected_sync_id":"other"}`, 409, "other", ""),
		sync("release without a rollout", `{"release":true}`, 409, "", ""),
		sync("abort without a rollout", `{"abort":true}`, 409, "", ""),
		{"sync: unknown", "PUT", regs + "/no.example.com/sync", `{}`, 404, "", ""},
	}
}

func badTenants() []badRequest {
	subs := spaces + "/sre/subscriptions"
	one := subs + "/" + compute
	return []badRequest{
		{"namespace: no label", "POST", spaces, `{"name":"a.b"}`, 400, "", "/name"},
		{"namespace: no name", "POST", spaces, `{}`, 400, "", "/name"},
		{"namespace: exists", "POST", spaces, `{"name":"sre"}`, 409, "", ""},
		{"namespace: unknown key", "POST", spaces, `{"name":"x","colour":1}`, 400, "colour", "/colour"},
		{"namespace: other name", "PUT", spaces + "/sre", `{"name":"apps"}`, 400, "", "/name"},
		{"namespace: update unknown", "PUT", spaces + "/nope", `{}`, 404, "", ""},
		{"namespace: get unknown", "GET", spaces + "/nope", nil, 404, "nope", ""},
		{"namespace: delete unknown", "DELETE", spaces + "/nope", nil, 404, "", ""},
		{"namespace: delete subscribed", "DELETE", spaces + "/sre", nil, 409, compute, ""},
		{"subscribe: short name", "POST", subs, `{"api":"compute"}`, 400, compute, "/api"},
		{"subscribe: no long name", "POST", subs, `{"api":"other"}`, 400, "", "/api"},
		{"subscribe: no api", "POST", subs, `{}`, 400, "", "/api"},
		{"subscribe: unknown api", "POST", subs, `{"api":"no.example.com"}`, 404, "", ""},
		{"subscribe: unknown namespace", "POST", spaces + "/nope/subscriptions", `{"api":"` + compute + `"}`, 404, "nope", ""},
		{"subscribe: unknown key", "POST", subs, `{"api":"` + compute + `","colour":1}`, 400, "", "/colour"},
		{"subscribe: twice", "POST", subs, `{"api":"` + compute + `"}`, 409, "", ""},
		{"subscriptions of an unknown namespace", "GET", spaces + "/nope/subscriptions", nil, 404, "nope", ""},
		{"subscription: unknown", "GET", spaces + "/apps/subscriptions/" + compute, nil, 404, "", ""},
		{"subscription: other api", "PUT", one, `{"api":"other.example.com"}`, 400, "", "/api"},
		{"subscription: unknown key", "PUT", one, `{"colour":1}`, 400, "", "/colour"},
		{"subscription: empty body", "PUT", one, "", 400, "", ""},
		{"subscription: update unknown", "PUT", spaces + "/apps/subscriptions/" + compute, `{}`, 404, "", ""},
		{"subscription: delete unknown", "DELETE", spaces + "/apps/subscriptions/" + compute, nil, 404, "", ""},
		{"subscription sync: unknown", "PUT", spaces + "/apps/subscriptions/" + compute + "/sync", `{}`, 404, "", ""},
		{"subscription sync: with a key", "PUT", one + "/sync", `{"api":"` + compute + `"}`, 400, "", "/api"},
		{"subscription sync: empty body", "PUT", one + "/sync", "", 400, "", ""},
	}
}

func badQueries() []badRequest {
	get := func(path, says string) badRequest {
		return badRequest{"query: " + path, "GET", path, nil, 400, says, ""}
	}
	all := base + "/subscriptions"
	return []badRequest{
		get(regs+"?limit=0", "limit"), get(regs+"?limit=-1", ""), get(regs+"?limit=x", ""), get(regs+"?limit=", ""),
		get(regs+"?limit=10001", "10000"), get(regs+"?limit=1&limit=2", "once"), get(regs+"?limit=99999999999999999999", ""),
		get(regs+"?continue=%21", "continue"), get(regs+"?continue=Li4vLi4v", ""), get(regs+"?colour=red", "colour"),
		get(regs+"?watch=yes", "true and false"), get(regs+"?watch=", "watch"), get(regs+"?watch=true&limit=1", "limit"),
		get(regs+"?watch=true&continue=YWI", "continue"), get(regs+"/"+compute+"?watch=true", "watch"), get(regs+"/"+compute+"?limit=1", "limit"), get(regs+"/"+compute+"/status?all=yes", "all"),
		get(regs+"?a=%zz", ""), get(regs+"?a;b", ""), get(all+"?state=good", "state"), get(all+"?synced=1", "synced"),
		get(all+"?api=compute", "api"), get(all+"?continue=YWI", ""), get(spaces+"?api="+compute, "api"),
		get("/apis?x=1", "x"), get("/-/healthz?x=1", "x"), get(spaces+"/sre/subscriptions?continue=YWI", ""),
		{"query: dry_run of another value", "PUT", regs + "/" + compute + "?dry_run=yes", `{}`, 400, "dry_run", ""},
		{"query: dry_run without a value", "POST", regs + "?dry_run", `{"name":"z.example.com"}`, 400, "dry_run", ""},
		{"query: dry_run twice", "POST", regs + "?dry_run=true&dry_run=true", `{"name":"z.example.com"}`, 400, "once", ""},
		{"query: dry_run of a sync", "PUT", regs + "/" + compute + "/sync?dry_run=true", `{}`, 400, "dry_run", ""},
		{"query: dry_run of a delete", "DELETE", regs + "/" + compute + "?dry_run=true", nil, 400, "dry_run", ""},
		{"query: dry_run of a namespace", "POST", spaces + "?dry_run=true", `{"name":"z"}`, 400, "dry_run", ""},
		{"query: on a write", "PUT", regs + "/" + compute + "?force=1", `{}`, 400, "force", ""},
	}
}

func badPaths() []badRequest {
	get := func(path string) badRequest { return badRequest{"path: " + path, "GET", path, nil, 404, "", ""} }
	return []badRequest{
		get("/"), get("/nope"), get(base), get(base + "/nosuch"), get(regs + "/"), get(regs + "//sync"), get("/apis/"), get("//apis"),
		get("/apis/../apis"), get("/-/docs/nope.js"), get("/-/docs/page.html"), get("/-/docs/a/b"), get("/-/docs//"), get("/-/docs/%2e%2e"), get("/apis/authorization.example.com/v1/check/x"),
		get(regs + "/a%2Fb.c"), get(regs + "/..%2F..%2Fx.y"), get(regs + "/%2e%2e"), get(regs + "/Compute.example.com"), get(regs + "/compute"),
		get(regs + "/%00"), get(spaces + "/a.b"), get(spaces + "/%20"), get(spaces + "/sre/subscriptions/compute"), get(spaces + "/a%2Fb/subscriptions"),
		{"path: delete a name that cannot be", "DELETE", regs + "/a%2Fb.c", nil, 404, "", ""},
		{"path: put a name that cannot be", "PUT", spaces + "/A", `{}`, 404, "", ""},
		{"method: PATCH namespaces", "PATCH", spaces, `{}`, 405, "GET, HEAD, POST", ""},
		{"method: POST one", "POST", regs + "/" + compute, `{}`, 405, "DELETE, GET, HEAD, PATCH, PUT", ""},
		{"method: DELETE apis", "DELETE", "/apis", nil, 405, "", ""},
		{"method: unheard of", "BREW", regs, nil, 405, "", ""},
	}
}
