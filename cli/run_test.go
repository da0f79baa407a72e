package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kayra/cli"
	"kayra/cli/term"
)

// result is what a command line has led to.
type result struct {
	code     int
	out, err string
}

// run runs a command line inside of the test. Pairs are NAME=VALUE of its environment.
func run(t *testing.T, pairs []string, in string, args ...string) result {
	t.Helper()
	return runContext(t.Context(), pairs, in, args...)
}

func runContext(ctx context.Context, pairs []string, in string, args ...string) result {
	var out, errs bytes.Buffer
	code := cli.Run(ctx, cli.Process{
		Args:    args,
		Environ: append([]string{"HOME=/nonexistent"}, pairs...),
		Streams: term.Streams{In: strings.NewReader(in), Out: &out, Err: &errs},
		Now:     time.Now,
	})
	return result{code, out.String(), errs.String()}
}

// at has a command line speak to the server.
func at(url string) []string { return []string{"KAYRA_CLIENT_SERVER=" + url} }

const groups = `{"apis":[
 {"name":"catalog.example.com","short_name":"catalog","builtin":true,"resources":[
  {"name":"namespaces","namespaced":false,"verbs":["get","watch"]},{"name":"subscriptions","namespaced":true,"verbs":["get"]},
  {"name":"apiregistrations","namespaced":false,"verbs":["get"]}]},
 {"name":"compute.example.com","short_name":"compute","builtin":false,"resources":[{"name":"machines/restart","namespaced":true,"verbs":["create"]}]},
 {"name":"young.example.com","short_name":"","builtin":false,"resources":[]}]}`

// answering is a server that knows the APIs, and answers everything else in one way.
func answering(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, groups) })
	mux.Handle("/", h)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{
		200: 0, 400: 1, 401: 3, 403: 3, 404: 4, 405: 1, 409: 5, 412: 5, 413: 1, 415: 1, 429: 1, 500: 1, 502: 6, 503: 6, 504: 6, 307: 1,
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = fmt.Fprintf(w, `{"type":"about:blank","title":"x","status":%d,"detail":"the reason"}`, status)
			})
			got := run(t, append(at(s.URL), "KAYRA_CLIENT_TOKEN=t"), "", "kayra", "get", "catalog", "namespaces", "sre", "-o", "json")
			if got.code != want {
				t.Fatalf("exit code %d, want %d; %s", got.code, want, got.err)
			}
			if want == 0 {
				return
			}
			var told struct {
				Code, Status    int
				Reason, Message string
			}
			if err := json.Unmarshal([]byte(got.err), &told); err != nil || told.Code != want || told.Status != status || told.Message != "the reason" {
				t.Errorf("told %q (%v)", got.err, err)
			}
			if got.out != "" {
				t.Errorf("a failure wrote data: %q", got.out)
			}
		})
	}
}

