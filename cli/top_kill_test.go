//go:build !windows

package cli_test

import (
	"context"
	"os/exec"
	"sync"
	"testing"
	"time"

	"kayra/cli"
	copied "kayra/tui/fleet"
)

// follow has a connection feed a copy, until the end of the test, and waits until the copy is as it must be each time.
func follow(t *testing.T, env []string) (sees func(what string, is func(*copied.Fleet) bool)) {
	t.Helper()
	at, err := cli.Connection(env)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	out := make(chan []copied.Update)
	var all sync.WaitGroup
	all.Go(func() { _ = at.Follow(ctx, out, nil) })
	t.Cleanup(func() {
		stop()
		all.Wait()
	})
	var f copied.Fleet
	return func(what string, is func(*copied.Fleet) bool) {
		t.Helper()
		bound := time.After(patience)
		for !is(&f) {
			select {
			case batch := <-out:
				f.Apply(batch...)
			case <-bound:
				t.Fatalf("waited in vain: %s", what)
			}
		}
	}
}

// Of a reconciler that is killed, what it said counts no more, though the server lists it for a while; how its APIs are doing
// stays what the server says.
func TestTopOutlastsAReconciler(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server)
	cmd := exec.Command("kayra", "reconciler") //nolint:noctx // is killed below
	cmd.Dir, cmd.Env = w.dir, w.env
	log := &told{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	w.prepare(t, usual)
	sees := follow(t, append(w.env, "KAYRA_CLIENT_TOKEN=root-token"))
	healthy := func(f *copied.Fleet) *copied.API {
		if a := f.API("compute.example.com"); a != nil && a.State == "healthy" && a.Counts.Synced == 3 {
			return a
		}
		return nil
	}
	sees("its workers", func(f *copied.Fleet) bool {
		a := healthy(f)
		return a != nil && a.Known() && a.Workers == 30
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	sees("its workers are gone", func(f *copied.Fleet) bool {
		a := healthy(f)
		return a != nil && a.Workers == 0 && a.Told == 0
	})
}
