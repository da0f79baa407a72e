package rollout_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
	"kayra/server/api"
	"kayra/store/catalog"
)

// watched is a goal that is followed in the background.
type watched struct {
	t     *testing.T
	told  []rollout.Progress
	ended chan struct{}
	last  rollout.Progress
	err   error
	stop  context.CancelFunc
}

// watch follows a goal. It belongs into a bubble of synctest, whose time passes by itself.
func watch(t *testing.T, e *rollout.Engine, g rollout.Goal) *watched {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	w := &watched{t: t, ended: make(chan struct{}), stop: stop}
	go func() {
		defer close(w.ended)
		w.last, w.err = e.Watch(ctx, g, func(p rollout.Progress) error {
			w.told = append(w.told, p)
			return nil
		})
	}()
	w.settle()
	return w
}

// settle lets enough time pass for all that has happened to be told.
func (w *watched) settle() {
	time.Sleep(time.Second) //nolint:forbidigo // the time of the bubble
	synctest.Wait()
}

func (w *watched) going(want string) {
	w.t.Helper()
	select {
	case <-w.ended:
		w.t.Fatalf("it has ended: %+v, %v", w.last, w.err)
	default:
	}
	if got := counts(w.told[len(w.told)-1]); got != want {
		w.t.Errorf("got %s, want %s", got, want)
	}
}

func (w *watched) end(v rollout.Verdict, want string) {
	w.t.Helper()
	select {
	case <-w.ended:
	default:
		w.t.Fatalf("it goes on: %s", counts(w.told[len(w.told)-1]))
	}
	if got := counts(w.last); w.err != nil || w.last.Verdict != v || got != want {
		w.t.Errorf("got %d %s, %v; want %d %s", w.last.Verdict, got, w.err, v, want)
	}
}

func counts(p rollout.Progress) string {
	return fmt.Sprintf("%s: %d/%d, %d failed, %d running, %d held", p.Target, p.There, p.Total, p.Failed, p.Running, p.Held)
}

// bubble runs a test in a bubble, with a server that has compute with three namespaces.
func bubble(t *testing.T, test func(b *bubbled)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e, f := engine("apps", "core", "sre")
		test(&bubbled{t, e, f})
	})
}

// bubbled is what there is in a bubble.
type bubbled struct {
	t *testing.T
	e *rollout.Engine
	f *rollouttest.Fake
}

func TestACanaryIsDoneWhenAllOfItIsThere(t *testing.T) {
	t.Parallel()
	bubble(t, func(b *bubbled) {
		t, e, f := b.t, b.e, b.f
		w := watch(t, e, begin(t, e, "sre", "core"))
		w.going("v2: 0/2, 0 failed, 0 running, 0 held")
		f.Set(compute, rollouttest.Going("sre", "v1", catalog.ReasonRunning, "attempt 1"))
		w.settle()
		w.going("v2: 0/2, 0 failed, 1 running, 0 held")
		f.Set(compute, rollouttest.Synced("sre", "v2"))
		w.settle()
		w.going("v2: 1/2, 0 failed, 0 running, 0 held")
		if p := w.told[len(w.told)-1]; len(p.Behind) != 1 || p.Behind[0].Namespace != "core" {
			t.Errorf("behind: %+v", p.Behind)
		}
		f.Set(compute, rollouttest.Synced("core", "v2"))
		w.settle()
		w.end(rollout.Reached, "v2: 2/2, 0 failed, 0 running, 0 held")
		if len(w.last.News) != 1 || w.last.News[0].Namespace != "core" {
			t.Errorf("news: %+v", w.last.News)
		}
	})
}

func TestWhatIsThereAlreadyIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	bubble(t, func(b *bubbled) {
		t, e := b.t, b.e
		began := time.Now()
		p, err := e.Watch(t.Context(), rollout.Everyone(compute), func(rollout.Progress) error { return nil })
		if took := time.Since(began); err != nil || p.Verdict != rollout.Reached || took > 200*time.Millisecond {
			t.Errorf("%+v, %v after %s", p, err, took)
		}
	})
}

