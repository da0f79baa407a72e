package catalog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/store/catalog"
)

const fullBlock = `{"workers":3,"max_depth":100,"resync":"10m","failure_threshold":7,` +
	`"retry":{"max_attempts":4,"initial":"2s","max":"1m30s"},` +
	`"autoscale":{"interval":"10s","cooldown":"1m","when":[{"metric":"queueDepth","op":">=","value":50}],` +
	`"or":[{"metric":"errorRatePercent","op":"<","value":2.5},{"metric":"workersBusyPercent","op":"==","value":100}],` +
	`"do":{"workers":9,"max_depth":5,"resync":"1s"}},"rollback":{"consecutive_failures":3,"within":"1h"}}`

// written is the block as it is answered.
func written(t *testing.T, o *catalog.Operator) string {
	t.Helper()
	if o == nil {
		return "{}"
	}
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text.String())
}

func TestOperatorBlock(t *testing.T) {
	t.Parallel()
	for block, want := range map[string]string{
		fullBlock:      fullBlock,
		`{}`:           `{}`,
		` null `:       `{}`,
		`{"retry":{}}`: `{}`,
		`{"workers":null,"retry":{"max":null},"autoscale":{"when":null,"do":{}}}`:      `{}`,
		`{"workers":0,"max_depth":0,"resync":"0s","rollback":{"within":"0"}}`:          `{"workers":0,"max_depth":0,"resync":"0s","rollback":{"within":"0s"}}`,
		`{"autoscale":{"when":[],"or":null}}`:                                          `{"autoscale":{"when":[]}}`,
		`{"resync":"90s","retry":{"initial":"1ns","max":"24h"}}`:                       `{"resync":"1m30s","retry":{"initial":"1ns","max":"24h"}}`,
		`{"workers":10000,"max_depth":1000000,"failure_threshold":50,"resync":"720h"}`: `{"workers":10000,"max_depth":1000000,"resync":"720h","failure_threshold":50}`,
	} {
		got, err := catalog.ReadOperator("/operator", []byte(block))
		if err != nil || written(t, got) != want {
			t.Errorf("%s\n got %s, %v\nwant %s", block, written(t, got), err, want)
		}
	}
}

