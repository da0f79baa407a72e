package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The operator block is merged as the rest of a registration is, at every depth.
func TestOperatorOfARegistration(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		full := `{"workers":3,"retry":{"initial":"2s","max":"1m30s"},"autoscale":{"when":[{"metric":"queueDepth","op":">=","value":50}],"do":{"workers":9}}}`
		made := l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com","operator":`+full+`}`)
		if !strings.Contains(string(made.raw), `"operator":`+full) {
			t.Errorf("made: %s", made.raw)
		}
		at := regs + "/" + compute
		for _, step := range []struct{ method, body, want string }{
			{"PUT", `{}`, full},
			{"PATCH", `{"owner":"me"}`, full},
			{"PUT", string(l.want(http.StatusOK, "GET", at, nil).raw), full},
			{"PATCH", `{"operator":{}}`, full},
			{"PATCH", `{"operator":{"retry":{"initial":"3s"},"autoscale":{"when":null,"do":{"workers":null}}}}`, `{"workers":3,"retry":{"initial":"3s","max":"1m30s"}}`},
			{"PUT", `{"operator":{"workers":0,"retry":null,"autoscale":{"or":[]}}}`, `{"workers":0,"autoscale":{"or":[]}}`},
			{"PUT", `{"operator":null}`, `{}`},
		} {
			answer := l.want(http.StatusOK, step.method, at, step.body, "Content-Type", "application/merge-patch+json")
			read := l.want(http.StatusOK, "GET", at, nil)
			if want := `"operator":` + step.want + `,`; !strings.Contains(string(answer.raw), want) || string(read.raw) != string(answer.raw) {
				t.Errorf("after %s %s: %s, read as %s", step.method, step.body, answer.raw, read.raw)
			}
		}
		a := l.want(http.StatusBadRequest, "PATCH", at, `{"operator":{"workers":-1,"rollback":{"within":5}},"short_name":"A"}`)
		if d := cmp.Diff([]string{"/short_name", "/operator/workers", "/operator/rollback/within"}, pointers(a)); d != "" {
			t.Error(d)
		}
	})
}

// A condition is answered as it was given.
func TestConditionOfADependency(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		l.want(http.StatusCreated, "POST", regs, `{"name":"base.example.com"}`)
		l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com","depends_on":[{"name":"base.example.com"}]}`)
		const base = `"depends_on":[{"platform":"sandbox","region":"eu-west-1","name":"base.example.com"`
		for given, want := range map[string]string{
			`,"condition":"healthy"`: `,"condition":"healthy"}]`, `,"condition":"started"`: `,"condition":"started"}]`, ``: `}]`,
			`,"condition":null`: `}]`, `,"condition":""`: `}]`,
		} {
			a := l.want(http.StatusOK, "PUT", regs+"/"+compute, `{"depends_on":[{"name":"base.example.com"`+given+`}]}`)
			if !strings.Contains(string(a.raw), base+want) {
				l.t.Errorf("%s: %s", given, a.raw)
			}
		}
	})
}

func TestWhoMaySubscribe(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		t := l.t
		l.world("sre")
		l.want(http.StatusCreated, "POST", spaces, `{"name":"apps"}`)
		at, body := regs+"/"+compute, map[string]any{"api": compute}
		changed := l.want(http.StatusOK, "PATCH", at, `{"allowed_namespaces":["ops","apps","ops"]}`).body
		if d := cmp.Diff([]any{[]any{"ops", "apps"}, []any{}}, []any{changed["allowed_namespaces"], changed["restricted_namespaces"]}); d != "" {
			t.Error(d)
		}
		l.want(http.StatusOK, "PATCH", at, `{"restricted_namespaces":["apps","sre"]}`)
		l.refuses(badRequest{"restricted", "POST", spaces + "/apps/subscriptions", body, 403, "restricted_namespaces has it: ask a sysadmin", ""})
		l.want(http.StatusOK, "PATCH", at, `{"restricted_namespaces":null,"allowed_namespaces":["ops"]}`)
		l.refuses(badRequest{"not allowed", "POST", spaces + "/apps/subscriptions", body, 403, "allowed_namespaces does not have it: ask a sysadmin", ""})
		l.want(http.StatusOK, "PUT", spaces+"/sre/subscriptions/"+compute, `{}`)
		l.want(http.StatusOK, "PUT", spaces+"/sre/subscriptions/"+compute+"/sync", `{}`)
		l.want(http.StatusOK, "PATCH", at, `{"allowed_namespaces":[]}`)
		l.want(http.StatusCreated, "POST", spaces+"/apps/subscriptions", body)
	})
}

// limits are what the document says of a schema's numbers.
type limits struct {
	Type             any
	Minimum, Maximum *float64
	Properties       map[string]limits
}

// The limits that the document describes are those that hold.
func TestDescribedLimitsOfTheOperator(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world()
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Schema limits }
			}
		}
	}
	l.must(json.Unmarshal(l.want(http.StatusOK, "GET", "/-/openapi.json", nil).raw, &doc))
	tried := 0
	var try func(path []string, s limits)
	try = func(path []string, s limits) {
		if s.Minimum != nil && s.Maximum != nil {
			for value, status := range map[float64]int{*s.Minimum - 1: 400, *s.Minimum: 200, *s.Maximum: 200, *s.Maximum + 1: 400} {
				l.want(status, "PATCH", regs+"/"+compute, nested(path, strconv.Itoa(int(value))))
			}
			tried++
		}
		if types, _ := s.Type.([]any); !slices.Contains(types, any("null")) {
			t.Errorf("%v: null is not described", path)
		}
		l.want(http.StatusOK, "PATCH", regs+"/"+compute, nested(path, "null"))
		for name, p := range s.Properties {
			try(append(slices.Clone(path), name), p)
		}
	}
	try([]string{"operator"}, doc.Paths[regs+"/{name}"]["patch"].RequestBody.Content["application/json"].Schema.Properties["operator"])
	if tried < 7 {
		t.Errorf("%d limits are described", tried)
	}
}

// nested is an object with the value at the end of the path.
func nested(path []string, value string) string {
	for _, name := range slices.Backward(path) {
		value = fmt.Sprintf(`{%q:%s}`, name, value)
	}
	return value
}
