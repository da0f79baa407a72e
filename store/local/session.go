package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/hashicorp/go-uuid"

	"kayra/store"
)

// reapInterval is how often a process looks whether the one that holds the session is still there.
const reapInterval = 500 * time.Millisecond

// Session is the one session of a file. It implements store.Session.
type Session struct {
	store *Store
	id    string
	lock  *fileLock
	done  chan struct{}
	once  sync.Once
}

var _ store.Session = (*Session)(nil)

// NewSession begins the session, and removes what one has left whose process died. Another one, in this process or
// another, is refused with store.ErrInUse.
func (s *Store) NewSession(ctx context.Context) (store.Session, error) {
	session, err := s.newSession(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin session: %w", classify(err))
	}
	return session, nil
}

func (s *Store) newSession(ctx context.Context) (*Session, error) {
	lock, err := acquire(ctx, s.path, sessionPatience, tryLock)
	if errors.Is(err, store.ErrInUse) {
		return nil, s.nameHolder(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	session := &Session{store: s, lock: lock, done: make(chan struct{})}
	if session.id, err = uuid.GenerateUUID(); err == nil {
		err = s.writer.do(ctx, func(ctx context.Context, t *tx) error {
			if err := t.endSession(ctx); err != nil {
				return err
			}
			t.session, t.pid = session.id, os.Getpid()
			return nil
		})
	}
	if err == nil && !s.own(session) {
		err = errClosed
	}
	if err != nil {
		lock.release()
		return nil, err
	}
	return session, nil
}

// own makes the session this handle's, unless the handle has been closed meanwhile.
func (s *Store) own(session *Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.session = session
	return true
}

func (s *Store) nameHolder(ctx context.Context, err error) error {
	var id string
	var pid int
	if e := s.reader.held.QueryRowContext(ctx).Scan(&id, &pid); e != nil || id == "" {
		return err
	}
	return fmt.Errorf("process %d holds it: %w", pid, err)
}

// ID names the session.
func (n *Session) ID() string { return n.id }

// Done is closed when the session has ended.
func (n *Session) Done() <-chan struct{} { return n.done }

// Close deletes the session's keys and lets another process have the session.
func (n *Session) Close(ctx context.Context) error {
	var err error
	n.once.Do(func() {
		err = n.store.bury(ctx, n.id)
		n.end()
	})
	if err != nil {
		return fmt.Errorf("close session %q: %w", n.id, classify(err))
	}
	return nil
}

// lose gives up a session that somebody else has taken, which happens if the lock's file is removed by hand.
func (n *Session) lose() { n.once.Do(n.end) }

func (n *Session) end() {
	n.store.mu.Lock()
	n.store.session = nil
	n.store.mu.Unlock()
	n.lock.release()
	close(n.done)
}

// bury ends the session of that name, if it is still the file's.
func (s *Store) bury(ctx context.Context, id string) error {
	return s.writer.do(ctx, func(ctx context.Context, t *tx) error {
		if t.session != id {
			return nil
		}
		return t.endSession(ctx)
	})
}

// endSession deletes everything that was put through a session.
func (t *tx) endSession(ctx context.Context) error {
	keys, err := t.boundKeys(ctx)
	if err != nil {
		return err
	}
	c := change{tx: t, revision: t.revision + 1}
	for _, key := range keys {
		if err := c.delete(ctx, key); err != nil {
			return err
		}
	}
	c.end()
	t.session, t.pid = "", 0
	return nil
}

func (t *tx) boundKeys(ctx context.Context) ([]string, error) {
	rows, err := t.bound.QueryContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys of session: %w", err)
	}
	var keys []string
	err = each(rows, func() (bool, error) {
		var key []byte
		if err := rows.Scan(&key); err != nil {
			return false, fmt.Errorf("list keys of session: %w", err)
		}
		keys = append(keys, string(key))
		return true, nil
	})
	return keys, err
}

// reap looks after the session: that of a process that has died is buried.
func (s *Store) reap(ctx context.Context) {
	ticker := time.NewTicker(reapInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := s.checkSession(ctx); err != nil && ctx.Err() == nil {
			s.log.LogAttrs(ctx, slog.LevelWarn, "cannot look after the store's session", slog.Any("error", err))
		}
	}
}

func (s *Store) checkSession(ctx context.Context) error {
	s.mu.Lock()
	mine := s.session
	s.mu.Unlock()
	var id string
	var pid int
	if err := s.reader.held.QueryRowContext(ctx).Scan(&id, &pid); err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	if mine != nil {
		if mine.id != id {
			mine.lose()
		}
		return nil
	}
	if id == "" {
		return nil
	}
	lock, err := tryLock(s.path)
	if errors.Is(err, errLocked) {
		return nil // its process is alive
	}
	if err != nil {
		return err
	}
	defer lock.release()
	s.log.LogAttrs(ctx, slog.LevelInfo, "removing what a dead process left", slog.Int("pid", pid))
	return s.bury(ctx, id)
}
