package cli_test

import (
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"kayra/cli"
)

// A second signal insists, unless it is the echo of the first: timeout(1) signals a command and then its process group.
func TestSignals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		second  os.Signal
		after   time.Duration
		insists bool
	}{
		"an echo":               {syscall.SIGTERM, time.Millisecond, false},
		"the same again":        {syscall.SIGTERM, time.Second, true},
		"another one, at once":  {syscall.SIGINT, time.Millisecond, true},
		"another one, later on": {syscall.SIGINT, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				signals := make(chan os.Signal)
				asked, insisted, ended := false, false, make(chan struct{})
				go func() {
					defer close(ended)
					cli.Obey(signals, func() { asked = true }, func() { insisted = true })
				}()
				signals <- syscall.SIGTERM
				synctest.Wait()
				if !asked || insisted {
					t.Fatalf("after one signal: asked %v, insisted %v", asked, insisted)
				}
				<-time.After(c.after)
				signals <- c.second
				synctest.Wait()
				if insisted != c.insists {
					t.Errorf("insisted: %v", insisted)
				}
				if !insisted {
					<-time.After(time.Second)
					signals <- syscall.SIGTERM
				}
				<-ended
				if !insisted {
					t.Error("a signal that came long after the first did not insist")
				}
			})
		})
	}
}
