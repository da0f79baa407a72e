package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"

	"kayra/cli"
)

// A failure is one JSON object where JSON was asked for, in whichever way, and whatever else was wrong.
func TestFailuresInJSON(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "id-1")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"status":403,"detail":"not yours"}`)
	})
	for line, asks := range map[string]bool{
		"get catalog namespaces -o json":                  true,
		"get catalog namespaces -ojson":                   true,
		"get catalog namespaces -o=json":                  true,
		"get catalog namespaces --output json":            true,
		"get catalog namespaces --output=json":            true,
		"get catalog subscriptions -Aojson":               true,
		"get catalog subscriptions -Ao json":              true,
		"get catalog subscriptions -wAo=json":             true,
		"get -o json catalog":                             true,
		"get -o json --nonsense":                          true,
		"get --nonsense -o json":                          true,
		"get --nonsense -Aojson":                          true,
		"get --nonsense -Awo json":                        true,
		"nonsense -o json":                                true,
		"get catalog namespaces -o json --sort-by nosuch": true,
		"get catalog namespaces -o json --field-selector": true,
		"get catalog namespaces -o jsonpath={.x}":         false,
		"get catalog namespaces -ojsonpath=json":          false,
		"get catalog namespaces -o yaml":                  false,
		"get catalog namespaces -n ojson":                 false,
		"get catalog namespaces -o json -o yaml":          false,
		"get --nonsense -- -o json":                       false,
		"get --nonsense -o json -o yaml":                  false,
		"get --nonsense -nojson":                          false,
		"describe catalog namespaces x":                   false,
	} {
		got := run(t, append(at(s.URL), "KAYRA_CLIENT_TOKEN=t"), "", append([]string{"kayra"}, strings.Fields(line)...)...)
		var told struct {
			Code, Status    int
			Reason, Message string
			RequestID       string `json:"request_id"`
		}
		err := json.Unmarshal([]byte(got.err), &told)
		if is := err == nil && told.Code == got.code && told.Message != "" && strings.Count(got.err, "\n") == 1; is != asks || got.code == 0 || got.out != "" {
			t.Errorf("%s: got %d %q, and JSON was asked for: %v", line, got.code, got.err, asks)
		}
		if told.Status == http.StatusForbidden && told.RequestID != "id-1" {
			t.Errorf("%s: no request id in %q", line, got.err)
		}
	}
}

// A warning does not stand beside the object, but in it; without a failure it is told as usual.
func TestWarningsInJSON(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/x") {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"items":[]}`)
	})
	env := append(at(s.URL), "KAYRA_NO_SUCH_KEY=1")
	got := run(t, env, "", "kayra", "get", "catalog", "namespaces", "x", "-o", "json")
	var told struct{ Warnings []string }
	if err := json.Unmarshal([]byte(got.err), &told); err != nil || len(told.Warnings) != 1 || !strings.Contains(told.Warnings[0], "KAYRA_NO_SUCH_KEY") {
		t.Errorf("got %q (%v)", got.err, err)
	}
	for _, line := range []string{"get catalog namespaces -o json", "get catalog namespaces"} {
		if got := run(t, env, "", append([]string{"kayra"}, strings.Fields(line)...)...); got.code != 0 || !strings.HasPrefix(got.err, "warning: ") {
			t.Errorf("%s: got %d %q", line, got.code, got.err)
		}
	}
}

// Every command that has -o keeps to it, the new ones, too.
func TestEveryCommandFailsInJSON(t *testing.T) {
	t.Parallel()
	each(cli.Command(), func(cmd *cobra.Command) {
		if cmd.Flag("output") == nil {
			return
		}
		args := append(strings.Fields(cmd.CommandPath()), "-o", "json", "--no-such-flag")
		got := run(t, nil, "", args...)
		var told struct{ Code int }
		if err := json.Unmarshal([]byte(got.err), &told); err != nil || told.Code != 2 || got.code != 2 {
			t.Errorf("%v: got %d %q", args, got.code, got.err)
		}
	})
}

