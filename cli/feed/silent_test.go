package feed_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kayra/cli/feed"
	"kayra/server/client"
	"kayra/tui/fleet"
)

// hung is a server that keeps its streams open and answers nothing while it hangs, as one that is stopped does.
type hung struct {
	scripted

	hangs atomic.Bool
}

func (h *hung) Do(ctx context.Context, method, path string, body []byte) (client.Answer, error) {
	if path == "/katalog" && h.hangs.Load() {
		<-ctx.Done()
		return client.Answer{}, context.Cause(ctx)
	}
	return h.scripted.Do(ctx, method, path, body)
}

// A server that does not answer any more is told of within seconds, and its answers soon after it gives them again.
func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &hung{}
		f := feed.New(feed.Options{Server: server, Open: func(string) (feed.Asker, error) { return nil, errors.New("nobody is there") }, Explain: error.Error})
		out := make(chan []fleet.Update)
		runs(t, f, out)
		var copied fleet.Fleet
		pass := func(while time.Duration) fleet.Source {
			for over := time.After(while); ; {
				select {
				case batch := <-out:
					copied.Apply(batch...)
				case <-over:
					return copied.Source(fleet.Katalog)
				}
			}
		}
		if s := pass(3 * time.Second); s.Trouble != fleet.Fine || !s.Synced {
			t.Errorf("at first: %+v", s)
		}
		server.hangs.Store(true)
		if s := pass(8 * time.Second); s.Trouble != fleet.Offline || s.Problem == "" || s.Retry.IsZero() {
			t.Errorf("hangs: %+v", s)
		}
		pass(5 * time.Minute)
		server.hangs.Store(false)
		if s := pass(8 * time.Second); s.Trouble != fleet.Fine {
			t.Errorf("answers again: %+v", s)
		}
	})
}
