package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/store"
	"kayra/store/catalog"
)

// rewrite changes the JSON of a stored record.
func (w *world) rewrite(key string, change func(map[string]any)) {
	w.t.Helper()
	value := w.stored(key)
	change(value)
	data, err := json.Marshal(value)
	w.must(err)
	_, err = w.store.Txn(w.ctx(), store.Txn{Then: []store.Op{store.Put(key, data)}})
	w.must(err)
}

func (w *world) stored(key string) map[string]any {
	w.t.Helper()
	e, err := w.store.Get(w.ctx(), key)
	w.must(err)
	var value map[string]any
	w.must(json.Unmarshal(e.Value, &value))
	return value
}

// What a newer version has written into a record survives the writes of this one.
func TestUnknownFieldsSurvive(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register("a.com")
		w.register("b.com")
		w.register(compute, "a.com", "b.com")
		w.tenant("sre", compute)
		regKey := home().Prefix() + "registrations/" + compute
		subKey := home().Prefix() + "subscriptions/" + compute + "/sre"
		nsKey := home().Prefix() + "namespaces/sre"
		operator := map[string]any{"workers": json.Number("3"), "retry": map[string]any{"max": "5m", "curve": "linear"}}
		w.rewrite(regKey, func(v map[string]any) {
			v["operator"], v["nothing"] = operator, nil
			v["depends_on"].([]any)[1].(map[string]any)["weight"] = "heavy"
		})
		w.rewrite(subKey, func(v map[string]any) {
			v["labels"] = []any{"x", map[string]any{"y": "z"}}
			v["attempt"].(map[string]any)["next_at"] = "2030-01-01T00:00:00Z"
		})
		w.rewrite(nsKey, func(v map[string]any) { v["quota"] = "big" })

		owner := "me"
		_, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{Owner: &owner}, nil)
		w.must(err)
		_, err = w.UpdateRegistration(w.ctx(), compute, dependsOn("b.com"), nil)
		w.must(err)
		_, err = w.Resync(w.ctx(), "sre", compute, nil)
		w.must(err)
		_, err = w.TouchNamespace(w.ctx(), "sre", nil)
		w.must(err)

		reg, sub := w.stored(regKey), w.stored(subKey)
		if _, ok := reg["nothing"]; !ok || reg["owner"] != "me" {
			t.Errorf("registration: %v", reg)
		}
		for what, pair := range map[string][2]any{
			"operator": {map[string]any{"workers": 3.0, "retry": map[string]any{"max": "5m", "curve": "linear"}}, reg["operator"]},
			"weight":   {[]any{map[string]any{"platform": "sandbox", "region": "eu-west-1", "name": "b.com", "weight": "heavy"}}, reg["depends_on"]},
			"labels":   {[]any{"x", map[string]any{"y": "z"}}, sub["labels"]},
			"next_at":  {"2030-01-01T00:00:00Z", sub["attempt"].(map[string]any)["next_at"]},
			"force":    {1.0, sub["force"]},
			"quota":    {"big", w.stored(nsKey)["quota"]},
		} {
			if d := cmp.Diff(pair[0], pair[1]); d != "" {
				w.t.Errorf("%s: %s", what, d)
			}
		}
	})
}

// A newer version may leave out what this one writes always.
func TestUnknownFieldsOfShortItems(t *testing.T) {
	t.Parallel()
	for _, item := range []string{`{"name":"b.com","new":1}`, `{"name":"b.com","region":null,"platform":"","new":1}`} {
		var reg catalog.Registration
		err := catalog.Decode(store.Entry{Key: "registrations/a.com", Value: []byte(`{"name":"a.com","depends_on":[{"name":"c.com"},` + item + `]}`)}, &reg)
		if err != nil {
			t.Fatal(err)
		}
		got, err := catalog.Encode(&reg)
		if err != nil || !strings.Contains(string(got), `"new":1`) {
			t.Errorf("%s was lost: %s, %v", item, got, err)
		}
	}
}

func TestBrokenRecord(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		for _, broken := range []string{"", "{", "[]", `{"active":"yes"}`, "null", `{"name":"a.b"}`, `{"name":"` + compute + `"} {}`} {
			key := home().Prefix() + "registrations/" + compute
			_, err := w.store.Txn(w.ctx(), store.Txn{Then: []store.Op{store.Put(key, []byte(broken))}})
			w.must(err)
			if _, err := w.Registration(w.ctx(), compute); err == nil || !strings.Contains(err.Error(), key) {
				w.t.Errorf("%q: %v", broken, err)
			}
		}
	})
}