// What is in the way of a deletion is listed.
func TestWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"status":409,"detail":"namespace \"sre\" still subscribes to some"}`)
		case strings.HasSuffix(r.URL.Path, "/namespaces/sre/subscriptions"):
			var items []string
			for i := range 25 {
				items = append(items, fmt.Sprintf(`{"api":"a%d.b","namespace":"sre"}`, i))
			}
			_, _ = fmt.Fprintf(w, `{"items":[%s]}`, strings.Join(items, ","))
		default:
			http.NotFound(w, r)
		}
	})
	got := run(t, at(s.URL), "", "kayra", "delete", "catalog", "namespaces", "sre")
	if got.code != 5 || !strings.HasPrefix(got.err, "kayra: namespace \"sre\" cannot be deleted while these are there:\n  subscription a0.b of namespace sre\n") ||
		!strings.Contains(got.err, "a19.b") || strings.Contains(got.err, "a20.b") || !strings.Contains(got.err, "\n  and 5 more\nhint: ") {
		t.Errorf("got %d %s", got.code, got.err)
	}
	got = run(t, at(s.URL), "", "kayra", "delete", "catalog", "namespaces", "sre", "-o", "json")
	var told struct {
		Status    int
		BlockedBy []struct{ Resource, Namespace, Name string } `json:"blocked_by"`
	}
	if err := json.Unmarshal([]byte(got.err), &told); err != nil || told.Status != 409 || len(told.BlockedBy) != 25 || told.BlockedBy[24].Name != "a24.b" {
		t.Errorf("got %q (%v)", got.err, err)
	}
	other := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"status":409,"detail":"the reason"}`)
	})
	if got := run(t, at(other.URL), "", "kayra", "delete", "catalog", "namespaces", "sre"); got.code != 5 || got.err != "kayra: the reason\n" {
		t.Errorf("where it cannot be known: got %d %q", got.code, got.err)
	}
}

func TestDryRuns(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("sent %s %s", r.Method, r.URL)
		}
		http.NotFound(w, r)
	})
	url := s.URL + "/apis/catalog.example.com/v1/namespaces"
	for line, want := range map[string]result{
		`create catalog namespaces -d {"name":"a"} --dry-run=client`:                                    {0, "POST " + url + "\n{\n  \"name\": \"a\"\n}\n", ""},
		`create catalog namespaces -d {"name":"a"} --dry-run client -o jsonpath={.method}/{.body.name}`: {0, "POST/a", ""},
		`update catalog namespaces a/b -d {} --dry-run=client -o yaml`:                                  {0, "method: PUT\nurl: " + url + "/a/b\nbody: {}\n", ""},
		`delete catalog namespaces a --dry-run=client`:                                                  {0, "DELETE " + url + "/a\n", ""},
		`create catalog namespaces -d {"nam":"a"} --dry-run=client`:                                     {2, "", `the body has the key "nam", and namespaces have none of that name`},
		`create catalog namespaces -d {"name":5} --dry-run=client`:                                      {2, "", "name in the body cannot be a number"},
		`create catalog namespaces -d [] --dry-run=client`:                                              {2, "", "the body has to be an object"},
		`create catalog namespaces -d {"name":"a"} --dry-run=server`:                                    {2, "", "and not of namespaces"},
		`update catalog namespaces a/sync -d {} --dry-run=server`:                                       {2, "", "the server cannot look at sync without doing it"},
		`delete catalog namespaces a --dry-run=server`:                                                  {2, "", "--dry-run=client shows"},
		`delete catalog namespaces a --dry-run=maybe`:                                                   {2, "", "use client, server or none"},
	} {
		got := run(t, at(s.URL), "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.code != want.code || got.out != want.out || !strings.Contains(got.err, want.err) || (want.err == "") != (got.err == "") {
			t.Errorf("%s: got %d %q %q, want %+v", line, got.code, got.out, got.err, want)
		}
	}
}

func TestColourWhenAsked(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items":[{"api":"a.b","namespace":"error","state":"error"}]}`)
	})
	for when, want := range map[string]int{"always": 1, "never": 0, "auto": 0} {
		got := run(t, at(s.URL), "", "kayra", "get", "catalog", "subscriptions", "--color", when)
		if got.code != 0 || strings.Count(got.out, "\x1b[0m") != want {
			t.Errorf("%s: got %d %q", when, got.code, got.out)
		}
	}
}

// keeping is a server with a namespace that may be deleted.
type keeping struct {
	*httptest.Server

	deleted atomic.Bool
}

func kept(t *testing.T) *keeping {
	t.Helper()
	k := &keeping{}
	k.Server = answering(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodDelete:
			k.deleted.Store(true)
			w.WriteHeader(http.StatusNoContent)
		case strings.HasSuffix(r.URL.Path, "/apis/authorization.example.com/v1/rolebindings"):
			_, _ = io.WriteString(w, `{"items":[{"name":"a","namespace":"sre"},{"name":"x","namespace":""},{"name":"b","namespace":"sre"}]}`)
		default:
			http.NotFound(w, r)
		}
	})
	return k
}
