// Package local keeps a store in one SQLite file that any number of processes of one machine open at once.
//
// Every process writes through one connection of its own, in transactions that begin by taking the file's write lock
// and end on the disk (synchronous=FULL); transactions that come in while one is being synced share the next sync.
// Every revision is also appended to a log inside the file. A watch reads from that log whatever is new, told by this
// process's own writes, and by a poller that sees those of other processes. The log is trimmed by its length, so a
// watch that starts too far back ends with store.ErrCompacted.
//
// One process at a time holds the session. It proves to be alive by an advisory lock on a file beside the store, which
// the system releases when the process dies, however that comes about; whoever has the store open then removes what
// the dead session left. The file has to be on a disk of the machine: neither this lock nor SQLite's work on NFS.
package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"modernc.org/sqlite"

	"kayra/store"
)

// Options say where the store is and how it behaves. Only Path is required.
type Options struct {
	Path         string        // the file; its directory has to exist
	Existing     bool          // where there is no file, fail with store.ErrMissing
	PollInterval time.Duration // between two looks for other processes' writes; 0: 20 ms
	LogRevisions int64         // how many revisions a watch can go back at least; 0: 20,000
	LogBytes     int64         // how many bytes of history are kept at most, about; 0: 64 MiB
	Logger       *slog.Logger  // nil: nothing is logged
}

func (o Options) withDefaults() Options {
	o.PollInterval = cmp.Or(o.PollInterval, 20*time.Millisecond)
	o.LogRevisions = cmp.Or(o.LogRevisions, 20_000)
	o.LogBytes = cmp.Or(o.LogBytes, 64<<20)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Store is an open file. It implements store.Store and store.JobLocker.
type Store struct {
	path   string
	log    *slog.Logger
	reader *reader
	writer *writer
	poller *poller

	stop context.CancelFunc // ends the goroutines
	done sync.WaitGroup     // has seen them end

	closing chan struct{} // closed by Close

	mu      sync.Mutex
	session *Session // the one that this handle holds, or nil
	closed  bool
}

var (
	_ store.Store     = (*Store)(nil)
	_ store.JobLocker = (*Store)(nil)
)

// Open opens the store, and creates it if there is no file. A file that a newer version of Kayra has written, or that
// is none of Kayra's, is refused with store.ErrSchema, a damaged one with store.ErrCorrupt; both are left untouched.
func Open(ctx context.Context, opts Options) (*Store, error) {
	s, err := open(ctx, opts.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", opts.Path, classifyOpen(err))
	}
	return s, nil
}

func open(ctx context.Context, opts Options) (*Store, error) {
	path, err := prepare(ctx, opts)
	if err != nil {
		return nil, err
	}
	// fdatasync is what SQLite itself is built with on Linux; this port leaves it off. Where it is not to be had, the
	// slower fsync stays.
	_, _ = sqlite.Fdatasync(true)

	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Store{path: path, log: opts.Logger, stop: stop, closing: make(chan struct{})}
	if err := s.connect(ctx, opts); err != nil {
		stop()
		return nil, errors.Join(err, s.disconnect())
	}
	s.done.Go(func() { s.writer.run(run) })
	s.done.Go(func() { s.poller.run(run, s.writer.committed) })
	s.done.Go(func() { s.reap(run) })
	return s, nil
}

func (s *Store) connect(ctx context.Context, opts Options) (err error) {
	if s.writer, err = newWriter(ctx, s.path, logLimits{revisions: opts.LogRevisions, bytes: opts.LogBytes}); err != nil {
		return err
	}
	if s.reader, err = newReader(ctx, s.path); err != nil {
		return err
	}
	s.poller, err = newPoller(ctx, s.path, opts.PollInterval)
	return err
}

func (s *Store) disconnect() error {
	var errs []error
	if s.poller != nil {
		errs = append(errs, s.poller.close())
	}
	if s.reader != nil {
		errs = append(errs, s.reader.close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.close())
	}
	return errors.Join(errs...)
}

// Close ends the session, if there is one, and all watches, and closes the file.
func (s *Store) Close() error {
	s.mu.Lock()
	session, closed := s.session, s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	var err error
	if session != nil {
		err = session.Close(context.Background())
	}
	close(s.closing)
	s.stop()
	s.done.Wait()
	if err := errors.Join(err, s.disconnect()); err != nil {
		return fmt.Errorf("close store %q: %w", s.path, err)
	}
	return nil
}

// explain says what an error of a read means.
func (s *Store) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err() //nolint:wrapcheck // the caller does
	}
	select {
	case <-s.closing:
		return errClosed
	default:
		return classify(err)
	}
}