func TestOperatorBlockRefused(t *testing.T) {
	t.Parallel()
	condition := func(members string) string { return `{"autoscale":{"when":[{` + members + `}]}}` }
	first := "/autoscale/when/0"
	for block, want := range map[string]string{
		`{`:                                     ` is not JSON`,
		`[]`:                                    ` an array is not allowed; write an object`,
		`3`:                                     ` 3 is a number; write an object`,
		`{"workers":-1}`:                        `/workers -1 is not allowed; write a whole number from 0 to 10000`,
		`{"workers":10001}`:                     `/workers 10001 is not allowed; `,
		`{"workers":2.5}`:                       `/workers 2.5 is not allowed; `,
		`{"workers":1e999}`:                     `/workers 1e999 is not allowed; `,
		`{"workers":"3"}`:                       `/workers "3" is a string; write a whole number from 0 to 10000`,
		`{"workers":true}`:                      `/workers true is a boolean; `,
		`{"workers":{}}`:                        `/workers an object is not allowed; `,
		`{"max_depth":1000001}`:                 `/max_depth 1000001 is not allowed; write a whole number from 0 to 1000000`,
		`{"failure_threshold":0}`:               `/failure_threshold 0 is not allowed; write a whole number from 1 to 50`,
		`{"failure_threshold":51}`:              `/failure_threshold 51 `,
		`{"resync":30}`:                         `/resync 30 is a number; write a duration such as "30s", from 1s to 720h, or 0s`,
		`{"resync":"30"}`:                       `/resync "30" is not allowed; write a duration such as "30s"`,
		`{"resync":"999ms"}`:                    `/resync "999ms" is not allowed; `,
		`{"resync":"721h"}`:                     `/resync "721h" is not allowed; `,
		`{"resync":"-1s"}`:                      `/resync "-1s" is not allowed; `,
		`{"resync":"9e99h"}`:                    `/resync "9e99h" is not allowed; `,
		`{"resync":["30s"]}`:                    `/resync an array is not allowed; `,
		`{"retry":3}`:                           `/retry 3 is a number; write an object`,
		`{"retry":{"max_attempts":1001}}`:       `/retry/max_attempts 1001 is not allowed; write a whole number from 0 to 1000`,
		`{"retry":{"initial":"0s"}}`:            `/retry/initial "0s" is not allowed; write a duration such as "30s", from 1ns to 24h`,
		`{"retry":{"initial":"25h"}}`:           `/retry/initial "25h" is not allowed; `,
		`{"retry":{"max":"24h1ns"}}`:            `/retry/max "24h1ns" is not allowed; `,
		`{"retry":{"initial":"2s","max":"1s"}}`: `/retry/max "1s" is less than initial, "2s": raise the one or lower the other`,
		`{"autoscale":{"interval":"999ms"}}`:    `/autoscale/interval "999ms" is not allowed; write a duration such as "30s", from 1s to 1h`,
		`{"autoscale":{"interval":"0s"}}`:       `/autoscale/interval "0s" is not allowed; `,
		`{"autoscale":{"interval":"61m"}}`:      `/autoscale/interval "61m" is not allowed; `,
		`{"autoscale":{"cooldown":"25h"}}`:      `/autoscale/cooldown "25h" is not allowed; write a duration such as "30s", from 0s to 24h`,
		`{"autoscale":{"when":{}}}`:             `/autoscale/when an object is not allowed; write an array`,
		`{"autoscale":{"or":[3]}}`:              `/autoscale/or/0 3 is a number; write an object`,
		`{"autoscale":{"or":[null]}}`:           `/autoscale/or/0 null is not allowed; write an object`,
		`{"autoscale":{"or":[` + strings.Repeat(`{},`, 20) + `{}]}}`:     `/autoscale/or has more than 20 entries`,
		`{"autoscale":{"do":{"workers":10001}}}`:                         `/autoscale/do/workers 10001 `,
		`{"autoscale":{"do":{"max_depth":-1}}}`:                          `/autoscale/do/max_depth -1 `,
		`{"autoscale":{"do":{"resync":"1ms"}}}`:                          `/autoscale/do/resync "1ms" `,
		condition(``):                                                    first + `/metric is missing`,
		condition(`"metric":"queueDepth","value":1`):                     first + `/op is missing`,
		condition(`"metric":"queueDepth","op":">","value":null`):         first + `/value is missing`,
		condition(`"metric":"queue_depth","op":">","value":1`):           first + `/metric "queue_depth" is not allowed; did you mean "queueDepth"?`,
		condition(`"metric":"x","op":">","value":1`):                     first + `/metric "x" is not allowed; write one of workersBusyPercent, workersIdlePercent, queueDepth, `,
		condition(`"metric":"queueDepth","op":"gt","value":1`):           first + `/op "gt" is not allowed; did you mean ">"?`,
		condition(`"metric":"queueDepth","op":"=","value":1`):            first + `/op "=" is not allowed; did you mean "=="?`,
		condition(`"metric":"queueDepth","op":"~","value":1`):            first + `/op "~" is not allowed; write one of >, >=, <, <=, ==, !=`,
		condition(`"metric":"queueDepth","op":3,"value":1`):              first + `/op 3 is a number; write one of `,
		condition(`"metric":"queueDepth","op":">","value":-0.1`):         first + `/value -0.1 is not allowed; write a number from 0 to 1.7`,
		condition(`"metric":"queueDepth","op":">","value":1e400`):        first + `/value 1e400 is not allowed; `,
		condition(`"metric":"queueDepth","op":">","value":"1"`):          first + `/value "1" is a string; `,
		condition(`"metric":"queueDepth","op":">","value":1,"for":"1m"`): first + `/for is not a key that is known here: there are metric, op, value`,
		`{"rollback":{"consecutive_failures":10001}}`:                    `/rollback/consecutive_failures 10001 `,
		`{"rollback":{"within":"-1s"}}`:                                  `/rollback/within "-1s" is not allowed; `,
		`{"rollback":{"within":"8761h"}}`:                                `/rollback/within "8761h" is not allowed; `,
		`{"maxDepth":1}`:                                                 `/maxDepth is not a key that is known here: did you mean "max_depth"?`,
		`{"Workers":1}`:                                                  `/Workers is not a key that is known here: did you mean "workers"?`,
		`{"colour":null}`:                                                `/colour is not a key that is known here: there are autoscale, failure_threshold, max_depth, `,
		`{"a/b~c":1}`:                                                    `/a~1b~0c is not a key`,
		`{"workers":1,"workers":1}`:                                      `/workers is there twice: keep one of the two`,
		`{"retry":{"max":"1s","max":null}}`:                              `/retry/max is there twice`,
		`{` + many(41) + `}`:                                             ` has more than 40 keys`,
	} {
		_, err := catalog.ReadOperator("/operator", []byte(block))
		var refused *catalog.Error
		if !errors.As(err, &refused) || !errors.Is(err, catalog.ErrInvalid) {
			t.Errorf("%s: %v", block, err)
			continue
		}
		said := slices.ContainsFunc(refused.Fields, func(f catalog.FieldError) bool {
			return strings.HasPrefix(f.Pointer+" "+f.Detail, "/operator"+want)
		})
		if !said {
			t.Errorf("%s\n got %+v\nwant %s", block, refused.Fields, want)
		}
	}
}