func TestASilentServerIsATimeout(t *testing.T) {
	t.Parallel()
	s := answering(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	got := run(t, at(s.URL), "", "kayra", "get", "catalog", "namespaces", "--timeout", "50ms")
	if got.code != 7 || !strings.Contains(got.err, "hint: --timeout") {
		t.Errorf("got %d %q, want exit code 7", got.code, got.err)
	}
}

func TestAnInterruptEndsARequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := answering(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	got := runContext(ctx, at(s.URL), "", "kayra", "get", "catalog", "namespaces")
	if got.code != 130 || got.err != "kayra: interrupted\n" {
		t.Errorf("got %d %q, want exit code 130", got.code, got.err)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"get":                                           "which group, and which resource?",
		"get catalog":                                   "which resource of catalog?",
		"get catalog namespaces a b":                    `"b" is one more`,
		"get catalog namespaces /status":                `"/status" is not a name`,
		"get catalog namespaces a/":                     `"a/" is not a name`,
		"get catalog namespaces ..":                     `".." is not a name`,
		"get catalog namespaces a/../b":                 `".." is not a name`,
		"get catalog -n .. subscriptions":               `".." is not a name`,
		"get catalog subscriptions -A -n sre":           "use either",
		"get catalog subscriptions x -A":                "-A means all",
		"get catalog namespaces --limit -1":             "--limit -1 is not allowed",
		"get catalog namespaces -o xml":                 `"xml" is not an output format: use table, wide, json, yaml, name, jsonpath=…`,
		"get catalog namespaces -o jsonpath={.name":     "the template cannot be read",
		"get catalog namespaces -o go-template={{.a":    "the template cannot be read",
		"get catalog namespaces -o go-template={{f}}":   `function "f" not defined`,
		"get catalog namespaces -o jsonpath":            "has no template",
		"get catalog namespaces -o jsonpath-file=/no/x": "/no/x",
		"get catalog namespaces -o custom-columns=A":    `"A" is not a column`,
		"get catalog namespaces --sort-by -":            `"-" is not a key`,
		"get catalog namespaces --sort-by {.a":          "read path",
		"get catalog namespaces --field-selector state": "write KEY=VALUE",
		"get catalog namespaces --field-selector =x":    `"" is not a key`,
		"get catalog namespaces --field-selector a..b=": `"a..b" is not a key`,
		"get catalog namespaces x --sort-by name":       "are about lists",
		"get catalog namespaces x --field-selector a=b": "are about lists",
		"get catalog namespaces -w --limit 3":           "use either",
		"get catalog namespaces x/openapi.json -w":      "cannot be watched",
		"get catalog namespaces --color sometimes":      "use auto, always or never",
		"get catalog namespaces --token secret":         "unknown flag: --token",
		"gte catalog namespaces":                        `"gte" is not a command of kayra`,
		"apis catalog":                                  "apis takes no arguments",
		"config veiw":                                   `"veiw" is not a command of kayra config`,
		"create catalog namespaces":                     "the body of the request is missing",
		"create catalog namespaces sre -d {}":           "stands in its body",
		"create catalog namespaces -d {} -f x":          "use either",
		"create catalog namespaces -d":                  "needs an argument",
		"create catalog namespaces -d @/no/such":        "/no/such",
		"create catalog namespaces -f /no/such":         "/no/such",
		`create catalog namespaces -d {"a":1,}`:         "-d is not JSON: line 1, column 8:",
		"create catalog namespaces -d {\"a\":\n\"é\"x}": "-d is not JSON: line 2, column 4:",
		`create catalog namespaces -d {}{}`:             "-d is not JSON: line 1, column 3:",
		"create catalog namespaces -f -":                "-f - is empty",
		`create catalog namespaces -d {"a":`:            `-d is not JSON: line 1, column 6: unexpected end of JSON input`,
		`create catalog namespaces -d {"b":`:            `it is JSON up to here: {"b":;`,
		"gett catalog namespaces":                       "did you mean get?",
		"reconcile":                                     "did you mean reconciler?",
		"config vieuw":                                  "did you mean view?",
		"help nosuch":                                   `"nosuch" is not a command of kayra`,
		"help context nosuch":                           `"nosuch" is not a command of kayra context`,
		"help get nosuch":                               `"nosuch" is not a command of kayra get`,
		"help gte":                                      "did you mean get?",
		"patch":                                         "patch is not a command: use update",
		"describe catalog namespaces":                   "which of the namespaces is there to describe?",
		"describe catalog namespaces x/y":               `"x/y" is no thing`,
		"list catalog namespaces":                       "list is not a command: use get",
		"update catalog namespaces -d {}":               "which of the namespaces is there to change?",
		"delete catalog namespaces":                     "which of the namespaces is there to delete?",
		"serve --startup-timeout soon":                  "invalid argument",
		"get catalog namespaces --timeout soon":         "--timeout",
		"get catalog namespaces --server localhost":     "--server",
		"get catalog namespaces --config /no/such":      "/no/such",
		"get catalog namespaces --token-file /no/such":  "/no/such",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			got := run(t, nil, "", append([]string{"kayra"}, strings.Split(line, " ")...)...)
			if got.code != 2 || !strings.Contains(got.err, want) || got.out != "" {
				t.Fatalf("got %d %q %q, want exit code 2 and %q", got.code, got.out, got.err, want)
			}
			if !strings.HasPrefix(got.err, "kayra: ") {
				t.Errorf("not a line of kayra: %q", got.err)
			}
		})
	}
}

