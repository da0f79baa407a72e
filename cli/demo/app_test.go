package demo_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kayra/cli/demo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheSampleAppIsReachedThroughItsGateway(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	urls, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- demo.ServeApp(ctx, demo.AppOptions{Listen: "127.0.0.1:0", Work: time.Nanosecond}, func(url string) error {
			urls <- url
			return nil
		})
	}()
	url := <-urls
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
		{"GET", "/apis/other.example.com/v1/machines", "", "not found", 404},
	} {
		status, body := ask(t, c.method, url+c.path, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %q, want %d and %q", c.method, c.path, status, body, c.status, c.want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
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
