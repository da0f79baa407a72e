package local

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	// maxShared is how many transactions share one sync of the disk at most.
	maxShared = 64
	// lockPatience is how long other processes may keep the file's write lock from this one.
	lockPatience = 10 * time.Second
	// lockRetry is the longest pause before the write lock is tried again. SQLite's own pauses grow to 100 ms, and a
	// process that writes all the time leaves gaps of a few microseconds only, so that others would wait for seconds.
	lockRetry = time.Millisecond
)

// job is a piece of work inside of a transaction of the file, which it shares with others.
type job struct {
	run  func(context.Context, *tx) error
	gone <-chan struct{} // closed once nobody waits for it any more
	err  error
	done chan error
}

// writer does all the writing of this process.
type writer struct {
	tx        *tx
	jobs      chan *job
	committed chan struct{} // holds one element if something was written that the poller has yet to see
	closed    chan struct{}
}

func newWriter(ctx context.Context, path string, limits logLimits) (*writer, error) {
	t, err := newTx(ctx, path, limits)
	if err != nil {
		return nil, fmt.Errorf("open for writing: %w", err)
	}
	return &writer{tx: t, jobs: make(chan *job), committed: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

func (w *writer) close() error { return w.tx.conn.close() }

// do carries out run inside of a transaction, and returns when what it wrote is on the disk. If ctx ends first, it
// may or may not be carried out.
func (w *writer) do(ctx context.Context, run func(context.Context, *tx) error) error {
	j := &job{run: run, gone: ctx.Done(), done: make(chan error, 1)}
	select {
	case w.jobs <- j:
	case <-ctx.Done():
		return fmt.Errorf("wait for transaction: %w", ctx.Err())
	case <-w.closed:
		return errClosed
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("wait for transaction: %w", ctx.Err())
	}
}

func (w *writer) run(ctx context.Context) {
	defer close(w.closed)
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-w.jobs:
			w.share(ctx, j)
		}
	}
}

// share carries out the job and those that come in meanwhile in one transaction.
func (w *writer) share(ctx context.Context, first *job) {
	if err := w.begin(ctx); err != nil {
		first.done <- err
		return
	}
	// A transaction that has begun is not given up half way, whoever waits for it.
	ctx = context.WithoutCancel(ctx)
	jobs, wrote, err := w.work(ctx, first)
	if err == nil {
		err = w.tx.commit(ctx)
	} else {
		w.tx.rollback(ctx)
	}
	for _, j := range jobs {
		if err != nil {
			j.err = err
		}
		j.done <- j.err
	}
	if wrote && err == nil {
		select {
		case w.committed <- struct{}{}:
		default:
		}
	}
}

// begin takes the file's write lock.
func (w *writer) begin(ctx context.Context) error {
	deadline := time.Now().Add(lockPatience)
	for {
		err := w.tx.begin(context.WithoutCancel(ctx))
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return errClosed
		case <-time.After(rand.N(lockRetry)):
		}
	}
}

// work carries out jobs for as long as there are any. A job that fails before it wrote is refused by itself; one that
// fails later fails all, since its writes cannot be told from the others'.
func (w *writer) work(ctx context.Context, next *job) (jobs []*job, wrote bool, err error) {
	before := w.tx.revision
	for next != nil {
		jobs = append(jobs, next)
		select {
		case <-next.gone:
			next.err = context.Canceled
		default:
			w.tx.dirty = false
			next.err = next.run(ctx, w.tx)
		}
		if next.err != nil && w.tx.dirty {
			return jobs, false, next.err
		}
		if next = nil; len(jobs) < maxShared {
			select {
			case next = <-w.jobs:
			default:
			}
		}
	}
	return jobs, w.tx.revision > before, nil
}