func TestMisuseNamesTheHelp(t *testing.T) {
	t.Parallel()
	s := answering(t, http.NotFound)
	for _, line := range []string{"get", "get catalog", "get catalog x --nonsense", "get catalog subscriptions x", "get catalog -n a namespaces"} {
		got := run(t, at(s.URL), "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.code != 2 || !strings.Contains(got.err, "see `kayra get --help`") {
			t.Errorf("%s: got %d %q", line, got.code, got.err)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := answering(t, http.NotFound)
	for line, want := range map[string]string{
		"get catalgo namespaces":          "did you mean catalog?",
		"get catalog namespcaes":          "did you mean namespaces?",
		"get catalog machines":            "it has apiregistrations, namespaces, subscriptions",
		"get young.example.com machines":  "its OpenAPI document has not been fetched",
		"get catalog namespaces x/\x1b[m": "",
	} {
		got := run(t, at(s.URL), "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.code != 4 || !strings.Contains(got.err, want) || strings.Contains(got.err, "\x1b") {
			t.Errorf("%s: got %d %q, want %q", line, got.code, got.err, want)
		}
	}
}

func TestFlagsAnywhere(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(w, `{"name":%q}`, r.URL.Path) })
	for _, line := range []string{
		"get catalog -n core subscriptions x -o json", "get -n core catalog subscriptions -o json x", "-n core get catalog subscriptions x -o=json",
		"get catalog subscriptions x --namespace=core -ojson", "get catalog.example.com subscriptions x --output json --namespace core",
	} {
		got := run(t, at(s.URL), "", append([]string{"kayra-cli"}, strings.Fields(line)...)...)
		if got.code != 0 || !strings.Contains(got.out, `"/apis/catalog.example.com/v1/namespaces/core/subscriptions/x"`) {
			t.Errorf("%s: got %d %q %q", line, got.code, got.out, got.err)
		}
	}
}

func TestAllPagesAreRead(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		next := map[string]string{"": "a", "a": "b", "b": ""}[r.URL.Query().Get("continue")]
		_, _ = fmt.Fprintf(w, `{"items":[{"z":1.10,"name":"<%s>"}],"continue":%q,"limit":%q}`, r.URL.Query().Get("continue"), next, r.URL.Query().Get("limit"))
	})
	got := run(t, at(s.URL), "", "kayra", "get", "catalog", "namespaces", "-o", "json")
	want := "{\n  \"items\": [\n    {\n      \"z\": 1.10,\n      \"name\": \"<>\"\n    },\n    {\n      \"z\": 1.10,\n      \"name\": \"<a>\"\n    },\n" +
		"    {\n      \"z\": 1.10,\n      \"name\": \"<b>\"\n    }\n  ]\n}\n"
	if got.code != 0 || got.out != want {
		t.Errorf("got %d %s, want %s", got.code, got.out, want)
	}
	got = run(t, at(s.URL), "", "kayra", "get", "catalog", "namespaces", "-o", "name", "--limit", "2")
	if got.out != "namespaces/<>\nnamespaces/<a>\n" {
		t.Errorf("with a limit of 2: %q", got.out)
	}
}

func TestAServerThatRepeatsItselfIsAFailure(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items":[{}],"continue":"again"}`)
	})
	if got := run(t, at(s.URL), "", "kayra", "get", "catalog", "namespaces"); got.code != 1 || !strings.Contains(got.err, "again and again") {
		t.Errorf("got %d %q", got.code, got.err)
	}
}

