package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"kayra/store"
)

// lockPause is the time between two tries of the lock.
const lockPause = 5 * time.Millisecond

// errLocked: another process has the lock, or another handle of this one.
var errLocked = errors.New("lock is held")

// fileLock is the advisory lock on the file beside the store. It ends with the process that holds it at the latest.
type fileLock struct{ file *os.File }

// tryLock takes the lock, or fails with errLocked at once. The lock's file is never removed: another process could have
// it open, and lock a file that nobody else sees any more.
func tryLock(path string) (*fileLock, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := flock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &fileLock{file: f}, nil
}

// acquire tries for as long as patience lasts, and then fails with store.ErrInUse.
func acquire(ctx context.Context, path string, patience time.Duration, try func(string) (*fileLock, error)) (*fileLock, error) {
	deadline := time.After(patience)
	for {
		lock, err := try(path)
		if !errors.Is(err, errLocked) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for lock: %w", ctx.Err())
		case <-deadline:
			return nil, fmt.Errorf("wait for lock: %w", store.ErrInUse)
		case <-time.After(lockPause):
		}
	}
}

// release gives the lock up. Closing the file does it, and cannot fail in a way that keeps it.
func (l *fileLock) release() { _ = l.file.Close() }
