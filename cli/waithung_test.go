package cli_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A server that takes requests and does not answer keeps a wait no longer than it was told to wait.
func TestAWaitAtAServerThatHangs(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(s.Close)
	for _, line := range []string{
		"wait catalog namespaces sre --for=delete",
		"wait catalog apiregistrations compute.example.com --for=synced",
		"wait catalog -n sre subscriptions --all --for=synced",
		"rollout status compute.example.com --wait",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			got := run(t, at(s.URL), "", append(append([]string{"kayra"}, strings.Fields(line)...), "--timeout", "100ms")...)
			if took := time.Since(began); got.code != 7 || !strings.Contains(got.err, "timed out after 100ms") || took > 20*time.Second {
				t.Errorf("got %d after %s: %s", got.code, took, got.err)
			}
		})
	}
}
