package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// called is an operation of the server's own OpenAPI document, about the names of a lab's world.
type called struct {
	method, path string
	reads        bool // the same path can be read
}

func (l *lab) called() []called {
	l.t.Helper()
	names := strings.NewReplacer("{ns}", "sre", "{api}", compute, "apiregistrations/{name}", "apiregistrations/"+compute, "{name}", "viewer")
	methods := l.operations()
	var all []called
	for _, path := range slices.Sorted(maps.Keys(methods)) {
		_, reads := methods[path]["get"]
		for _, method := range slices.Sorted(maps.Keys(methods[path])) {
			all = append(all, called{strings.ToUpper(method), names.Replace(path), reads})
		}
	}
	return all
}

// writes are the operations that take a body.
func (l *lab) writes() []called {
	l.t.Helper()
	return slices.DeleteFunc(l.called(), func(c called) bool {
		return c.method == http.MethodGet || c.method == http.MethodDelete
	})
}

// FuzzBody sends any body to every route that takes one. A refusal is a problem, and never the server's fault; what is
// taken can be read, and written back without a change.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `[]`, `null`, `{"name":"a.example.com"}`, `{"name":"ns"}`, `{"api":"compute.example.com"}`, `{"canary_namespaces":["sre"]}`,
		`{"release":true}`, `{"abort":true,"expected_sync_id":"x"}`, `{"name":"b.c","depends_on":[{"name":"compute.example.com"}],"active":null}`,
		`{"depends_on":[{"name":"compute.example.com","region":null}]}`, `{"a":1,"a":2}`, `{"a":1}{"b":2}`, `{"owner":"\ud800"}`, `{"":1e999}`,
		`{"sync_id":"\u0000"}`, "\xff", `{"/~":[[[[]]]]}`, "\ufeff{}", `{"name":"b.c","owner":"\u0000\u001b[2J\u202e","description":"\"\\\n","mode":"\ud800"}`,
		`{"name":"b.c","short_name":"b","sync_id":"..x","paused":true,"upstream":true,"downstream":true}`, `{"Name":"b.c"}`,
		`{"name":"b.c","operator":{"workers":3,"retry":{"initial":"1s","max":null},"autoscale":{"when":[{"metric":"queueDepth","op":">","value":1e3}],"or":[]}}}`,
		`{"operator":null,"allowed_namespaces":["sre"],"restricted_namespaces":null}`, `{"operator":{"resync":"1.5h","workers":-0,"x":{"x":{"x":[]}}}}`,
		`{"name":"b.c","depends_on":[{"name":"compute.example.com","condition":"synced"}]}`,
		`{"name":"viewer","rules":[{"apis":["*"],"resources":["subscriptions/sync"],"verbs":["get"]}]}`,
		`{"name":"viewers","role":"viewer","namespace":"sre","subjects":[{"kind":"user","name":"ann"},{"kind":"group","name":"\u0000"}]}`,
		`{"api":"compute.example.com","resource":"machines","verb":"get","namespace":"sre","user":"ann","groups":["tenants"]}`,
	} {
		f.Add([]byte(body))
	}
	l := newLab(f, openLocal(f))
	l.world("sre")
	writes := l.writes()
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, at := range writes {
			a := l.handle(t, at.method, at.path, string(body))
			checkAnswer(t, at, a)
			if a.Code >= http.StatusBadRequest {
				continue
			}
			if !json.Valid(body) {
				t.Fatalf("%s %s took what is not JSON", at.method, at.path)
			}
			created := a.Result().Header.Get("Location")
			switch {
			case created != "":
				l.writesBack(t, created)
				if gone := l.handle(t, http.MethodDelete, created, ""); gone.Code != http.StatusNoContent {
					t.Fatalf("DELETE %s: %d: %s", created, gone.Code, gone.Body)
				}
			case at.reads:
				l.writesBack(t, at.path)
			}
		}
	})
}

// checkAnswer insists on JSON or on a problem that says something.
func checkAnswer(t *testing.T, at called, a *httptest.ResponseRecorder) {
	t.Helper()
	known := []int{200, 201, 204, 400, 401, 403, 404, 405, 409, 412, 413, 415}
	var answer map[string]any
	detail := ""
	if a.Body.Len() > 0 && a.Header().Get("Content-Type") != "text/event-stream" {
		if err := json.Unmarshal(a.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s %q: status %d, and no JSON: %v", at.method, at.path, a.Code, err)
		}
		detail, _ = answer["detail"].(string)
	}
	if !slices.Contains(known, a.Code) || a.Code >= http.StatusBadRequest && (detail == "" || answer["status"] != float64(a.Code)) {
		t.Fatalf("%s %q: status %d: %s", at.method, at.path, a.Code, a.Body)
	}
}

