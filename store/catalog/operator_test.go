package catalog_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kayra/store/catalog"
)

func block(t *testing.T, text string) *catalog.Operator {
	t.Helper()
	o, err := catalog.ReadOperator("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestSettingsAndTheirSources(t *testing.T) {
	t.Parallel()
	nothing := (*catalog.Operator)(nil).Settings(nil)
	if nothing.FailureThreshold != (catalog.Setting[int]{Value: 5, Source: catalog.SourceDefault}) || nothing.ScaleWhen.Source != catalog.SourceDefault {
		t.Errorf("%+v", nothing)
	}
	config := block(t, `{"workers":2,"resync":"1m","autoscale":{"when":[{"metric":"queueDepth","op":">","value":1}],"do":{"workers":8}}}`)
	s := block(t, `{"workers":0,"autoscale":{"when":[]}}`).Settings(config)
	if s.Workers != (catalog.Setting[int]{Value: 0, Source: catalog.SourceRegistration}) {
		t.Errorf("workers: %+v", s.Workers)
	}
	if s.Resync != (catalog.Setting[time.Duration]{Value: time.Minute, Source: catalog.SourceConfig}) || s.ScaleWorkers.Value != 8 {
		t.Errorf("of the configuration: %+v, %+v", s.Resync, s.ScaleWorkers)
	}
	if len(s.ScaleWhen.Value) != 0 || s.ScaleWhen.Source != catalog.SourceRegistration {
		t.Errorf("an empty list says that there are no conditions: %+v", s.ScaleWhen)
	}
}

// Where two sources contradict each other, the bound of all delays gives way to that of the first.
func TestSettingsOfSourcesThatContradict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		registration, config string
		max                  time.Duration
		source               catalog.Source
	}{
		{`{"retry":{"initial":"10m"}}`, `{}`, 10 * time.Minute, catalog.SourceRegistration},
		{`{}`, `{"retry":{"initial":"10m"}}`, 10 * time.Minute, catalog.SourceConfig},
		{`{"retry":{"max":"2s"}}`, `{"retry":{"initial":"10s","max":"1m"}}`, 10 * time.Second, catalog.SourceConfig},
		{`{"retry":{"initial":"2m"}}`, `{"retry":{"initial":"10s","max":"1m"}}`, 2 * time.Minute, catalog.SourceRegistration},
		{`{"retry":{"max":"100ms"}}`, `{}`, time.Second, catalog.SourceDefault},
		{`{"retry":{"initial":"5m"}}`, `{}`, 5 * time.Minute, catalog.SourceDefault},
	} {
		s := block(t, c.registration).Settings(block(t, c.config))
		if s.RetryMax != (catalog.Setting[time.Duration]{Value: c.max, Source: c.source}) {
			t.Errorf("%+v: %+v", c, s.RetryMax)
		}
	}
}

// A block is changed by merge patches (RFC 7396), of which a refused one changes nothing.
func TestOperatorMerge(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		for _, step := range []struct{ patch, want, refused string }{
			{patch: fullBlock, want: fullBlock},
			{patch: `{}`, want: fullBlock},
			{patch: `{"workers":1.5}`, want: fullBlock, refused: "/operator/workers"},
			{patch: `{"retry":{"initial":"2m"}}`, want: fullBlock, refused: "/operator/retry/max"},
			{patch: `{"colour":null}`, want: fullBlock, refused: "/operator/colour"},
			{patch: `{"retry":{"max":null,"max":"1h"}}`, want: fullBlock, refused: "/operator/retry/max"},
			{
				patch: `{"max_depth":null,"resync":null,"autoscale":{"or":null,"do":null,"when":[{"metric":"queueDepth","op":"<","value":2}]},"rollback":null}`,
				want: `{"workers":3,"failure_threshold":7,"retry":{"max_attempts":4,"initial":"2s","max":"1m30s"},` +
					`"autoscale":{"interval":"10s","cooldown":"1m","when":[{"metric":"queueDepth","op":"<","value":2}]}}`,
			},
			{
				patch: `{"retry":{"initial":null},"autoscale":{"when":[],"interval":null,"cooldown":null},"workers":0}`,
				want:  `{"workers":0,"failure_threshold":7,"retry":{"max_attempts":4,"max":"1m30s"},"autoscale":{"when":[]}}`,
			},
			{patch: `{"retry":null,"autoscale":{"when":null}}`, want: `{"workers":0,"failure_threshold":7}`},
			{patch: ` null`, want: `{}`},
			{patch: `{"rollback":{"within":null}}`, want: `{}`},
		} {
			_, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{Operator: json.RawMessage(step.patch)}, nil)
			if step.refused != "" {
				w.refuses(err, catalog.ErrInvalid, step.refused)
			} else {
				w.must(err)
			}
			reg, err := w.Registration(w.ctx(), compute)
			w.must(err)
			if d := cmp.Diff(step.want, written(t, reg.Operator)); d != "" {
				w.t.Errorf("after %s: %s", step.patch, d)
			}
		}
	})
}

// Two patches of one block that meet are both there: each is merged into what the other one left.
func TestOperatorMergesRace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		patch := func(text string) func() error {
			return func() error {
				_, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{Operator: json.RawMessage(text)}, nil)
				return err
			}
		}
		for range rounds {
			w.must(patch(`null`)())
			w.kinds(race(patch(`{"workers":1}`), patch(`{"retry":{"max":"1h"}}`), patch(`{"retry":{"initial":"1m"}}`), patch(`{"max_depth":9}`)))
			reg, err := w.Registration(w.ctx(), compute)
			w.must(err)
			if got, want := written(w.t.(*testing.T), reg.Operator), `{"workers":1,"max_depth":9,"retry":{"initial":"1m","max":"1h"}}`; got != want {
				w.t.Fatalf("got %s, want %s", got, want)
			}
		}
	})
}

// What a newer version has written into a block survives the writes of this one, the clearing of the block included. What it
// has written into a condition goes with the condition.
func TestUnknownFieldsOfABlock(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		key := home().Prefix() + "registrations/" + compute
		condition := map[string]any{"metric": "queueDepth", "op": ">", "value": 1, "for": "1m"}
		w.rewrite(key, func(v map[string]any) {
			v["operator"] = map[string]any{
				"workers": 3, "quota": map[string]any{}, "retry": map[string]any{"max": "5m", "curve": "linear"},
				"autoscale": map[string]any{"when": []any{condition}},
			}
		})
		operator := func(patch string) any {
			_, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{Operator: json.RawMessage(patch)}, nil)
			w.must(err)
			return w.stored(key)["operator"]
		}
		condition["value"] = 1.0
		for _, step := range []struct {
			patch string
			want  map[string]any
		}{
			{`{"workers":4}`, map[string]any{
				"workers": 4.0, "quota": map[string]any{}, "retry": map[string]any{"max": "5m", "curve": "linear"},
				"autoscale": map[string]any{"when": []any{condition}},
			}},
			{`null`, map[string]any{"quota": map[string]any{}, "retry": map[string]any{"curve": "linear"}}},
		} {
			if d := cmp.Diff(any(step.want), operator(step.patch)); d != "" {
				w.t.Errorf("after %s: %s", step.patch, d)
			}
		}
	})
}