func TestAnAnswerThatIsNotJSON(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>\x1b[2J") })
	got := run(t, at(s.URL), "", "kayra", "get", "catalog", "namespaces", "x")
	if got.code != 1 || !strings.Contains(got.err, "is not JSON") || strings.Contains(got.err, "\x1b") {
		t.Errorf("got %d %q", got.code, got.err)
	}
}

func TestTheTokenIsSentAndNeverShown(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, `{"status":403,"detail":"%d"}`, len(r.Header.Get("Authorization")))
	})
	for want, args := range map[string][]string{
		strconv.Itoa(len("Bearer from-env")):   nil,
		strconv.Itoa(len("Bearer from-file")):  {"--token-file", file},
		strconv.Itoa(len("Bearer from-stdin")): {"--token-file", "-"},
	} {
		env := append(at(s.URL), "KAYRA_CLIENT_TOKEN=from-env")
		got := run(t, env, "from-stdin\n", append([]string{"kayra", "get", "catalog", "namespaces"}, args...)...)
		if got.code != 3 || got.err != "kayra: "+want+"\n" {
			t.Errorf("%v: got %d %q, want %s", args, got.code, got.err, want)
		}
	}
}

func TestMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		more := map[string]string{"1": "a", "2": ""}[r.URL.Query().Get("limit")]
		_, _ = fmt.Fprintf(w, `{"items":[{"name":"x"}],"continue":%q}`, more)
	})
	for limit, want := range map[string]string{"1": "there are more than 1; --limit 0 lists all\n", "2": ""} {
		got := run(t, at(s.URL), "", "kayra", "get", "catalog", "namespaces", "--limit", limit)
		if got.code != 0 || got.err != want {
			t.Errorf("--limit %s: got %d %q, want %q", limit, got.code, got.err, want)
		}
	}
}

// TestNames: what -o name gives can be asked for again.
func TestNames(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"openapi":"3.1.0"}`) })
	for line, want := range map[string]string{
		"get catalog namespaces a/openapi.json -o name": "namespaces/a/openapi.json\n",
		"version -o name": "version/",
	} {
		got := run(t, at(s.URL), "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.code != 0 || !strings.HasPrefix(got.out, want) || strings.HasSuffix(got.out, "/\n") {
			t.Errorf("%s: got %d %q, want %q", line, got.code, got.out, want)
		}
	}
}

// TestHelp also holds that help opens nothing: the configuration that it is given is not there.
func TestHelp(t *testing.T) {
	t.Parallel()
	each(cli.Command(), func(cmd *cobra.Command) {
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			t.Parallel()
			if cmd.Short == "" || !strings.Contains(cmd.Example, cmd.Root().Name()+" ") {
				t.Errorf("no summary, or no example: %q %q", cmd.Short, cmd.Example)
			}
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				if f.Usage == "" {
					t.Errorf("--%s is not explained", f.Name)
				}
			})
			args := append(strings.Fields(cmd.CommandPath()), "--help")
			got := run(t, []string{"KAYRA_CONFIG=/no/such/file"}, "", args...)
			if got.code != 0 || got.err != "" || !strings.Contains(got.out, "Examples:\n") {
				t.Errorf("%v: got %d %q %q", args, got.code, got.out, got.err)
			}
			for line := range strings.Lines(got.out) {
				if example := strings.HasPrefix(line, "  "+cmd.Root().Name()) || strings.HasPrefix(line, "  KAYRA_"); !example && term.Width(strings.TrimSuffix(line, "\n")) > 80 {
					t.Errorf("wider than 80 cells: %q", line)
				}
			}
		})
	})
}

func each(cmd *cobra.Command, fn func(*cobra.Command)) {
	fn(cmd)
	for _, sub := range cmd.Commands() {
		each(sub, fn)
	}
}

// TestNoColourInAPipe: what is not a terminal, as here, gets no escape.
func TestNoColourInAPipe(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items":[{"api":"a.b","namespace":"sre","state":"error","message":"\u001b[31mred\u009b2J"}]}`)
	})
	for _, format := range []string{"table", "wide", "json", "yaml", "name"} {
		got := run(t, at(s.URL), "", "kayra", "get", "catalog", "subscriptions", "-o", format)
		if got.code != 0 || strings.ContainsAny(got.out, "\x1b\u009b") {
			t.Errorf("%s: got %d %q", format, got.code, got.out)
		}
	}
}
