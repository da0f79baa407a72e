package manifest_test

import (
	"testing"

	"kayra/cli/manifest"
)

func object(t *testing.T, text string) manifest.Object {
	t.Helper()
	o, err := manifest.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		is, wanted string
		want       bool
	}{
		{`{"a":1,"b":2}`, `{"a":1}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1}`, `{"b":null}`, true},
		{`{"a":1}`, `{"b":[]}`, true},
		{`{"a":[]}`, `{"a":null}`, true},
		{`{"a":""}`, `{"a":null}`, true},
		{`{"a":[]}`, `{"a":""}`, false},
		{`{"a":false}`, `{"a":null}`, false},
		{`{"a":{"x":1,"y":2}}`, `{"a":{"y":2}}`, true},
		{`{"a":{"x":1}}`, `{"a":{}}`, false},
		{`{"a":{"x":1}}`, `{"a":{"x":2}}`, false},
		{`{"a":[{"x":1,"y":2}]}`, `{"a":[{"x":1}]}`, false},
		{`{"a":[{"x":1,"y":""}]}`, `{"a":[{"x":1}]}`, true},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":[1,2]}`, `{"a":[1]}`, false},
		{`{"a":[1, 2]}`, `{"a":[1,2]}`, true},
		{`{"a":"\u0062"}`, `{"a":"b"}`, true},
		{`{"a":"1"}`, `{"a":1}`, false},
		{`{"a":1.0}`, `{"a":1}`, true},
		{`{"a":-1}`, `{"a":1}`, false},
		{`{"a":1e2}`, `{"a":100}`, true},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{`{"a":true}`, `{"a":true}`, true},
		{`{"a":true}`, `{"a":false}`, false},
		{`{"operator":{"resync":"10m0s"}}`, `{"operator":{"resync":"10m"}}`, true},
		{`{"operator":{"resync":"10m0s"}}`, `{"operator":{"resync":"11m"}}`, false},
		{`{"description":"10m0s"}`, `{"description":"10m"}`, false},
	} {
		if got := manifest.Covers(object(t, c.is), object(t, c.wanted)); got != c.want {
			t.Errorf("%s as %s wants it: %v", c.is, c.wanted, got)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	is := object(t, `{"z":1,"a":{"x":1,"y":2},"b":[1]}`)
	got := string(manifest.Merge(is, object(t, `{"b":[2],"a":{"y":3},"n":null,"z":null}`)).JSON())
	if want := `{"z":null,"a":{"x":1,"y":3},"b":[2],"n":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if string(is.JSON()) != `{"z":1,"a":{"x":1,"y":2},"b":[1]}` {
		t.Errorf("what was there has become %s", is.JSON())
	}
}

func TestParseObject(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", "1", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`} {
		if o, err := manifest.ParseObject([]byte(text)); err == nil {
			t.Errorf("%s: %v", text, o)
		}
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ is, wanted, change, after string }{
		{`{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"b":3}`, `{"a":1,"b":3}`},
		{`{"a":1,"b":2}`, `{"b":2}`, `{"a":null}`, `{"b":2}`},
		{`{"a":1}`, `{"a":1,"b":{"c":1}}`, `{"b":{"c":1}}`, `{"a":1,"b":{"c":1}}`},
		{`{"a":[],"b":""}`, `{}`, `{}`, `{"a":[],"b":""}`},
		{`{"a":false}`, `{}`, `{"a":null}`, `{}`},
		{`{"a":[1,2]}`, `{"a":[2]}`, `{"a":[2]}`, `{"a":[2]}`},
		{`{"a":[{"x":1,"y":2}]}`, `{"a":[{"x":1}]}`, `{"a":[{"x":1}]}`, `{"a":[{"x":1}]}`},
		{`{"a":{"x":1,"y":2,"z":3}}`, `{"a":{"x":1,"y":4}}`, `{"a":{"y":4,"z":null}}`, `{"a":{"x":1,"y":4}}`},
		{`{"a":{"x":{"y":1}}}`, `{"a":{"x":{}}}`, `{"a":{"x":{"y":null}}}`, `{"a":{"x":{}}}`},
		{`{"a":{"x":1}}`, `{"a":"x"}`, `{"a":"x"}`, `{"a":"x"}`},
		{`{"operator":{"resync":"10m"}}`, `{"operator":{"resync":"600s"}}`, `{}`, `{"operator":{"resync":"10m"}}`},
		{`{"a":1}`, `{"a":null}`, `{"a":null}`, `{}`},
	} {
		is := object(t, c.is)
		change := manifest.Difference(is, object(t, c.wanted))
		if got := string(change.JSON()); got != c.change {
			t.Errorf("from %s to %s: %s, not %s", c.is, c.wanted, got, c.change)
		}
		if got := string(manifest.Patch(is, change).JSON()); got != c.after {
			t.Errorf("%s with %s: %s, not %s", c.is, change.JSON(), got, c.after)
		}
	}
}