// writesBack reads an object and puts it back as it is.
func (l *lab) writesBack(t *testing.T, path string) {
	t.Helper()
	before := l.handle(t, http.MethodGet, path, "")
	after := l.handle(t, http.MethodPut, path, before.Body.String())
	if before.Code != http.StatusOK || after.Code != http.StatusOK {
		t.Fatalf("%s: read %d %s, put back %d %s", path, before.Code, before.Body, after.Code, after.Body)
	}
	if a, b := lasting(t, before), lasting(t, after); a != b {
		t.Fatalf("%s was %s, and is %s after a write that changes nothing", path, a, b)
	}
}

// lasting is an object without what every write changes.
func lasting(t *testing.T, a *httptest.ResponseRecorder) string {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(a.Body.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"updated_at", "reason", "message"} {
		delete(object, key)
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// FuzzRequest has the handler answer requests of any method, path, query and headers, as net/http reads them.
func FuzzRequest(f *testing.F) {
	l := newLab(f, openLocal(f))
	l.world("sre")
	for _, at := range l.called() {
		f.Add(at.method+" "+at.path+" HTTP/1.1\r\nHost: h\r\n\r\n", "{}")
	}
	for _, target := range []string{
		regs + "?limit=1&continue=Y29tcHV0ZS5leGFtcGxlLmNvbQ", regs + "?limit=99999999999999999999", regs + "?limit=-0", regs + "?continue=====",
		regs + "?%zz=1;a", base + "/subscriptions?synced=true&state=init&api=" + compute, base + "/subscriptions?continue=Ly8v", regs + "/..%2f..",
		regs + "/%00", regs + "/" + compute + "/status?all=TRUE", spaces + "/%2e%2e/subscriptions", "*", "http://h/apis", "//apis", "/apis/../apis", "/%",
		"/apis?watch=true", regs + "?watch=true", base + "/subscriptions?watch=true&state=init", regs + "?watch=true&limit=1", "/apis/?a", "/-/healthz?x", "?", "/-/metadata#x",
	} {
		f.Add("GET "+target+" HTTP/1.1\r\nHost: h\r\n\r\n", "")
	}
	for _, header := range []string{
		`If-Match: "a", W/"b"`, `If-Match: *`, `If-Match: ",`, `If-Match: *, *`, "If-Match: \"\x00\xff\"", "Content-Type: text/plain; charset=\"", "Content-Type: application/json; charset=UTF-8",
		"Content-Encoding: gzip", "X-Request-Id: a b", "X-Request-Id: \x80", "Transfer-Encoding: chunked", "Expect: 100-continue", "Accept: */*;q=x", "Range: bytes=0-",
		"Last-Event-ID: -1", "If-None-Match: *", "Authorization: Bearer x",
	} {
		f.Add("PUT "+regs+"/"+compute+" HTTP/1.1\r\nHost: h\r\n"+header+"\r\n\r\n", "{}")
	}
	for _, id := range []string{"", "0", "1", "-1", "9223372036854775807", "9223372036854775808", "1, 2", "1\r\nLast-Event-ID: 2", "0x1", "\xff"} {
		f.Add("GET "+regs+"?watch=true HTTP/1.1\r\nHost: h\r\nLast-Event-ID: "+id+"\r\n\r\n", "")
	}
	f.Fuzz(func(t *testing.T, head, body string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head)))
		if err != nil || r.URL.Path == "/-/metrics" || strings.HasPrefix(r.URL.Path, docsPage) { // which are no JSON
			return
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.NoBody
		if body != "" {
			r.Body = http.MaxBytesReader(nil, readCloser{strings.NewReader(body)}, 1<<20)
		}
		if r.Header.Get("Authorization") == "" {
			r.Header.Set("Authorization", "Bearer "+rootToken)
		}
		a := httptest.NewRecorder()
		l.handler.ServeHTTP(leaving{a, cancel}, r)
		checkAnswer(t, called{r.Method, r.URL.String(), false}, a)
		for name, values := range a.Result().Header {
			if len(values) > 1 || strings.ContainsFunc(values[0], func(c rune) bool { return c < ' ' || c > '~' }) {
				t.Errorf("the header %s says %q", name, values)
			}
		}
	})
}

// leaving is a client that goes once it has been answered that a stream begins.
type leaving struct {
	*httptest.ResponseRecorder

	leave func()
}

func (l leaving) Flush() {
	l.ResponseRecorder.Flush()
	l.leave()
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
