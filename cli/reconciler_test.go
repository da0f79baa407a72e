package cli_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kayra/store/catalog"
	"kayra/store/local"
)

// A reconciler that listens on all addresses is announced by one that others can use.
func TestEndpointOfAllAddresses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, config := filepath.Join(dir, "k.db"), filepath.Join(dir, "kayra.yaml")
	if err := os.WriteFile(config, []byte("platform: p\nregion: r\ndatabase: {local: {path: "+path+"}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := local.Open(t.Context(), local.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan result)
	go func() { ended <- runContext(ctx, nil, "", "kayra", "reconciler", "--config", config, "--listen", ":0") }()
	repo := catalog.NewRepository(s, catalog.Scope{Platform: "p", Region: "r"})
	var alive []catalog.Reconciler
	for len(alive) == 0 && err == nil {
		select {
		case r := <-ended:
			t.Fatalf("ended: %+v", r)
		case <-time.After(5 * time.Millisecond):
		}
		alive, err = repo.Reconcilers(t.Context())
	}
	stop()
	<-ended
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(alive[0].Endpoint)
	if err != nil || u.Scheme != "http" || u.Port() == "" || u.Hostname() == "" || net.ParseIP(u.Hostname()).IsUnspecified() {
		t.Errorf("endpoint %q, %v", alive[0].Endpoint, err)
	}
}
