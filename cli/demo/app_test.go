package demo_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kayra/cli/demo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheSampleAppIsReachedThroughItsGateway(t *testing.T) {
	t.Parallel()
	url, stop := serve(t, "")
	defer stop()
	const namespace = "/apis/compute.example.com/v1/namespaces/sre"
	for _, c := range []struct {
		method, path, body, want string
		status                   int
	}{
		{"GET", "/apis/compute.example.com/-/openapi.json", "", `"openapi":"3.1.0"`, 200},
		{"GET", namespace + "/sync/s1", "", "no such sync", 404},
		{"POST", namespace + "/sync", `{}`, "a sync_id is needed", 400},
		{"POST", namespace + "/sync", `{"sync_id":"s1"}`, `"s1"`, 202},
		{"GET", namespace + "/sync/s1", "", `"done"`, 200},
		{"GET", namespace + "/machines", "", `"sre-1"`, 200},
		{"POST", namespace + "/machines", `{"name":"m"}`, `{"name":"m","size":"small"}`, 201},
		{"POST", namespace + "/machines", `{"name":"m"}`, "exists already", 409},
		{"POST", namespace + "/machines", `{}`, "a machine has a name", 400},
		{"PUT", namespace + "/machines/m", `{"size":"large"}`, `{"name":"m","size":"large"}`, 200},
		{"PUT", namespace + "/machines/m", `{"name":"n"}`, "keeps its name", 400},
		{"PUT", namespace + "/machines/n", `{}`, `there is no machine \"n\"`, 404},
		{"GET", namespace + "/machines/m", "", `"large"`, 200},
		{"DELETE", namespace + "/machines/m", "", "", 204},
		{"DELETE", namespace + "/machines/m", "", "no machine", 404},
		{"GET", namespace + "/machines/m", "", "no machine", 404},
		{"GET", "/apis/other.example.com/v1/machines", "", "not found", 404},
	} {
		status, body := ask(t, c.method, url+c.path, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %q, want %d and %q", c.method, c.path, status, body, c.status, c.want)
		}
	}
}

func ask(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // only read from
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// The machines that were made are there when the app is started again.
func TestMachinesAreKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "machines.json")
	const machine = "/apis/compute.example.com/v1/namespaces/sre/machines"
	url, stop := serve(t, file)
	ask(t, "POST", url+machine, `{"name":"kept"}`)
	ask(t, "DELETE", url+machine+"/sre-1", "")
	stop()
	url, stop = serve(t, file)
	defer stop()
	status, body := ask(t, "GET", url+machine, "")
	if want := `{"items":[{"name":"kept","size":"small"},{"name":"sre-2","size":"large"}]}`; status != 200 || strings.TrimSpace(body) != want {
		t.Errorf("%d %s, want %s", status, body, want)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := demo.ServeApp(t.Context(), demo.AppOptions{Listen: "127.0.0.1:0", File: file}, func(string) error { return nil })
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// serve runs the app until stop is called.
func serve(t *testing.T, file string) (url string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	urls, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- demo.ServeApp(ctx, demo.AppOptions{Listen: "127.0.0.1:0", Work: time.Nanosecond, File: file}, func(url string) error {
			urls <- url
			return nil
		})
	}()
	return <-urls, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
}
