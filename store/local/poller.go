package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"kayra/store"
)

const (
	// silence is how long the poller may go without a look at the file before watches are taken for dead.
	silence = 5 * time.Second
	// settle is the least time between two looks. A process that writes all the time would otherwise spend as much on
	// telling its own watches of every single write.
	settle = 500 * time.Microsecond
)

// poller notices that the file has changed, for all watches of the process.
type poller struct {
	conn          *conn
	version, meta *sql.Stmt
	interval      time.Duration
	seen          int64 // the version that the connection saw last

	mu    sync.Mutex
	state pollState
}

// pollState is what a poller knows.
type pollState struct {
	revision int64         // the store's
	looked   time.Time     // when the file was looked at last
	err      error         // why that failed
	changed  chan struct{} // closed once revision or err is another
}

func newPoller(ctx context.Context, path string, interval time.Duration) (*poller, error) {
	conn, err := connect(ctx, path, "busy_timeout(1000)", "query_only(ON)")
	if err != nil {
		return nil, fmt.Errorf("open for polling: %w", err)
	}
	p := &poller{conn: conn, interval: interval, seen: -1, state: pollState{changed: make(chan struct{})}}
	err = conn.prepare(
		ctx,
		statement{&p.version, "PRAGMA data_version"},
		statement{&p.meta, "SELECT revision FROM meta"},
	)
	if err == nil {
		p.look(ctx)
		err = p.now().err
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open for polling: %w", err), conn.close())
	}
	return p, nil
}

func (p *poller) close() error { return p.conn.close() }

// run looks at the file at every interval, and when this process has written.
func (p *poller) run(ctx context.Context, committed <-chan struct{}) {
	ticker := time.NewTicker(p.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-committed:
		}
		p.look(context.WithoutCancel(ctx))
		select {
		case <-ctx.Done():
		case <-time.After(settle):
		}
	}
}

// look asks SQLite whether any other connection has written, which takes a few microseconds, and for the revision if so.
func (p *poller) look(ctx context.Context) {
	var version, revision int64
	err := p.version.QueryRowContext(ctx).Scan(&version)
	if err == nil && version == p.seen {
		p.publish(p.now().revision, nil)
		return
	}
	if err == nil {
		err = p.meta.QueryRowContext(ctx).Scan(&revision)
	}
	if err != nil {
		p.publish(p.now().revision, fmt.Errorf("poll: %w", err))
		return
	}
	p.seen = version
	p.publish(revision, nil)
}

func (p *poller) publish(revision int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.state
	s.looked = time.Now()
	if s.revision == revision && s.err == nil && err == nil {
		return
	}
	s.revision, s.err = revision, err
	close(s.changed)
	s.changed = make(chan struct{})
}

func (p *poller) now() pollState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

// alive fails when the watches cannot count on the poller.
func (s pollState) alive() error {
	if s.err != nil {
		return s.err
	}
	if quiet := time.Since(s.looked); quiet > silence {
		return fmt.Errorf("file was last read %s ago: %w", quiet.Round(time.Millisecond), store.ErrSilent)
	}
	return nil
}