// TestErrorsFromBefore is about errors that do not count: of another sync id, and of before the request.
func TestErrorsFromBefore(t *testing.T) {
	t.Parallel()
	bubble(t, func(b *bubbled) {
		t, e, f := b.t, b.e, b.f
		f.Set(compute, rollouttest.Failed("sre", "v0", "v1"), rollouttest.Failed("apps", "v0", "v1"))
		w := watch(t, e, begin(t, e, "sre"))
		w.going("v2: 0/1, 0 failed, 0 running, 0 held")
		f.Set(compute, rollouttest.Going("sre", "v0", catalog.ReasonBackoff, "retry 1 follows"))
		w.settle()
		w.going("v2: 0/1, 0 failed, 0 running, 0 held")
		later := func(r api.Row, seconds int) api.Row {
			r.UpdatedAt = r.UpdatedAt.Add(time.Duration(seconds) * time.Second)
			return r
		}
		f.Set(compute, later(rollouttest.Failed("sre", "v0", "v2"), 1))
		w.settle()
		w.end(rollout.Broken, "v2: 0/1, 1 failed, 0 running, 0 held")

		// A release has it tried again: what a stream tells of before does not count.
		p, err := load(t, e).Release()
		if err != nil {
			t.Fatal(err)
		}
		w = watch(t, e, apply(t, e, p))
		w.going("v2: 0/3, 0 failed, 0 running, 0 held")
		f.Set(compute, later(rollouttest.Failed("sre", "v0", "v2"), 2))
		w.settle()
		w.end(rollout.Broken, "v2: 0/3, 1 failed, 0 running, 0 held")
		if b := w.last.Behind[0]; b.Namespace != "sre" || b.Standing != rollout.Failed {
			t.Errorf("those in error come first: %+v", w.last.Behind)
		}
		// Who waits for what there is, without a request of its own, is told at once.
		w = watch(t, e, rollout.Everyone(compute))
		w.end(rollout.Broken, "v2: 0/3, 1 failed, 0 running, 0 held")
	})
}

// Whoever waits for an API right after having subscribed to it wants the first syncs to have succeeded.
func TestFirstSyncsAreWaitedForToo(t *testing.T) {
	t.Parallel()
	bubble(t, func(b *bubbled) {
		t, e, f := b.t, b.e, b.f
		for _, ns := range []string{"apps", "core", "sre"} {
			f.Set(compute, rollouttest.Idle(ns))
		}
		w := watch(t, e, rollout.Everyone(compute))
		w.going("v1: 0/3, 0 failed, 0 running, 0 held")
		for _, ns := range []string{"apps", "core"} {
			f.Set(compute, rollouttest.Synced(ns, "v1"))
		}
		w.settle()
		w.going("v1: 2/3, 0 failed, 0 running, 0 held")
		f.Set(compute, rollouttest.Synced("sre", "v1"))
		w.settle()
		w.end(rollout.Reached, "v1: 3/3, 0 failed, 0 running, 0 held")
	})
}

func TestAReleaseIsDoneWhenEveryoneActiveIsThere(t *testing.T) {
	t.Parallel()
	bubble(t, func(b *bubbled) {
		t, e, f := b.t, b.e, b.f
		f.Set(compute, rollouttest.Idle("late"))
		begin(t, e, "sre")
		f.Set(compute, rollouttest.Synced("sre", "v2"))
		everyone := watch(t, e, rollout.Everyone(compute))
		everyone.going("v2: 1/4, 0 failed, 0 running, 2 held")
		p, err := load(t, e).Release()
		if err != nil {
			t.Fatal(err)
		}
		w := watch(t, e, apply(t, e, p))
		w.going("v2: 1/3, 0 failed, 0 running, 0 held")
		if idle := w.told[len(w.told)-1].Idle; idle != 1 {
			t.Errorf("%d are not active", idle)
		}
		f.Set(compute, rollouttest.Synced("apps", "v2"))
		w.settle()
		f.Unsubscribe(compute, "core")
		w.settle()
		w.end(rollout.Reached, "v2: 2/2, 0 failed, 0 running, 0 held")
		everyone.going("v2: 2/3, 0 failed, 0 running, 0 held")
		f.Set(compute, rollouttest.Synced("late", "v2"))
		everyone.settle()
		everyone.end(rollout.Reached, "v2: 3/3, 0 failed, 0 running, 0 held")
	})
}

