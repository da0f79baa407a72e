package rows_test

import (
	"slices"
	"strings"
	"testing"

	"kayra/cli/rows"
)

func TestSelectors(t *testing.T) {
	t.Parallel()
	const thing = `{"name":"m1","state":"error","synced":false,"size":12345678901234567890,"price":1.50,"owner":null,"tags":["a","b"],"none":[],
	 "operator":{"workers":5,"retry":{"initial":"1s"}},"needs":[{"name":"x"},{"name":"y"}],"odd":"a,b=c\\d"}`
	for selector, want := range map[string]bool{
		"":                                     true,
		"state=error":                          true,
		"state==error,synced=false":            true,
		"state=error,synced=true":              false,
		"state!=success":                       true,
		"state!=error":                         false,
		"size=12345678901234567890,price=1.50": true,
		"price=1.5":                            false,
		"owner=":                               true,
		"nosuch=":                              true,
		"nosuch=x":                             false,
		"nosuch!=x":                            true,
		"owner!=":                              false,
		"tags=a,tags=b":                        true,
		"tags=c":                               false,
		"tags!=a":                              false,
		"none=":                                true,
		"operator.workers=5":                   true,
		"operator.retry.initial=1s":            true,
		"operator.retry=":                      true,
		"needs.name=y":                         true,
		"needs.name!=x":                        false,
		`odd=a\,b\=c\\d`:                       true,
		"state=Error":                          false,
	} {
		s, err := rows.ParseSelector(selector)
		if err != nil {
			t.Errorf("%q: %v", selector, err)
			continue
		}
		if got := s.Matches([]byte(thing)); got != want {
			t.Errorf("%q: got %v, want %v", selector, got, want)
		}
	}
	s, _ := rows.ParseSelector("a=b")
	if s.Matches([]byte("[")) {
		t.Error("what is no JSON was meant")
	}
}

func TestSelectorsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, selector := range []string{"state", "=x", "a..b=c", ".a=b", "a.=b", " a=b", `a=b\`, "a>b"} {
		if _, err := rows.ParseSelector(selector); err == nil {
			t.Errorf("%q was taken for a selector", selector)
		}
	}
}

func TestTake(t *testing.T) {
	t.Parallel()
	s, err := rows.ParseSelector("state=a,api!=b,state=c")
	if err != nil {
		t.Fatal(err)
	}
	if value, ok := s.Take("state"); value != "a" || !ok || !slices.Equal(s.Keys(), []string{"api", "state"}) {
		t.Errorf("took %q, %v, and left %v", value, ok, s.Keys())
	}
	if value, ok := s.Take("api"); ok || s.Empty() {
		t.Errorf("took %q of what has to be another value", value)
	}
}

func TestHas(t *testing.T) {
	t.Parallel()
	const thing = `{"a":{"b":0},"c":null,"d":[],"e":[{"f":1}],"g":{}}`
	for key, want := range map[string]bool{"a.b": true, "c": false, "d": false, "e.f": true, "e.g": false, "h": false, "a": false} {
		if got := rows.Has([]byte(thing), key); got != want {
			t.Errorf("%s: got %v, want %v", key, got, want)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, up, down string }{
		"numbers":   {"10 9 -1 2.5 1e3", "-1 2.5 9 10 1e3", "1e3 10 9 2.5 -1"},
		"texts":     {"ns10 ns2 b a", "a b ns2 ns10", "ns10 ns2 b a"},
		"times":     {"2026-01-02T00:00:00+02:00 2026-01-01T23:00:00Z 2025-12-31T23:59:59.5Z", "2025-12-31T23:59:59.5Z 2026-01-02T00:00:00+02:00 2026-01-01T23:00:00Z", "2026-01-01T23:00:00Z 2026-01-02T00:00:00+02:00 2025-12-31T23:59:59.5Z"},
		"durations": {"10m 30s 1h", "30s 10m 1h", "1h 10m 30s"},
		"none last": {"_ b _ a", "a b _ _", "b a _ _"},
		"mixed":     {"x 1h 2026-01-01T00:00:00Z 7", "7 2026-01-01T00:00:00Z 1h x", "x 1h 2026-01-01T00:00:00Z 7"},
		"bools":     {"true false true", "false true true", "true true false"},
		"large":     {"12345678901234567891 12345678901234567890", "12345678901234567890 12345678901234567891", "12345678901234567891 12345678901234567890"},
	} {
		for i, want := range []string{c.up, c.down} {
			things := strings.Fields(c.in)
			texts := strings.Fields(strings.ReplaceAll(c.in, "_", "\x00"))
			for i := range texts {
				texts[i] = strings.Trim(texts[i], "\x00")
			}
			rows.Sort(things, texts, i == 1)
			if got := strings.Join(things, " "); got != want {
				t.Errorf("%s, descending %v: got %q, want %q", name, i == 1, got, want)
			}
		}
	}
}

// Of equal ones the order stays, whichever way round.
func TestOrderIsStable(t *testing.T) {
	t.Parallel()
	for _, descending := range []bool{false, true} {
		things := []string{"a", "b", "c", "d"}
		rows.Sort(things, []string{"1", "", "1", ""}, descending)
		if got := strings.Join(things, ""); got != "acbd" {
			t.Errorf("descending %v: got %q", descending, got)
		}
	}
}

func FuzzSelector(f *testing.F) {
	for _, s := range []string{"a=b", "a.b!=c,d==e", `a=\,`, "=", "a", ",", `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := rows.ParseSelector(text)
		if err != nil {
			return
		}
		s.Matches([]byte(`{"a":{"b":[1,{"c":null}]}}`))
		for _, key := range s.Keys() {
			if key == "" || strings.HasPrefix(key, ".") || strings.HasSuffix(key, ".") {
				t.Errorf("%q has the key %q", text, key)
			}
		}
	})
}
