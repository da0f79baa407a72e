package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"kayra/store/etcd/etcdtest"
)

// heap is a body of 1 MiB: head, then as many of what piece makes as there is room for, then tail.
func heap(head string, piece func(i int) string, tail string) string {
	const most = 1 << 20
	var b strings.Builder
	b.WriteString(head)
	for i := 0; ; i++ {
		next := piece(i)
		if i > 0 {
			next = "," + next
		}
		if b.Len()+len(next)+len(tail) > most {
			return b.String() + tail
		}
		b.WriteString(next)
	}
}

// heaps are bodies of as many things as fit into one.
func heaps() map[string]string {
	counted := func(format string) func(int) string {
		return func(i int) string { return fmt.Sprintf(format, i) }
	}
	always := func(text string) func(int) string { return func(int) string { return text } }
	return map[string]string{
		"unknown keys":                  heap("{", counted(`"%x":0`), "}"),
		"a key over and over":           heap("{", always(`"":0`), "}"),
		"canaries that are no names":    heap(`{"canary_namespaces":[`, always("0"), "]}"),
		"canaries":                      heap(`{"canary_namespaces":[`, counted(`"%x"`), "]}"),
		"dependencies that are none":    heap(`{"name":"a.b","depends_on":[`, always("0"), "]}"),
		"a dependency of unknown keys":  heap(`{"name":"a.b","depends_on":[{`, counted(`"%x":0`), "}]}"),
		"dependencies of unknown keys":  heap(`{"name":"a.b","depends_on":[`, always(heap("{", counted(`"%x":0`), "}")[:20_000]+`"}`), "]}"),
		"nested arrays":                 strings.Repeat("[", 1<<20),
		"nested objects":                strings.Repeat(`{"a":`, 200_000),
		"nested under a key":            `{"owner":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "}",
		"a long text":                   `{"name":"a.b","owner":"` + strings.Repeat("x", 1_000_000) + `"}`,
		"a long name":                   `{"name":"` + strings.Repeat("x", 1_000_000) + `"}`,
		"a long text of escapes":        `{"name":"a.b","owner":"` + strings.Repeat(`\u0000`, 170_000) + `"}`,
		"a long number":                 `{"name":` + strings.Repeat("9", 1_000_000) + `}`,
		"a long key":                    `{"` + strings.Repeat("/", 1_000_000) + `":0}`,
		"subjects or rules, if any":     heap(`{"name":"a","subjects":[`, always("0"), `],"rules":[]}`),
		"a rule of many verbs, if any":  heap(`{"name":"a","rules":[{"apis":["*"],"resources":["*"],"verbs":[`, counted(`"%x"`), `]}]}`),
		"many rules without verbs, etc": heap(`{"name":"a","rules":[`, always(`{}`), `]}`),
		"groups to check, if any":       heap(`{"user":"u","groups":[`, counted(`"%x"`), `]}`),
	}
}

// Whatever a body of 1 MiB holds, refusing it costs no more than a small multiple of its size, and is told in few words.
func TestBodiesCostNoMoreThanTheirSize(t *testing.T) { //nolint:paralleltest // it measures what is allocated
	if etcdtest.Racing {
		t.Skip("it is about memory, of which the race detector takes its own")
	}
	l := newLab(t, openLocal(t))
	l.world("sre")
	for name, body := range heaps() {
		for _, at := range l.writes() {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := l.handle(t, at.method, at.path, body)
			runtime.ReadMemStats(&after)
			allocated := after.TotalAlloc - before.TotalAlloc
			if most := uint64(24*len(body) + 2<<20); allocated > most {
				t.Errorf("%s to %s %s: %d bytes are allocated for %d", name, at.method, at.path, allocated, len(body))
			}
			if got.Code >= http.StatusInternalServerError || got.Body.Len() > 20_000 {
				t.Errorf("%s to %s %s: status %d, %d bytes", name, at.method, at.path, got.Code, got.Body.Len())
			}
		}
	}
}

// handle has the handler answer root, without a connection.
func (l *lab) handle(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+rootToken)
	r.Header.Set("Content-Type", "application/json")
	answered := httptest.NewRecorder()
	l.handler.ServeHTTP(answered, r)
	return answered
}