func TestAnAbortIsDoneWhenAllAreTakenBack(t *testing.T) {
	t.Parallel()
	bubble(t, func(b *bubbled) {
		t, e, f := b.t, b.e, b.f
		begin(t, e, "sre", "core")
		f.Set(compute, rollouttest.Synced("sre", "v2"), rollouttest.Failed("core", "v1", "v2"))
		p, err := load(t, e).Abort()
		if err != nil {
			t.Fatal(err)
		}
		w := watch(t, e, apply(t, e, p))
		w.going("v1: 0/2, 0 failed, 0 running, 0 held") // core is at v1, but was tried at v2 since
		f.Set(compute, rollouttest.Synced("sre", "v1"))
		w.settle()
		w.going("v1: 1/2, 0 failed, 0 running, 0 held")
		f.Set(compute, rollouttest.Synced("core", "v1"))
		w.settle()
		w.end(rollout.Reached, "v1: 2/2, 0 failed, 0 running, 0 held")
	})
}

func TestAnotherTargetMeanwhile(t *testing.T) {
	t.Parallel()
	bubble(t, func(b *bubbled) {
		t, e, f := b.t, b.e, b.f
		w := watch(t, e, begin(t, e, "sre"))
		everyone := watch(t, e, rollout.Everyone(compute))
		begin(t, e, "apps")
		w.settle()
		w.end(rollout.Superseded, "v2: 0/1, 0 failed, 0 running, 1 held")
		everyone.going("v3: 0/3, 0 failed, 0 running, 2 held") // goes along
		f.Delete(compute)
		everyone.settle()
		if !errors.Is(everyone.err, catalog.ErrNotFound) {
			t.Errorf("deleted: %v", everyone.err)
		}
	})
}

func TestCanariesThatUnsubscribe(t *testing.T) {
	t.Parallel()
	bubble(t, func(b *bubbled) {
		t, e, f := b.t, b.e, b.f
		w := watch(t, e, begin(t, e, "sre"))
		f.Unsubscribe(compute, "sre")
		w.settle()
		w.end(rollout.Gone, "v2: 0/0, 0 failed, 0 running, 0 held")
	})
}

func TestAServerThatIsAwayIsWaitedFor(t *testing.T) {
	t.Parallel()
	bubble(t, func(b *bubbled) {
		t, e, f := b.t, b.e, b.f
		w := watch(t, e, begin(t, e, "sre"))
		f.Break(errors.New("server is unreachable"))
		w.settle()
		if p := w.told[len(w.told)-1]; p.Offline == nil || !strings.Contains(p.Offline.Error(), "unreachable") {
			t.Errorf("%+v", p)
		}
		f.Break(nil)
		w.settle()
		w.going("v2: 0/1, 0 failed, 0 running, 0 held")
		if p := w.told[len(w.told)-1]; p.Offline != nil {
			t.Errorf("it is there again, and that is not told: %v", p.Offline)
		}
		w.stop()
		synctest.Wait()
		if !errors.Is(w.err, context.Canceled) || w.last.Total != 1 {
			t.Errorf("stopped: %+v, %v", w.last, w.err)
		}
	})
}

// behindClient is a client whose stream has not heard yet of what was asked for.
type behindClient struct {
	*rollouttest.Fake

	stale chan struct{} // closed when the stream catches up
	rows  []api.Row
}

func (c *behindClient) Follow(ctx context.Context, path string, l rollout.Listener) error {
	for _, r := range c.rows {
		if err := l.Row([]byte(fmt.Sprintf(`{"namespace":%q,"active":true,"current_sync_id":%q,"synced":true,"reason":"synced"}`, r.Namespace, r.CurrentSyncID)), false); err != nil {
			return err
		}
	}
	l.Synced()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.stale:
	}
	l.Reset()
	return c.Fake.Follow(ctx, path, l)
}

func TestAStreamThatIsBehindDecidesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := rollouttest.NewFake()
		f.Register(compute, "apps", "sre")
		c := &behindClient{Fake: f, stale: make(chan struct{}), rows: []api.Row{rollouttest.Synced("apps", "v1"), rollouttest.Synced("sre", "v1")}}
		e := rollout.New(c, rollouttest.Group)
		f.Set(compute, rollouttest.Going("sre", "", catalog.ReasonQueued, "waiting for a reconciler")) // a re-sync was forced
		w := watch(t, e, rollout.Everyone(compute))
		w.going("v1: 1/2, 0 failed, 0 running, 0 held")
		close(c.stale)
		f.Set(compute, rollouttest.Synced("sre", "v1"))
		w.settle()
		w.end(rollout.Reached, "v1: 2/2, 0 failed, 0 running, 0 held")
	})
}
