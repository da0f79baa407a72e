//go:build !windows

package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// detach puts a child into a process group of its own, so that Ctrl-C reaches this process alone, which ends its children in
// order. A child has a lock for as long as it runs, also when this process is gone already.
func detach(cmd *exec.Cmd, lock *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if lock != nil {
		cmd.ExtraFiles = []*os.File{lock}
	}
}

// hold takes a lock that children can be given, and waits for those of one before that are still ending.
func hold(ctx context.Context, path string, patience time.Duration) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	deadline := time.After(patience)
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("wait for lock: %w", context.Cause(ctx)), f.Close())
		case <-deadline:
			return nil, errors.Join(fmt.Errorf("take lock: %w", err), f.Close())
		case <-time.After(lockPause):
		}
	}
}
