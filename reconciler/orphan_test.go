package reconciler_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/local"
)

// refusing is a store that fails some transactions a few times.
type refusing struct {
	store.Store

	which func(txn store.Txn) bool
	then  func() // not nil: the first is carried out, this is done, and the answer is lost

	mu    sync.Mutex
	times int
}

// Txn fails as it is told.
func (f *refusing) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	left := 0
	if f.which(txn) {
		left = f.take()
	}
	if left > 0 && f.then != nil {
		if res, err := f.Store.Txn(ctx, txn); err == nil && res.OK {
			f.then()
		}
	}
	if left > 0 {
		return store.Result{}, fmt.Errorf("%d more times: %w", left, store.ErrUnavailable)
	}
	return f.Store.Txn(ctx, txn)
}

func (f *refusing) take() (left int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	left = f.times
	f.times--
	return left
}

func isLock(op store.Op) bool {
	return strings.HasPrefix(op.Key, scope().Prefix()+"locks/subscriptions/")
}

// unlocks tells whether all that the transaction does is to give up the lock of a subscription.
func unlocks(txn store.Txn) bool {
	return len(txn.Then) == 1 && txn.Then[0].Kind == store.OpDelete && isLock(txn.Then[0])
}

// claims tells whether the transaction takes the lock of a subscription.
func claims(txn store.Txn) bool {
	return len(txn.Then) > 0 && txn.Then[0].Kind == store.OpPut && isLock(txn.Then[0])
}

// A lock that the store would not take back stays in nobody's way.
func TestLockIsGivenUpLater(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.options = func(o *reconciler.Options) { o.Store = &refusing{Store: o.Store, which: unlocks, times: 2} }
		w.start()
		calls := w.hold(of("sre"))
		w.register(compute, "sre")
		run := w.next(calls)
		must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
		w.wantGone(run)
		w.subscribe(compute, "sre")
		w.next(calls).answer(http.StatusOK)
		w.synced("sre")
		w.settle()
		w.wantNoLocks()
	})
}

// Nor does one that is left of a claim without an answer, when the subscription that it was for is gone or another.
func TestLockOfAClaimThatWentUnanswered(t *testing.T) {
	t.Parallel()
	for name, times := range map[string]int{"once": 1, "again and again": 5} {
		for _, replaced := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, replaced %t", name, replaced), func(t *testing.T) {
				t.Parallel()
				onFleets(t, extremes(), func(w *world) { w.replaceDuringTheClaim(times, replaced) })
			})
		}
	}
}

func (w *world) replaceDuringTheClaim(times int, replaced bool) {
	t := w.t
	t.Helper()
	gone := make(chan struct{})
	once := sync.OnceFunc(func() {
		defer close(gone)
		err := w.Unsubscribe(t.Context(), "sre", compute, nil)
		if err == nil && replaced {
			_, err = w.Subscribe(t.Context(), "sre", compute)
		}
		if err != nil {
			t.Error(err)
		}
	})
	w.options = func(o *reconciler.Options) {
		o.Store = &refusing{Store: o.Store, which: claims, then: once, times: times}
	}
	w.start()
	w.register(compute, "sre")
	<-gone
	if replaced {
		w.synced("sre")
	}
	w.eventually("the lock is given up", func() bool {
		l, err := w.store.List(t.Context(), scope().Prefix()+"locks/", store.ListOptions{})
		must(t, err)
		return len(l.Entries) == 0
	})
	w.settle()
	w.wantNoLocks()
}

// panicking is a pipeline that panics for one tenant.
type panicking struct{ reconciler.Pipeline }

// Run panics, or does what it is to do.
func (p panicking) Run(ctx context.Context, mode string, in pipeline.Input) error {
	if in.Subscription.Namespace == "broken" {
		panic("a bug")
	}
	return p.Pipeline.Run(ctx, mode, in)
}

// A panic is a failure of the run, and of nothing else.
func TestPanicIsAFailure(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.options = func(o *reconciler.Options) { o.Pipeline = panicking{o.Pipeline} }
		w.start()
		w.register(compute, "apps", "broken")
		w.synced("apps")
		w.settle()
		got := w.sub("broken")
		if got.State != catalog.StateError || got.Reason != catalog.ReasonStepFailed || strings.Contains(got.Message, "a bug") {
			t.Errorf("after a panic it is %s, %s: %q", got.State, got.Reason, got.Message)
		}
		if n := strings.Count(w.log.String(), "an attempt panicked"); n != 2 {
			t.Errorf("%d panics, not 2", n)
		}
	})
}

// A reconciler whose file another process has taken for its own ends.
func TestReplacedOnLocal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	w := newWorldOn(t, fleet{backend: "local", processes: 1}, onLocal(local.Options{Path: path}))
	var opts reconciler.Options
	w.options = func(o *reconciler.Options) { opts = *o }
	w.startOne().stop()
	c, err := reconciler.New(reconciler.Options{
		Store: opts.Store, Locker: opts.Locker, Scope: opts.Scope, Pipeline: opts.Pipeline, Gateway: opts.Gateway,
		Identity: opts.Identity,
	})
	must(t, err)
	ended := make(chan error, 1)
	go func() { ended <- c.Run(t.Context()) }()
	w.eventually("it is ready", func() bool {
		status, _ := get(t, c.Handler(), "/-/readyz")
		return status == http.StatusOK
	})
	_, other := w.open(t)
	var session store.Session
	w.eventually("another has taken its place", func() bool {
		must(t, os.Remove(path+".lock"))
		if session, err = other.NewSession(t.Context()); err != nil && !isKind(err, store.ErrInUse) {
			t.Fatal(err)
		}
		return err == nil // otherwise the reconciler was faster, and has begun a new session
	})
	select {
	case err := <-ended:
		if !isKind(err, store.ErrInUse) {
			t.Errorf("Run ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("it goes on, though another has taken its place")
	}
	must(t, session.Close(t.Context()))
}
