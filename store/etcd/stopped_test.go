//go:build !windows

package etcd_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kayra/store"
	"kayra/store/etcd"
)

// What the process that TestSessionStopped starts is told by its environment.
const (
	childEndpoint = "KAYRA_TEST_ENDPOINT"
	childPrefix   = "KAYRA_TEST_PREFIX"
)

// TestChild is no test: it is what the process does that TestSessionStopped stops. It never stops looking at its session.
func TestChild(t *testing.T) { //nolint:paralleltest // it is alone in its process
	endpoint := os.Getenv(childEndpoint)
	if endpoint == "" {
		t.Skip("only for a process that another test starts")
	}
	s := open(t, etcd.Options{Endpoints: []string{endpoint}, Prefix: os.Getenv(childPrefix), LeaseTTL: time.Second})
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.PutSession("lock", nil, session.ID())}}); err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintln(os.Stdout, "\nholds")
	for before := time.Now(); ; before = time.Now() {
		<-time.After(time.Millisecond)
		stopped := time.Since(before)
		select {
		case <-session.Done():
			_, _ = fmt.Fprintln(os.Stdout, "\nlost")
			return
		default:
		}
		if stopped > time.Second {
			_, _ = fmt.Fprintln(os.Stdout, "\nstill believes to hold it after", stopped)
		}
	}
}

// TestSessionStopped stops a process for longer than its lease. It knows as soon as it runs again.
func TestSessionStopped(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	prefix := server.Prefix(t)
	s := open(t, etcd.Options{Endpoints: server.Endpoints(), Prefix: prefix})
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$", "-test.v")
	cmd.Env = append(os.Environ(), childEndpoint+"="+server.Endpoints()[0], childPrefix+"="+prefix)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "holds" {
		t.Log(lines.Text())
	}
	lock, err := s.Get(t.Context(), "lock")
	if err != nil {
		t.Fatal(err)
	}
	w := watch(t, s, "lock", lock.ModRevision+1)
	if err := cmd.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	longer := time.After(1500 * time.Millisecond) // than the lease
	if e := w.event(t); !e.Deleted {
		t.Fatalf("got %+v, want the deletion", e)
	}
	if _, err := s.Get(t.Context(), "lock"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	<-longer
	if err := cmd.Process.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() && lines.Text() != "lost" {
		if strings.Contains(lines.Text(), "still") {
			t.Error(lines.Text())
		}
	}
}