func many(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"k%d":1`, i)
	}
	return strings.Join(members, ",")
}

// Every field that is wrong is named, once.
func TestOperatorBlockNamesAllThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := catalog.ReadOperator("", []byte(`{"workers":-1,"retry":{"initial":3,"foo":1},"autoscale":{"when":[{"metric":"m","op":">","value":1},{"op":"gt"}]}}`))
	var refused *catalog.Error
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	var got []string
	for _, f := range refused.Fields {
		got = append(got, f.Pointer)
	}
	want := []string{
		"/workers", "/retry/initial", "/retry/foo", "/autoscale/when/0/metric", "/autoscale/when/1/op", "/autoscale/when/1/metric",
		"/autoscale/when/1/value",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// FuzzOperator reads any bytes as a block. What is taken is written as a block that is read as the same, and comes to settings
// that a reconciler can work with, whatever kayra.yaml has beside it.
func FuzzOperator(f *testing.F) {
	for _, block := range []string{
		fullBlock, `{}`, `null`, `[]`, `{`, `{"workers":1,"workers":2}`, `{"retry":{"initial":"10h"}}`, `{"retry":{"max":"1ms"}}`, `{"workers":1e5}`,
		`{"autoscale":{"when":[],"or":[{"metric":"queueDepth","op":">","value":-0}]}}`, `{"resync":"1.5h"}`, "{\"\xff\":1}", `{"workers":-0}`,
	} {
		f.Add([]byte(block), []byte(fullBlock))
		f.Add([]byte(fullBlock), []byte(block))
	}
	f.Fuzz(func(t *testing.T, block, config []byte) {
		first, err := catalog.ReadOperator("/operator", block)
		if err != nil {
			var refused *catalog.Error
			if !errors.As(err, &refused) || len(refused.Fields) == 0 || len(err.Error()) > 100_000 {
				t.Fatalf("%q: %v", block, err)
			}
			return
		}
		text := written(t, first)
		second, err := catalog.ReadOperator("", []byte(text))
		if err != nil || written(t, second) != text {
			t.Fatalf("%q is written as %s, and that read as %s: %v", block, text, written(t, second), err)
		}
		defaults, err := catalog.ReadOperator("", config)
		if err != nil {
			return
		}
		s := first.Settings(defaults)
		if s.RetryInitial.Value <= 0 || s.RetryMax.Value < s.RetryInitial.Value || s.ScaleInterval.Value <= 0 || s.FailureThreshold.Value < 1 {
			t.Fatalf("%s with %s comes to %+v", text, config, s)
		}
	})
}
