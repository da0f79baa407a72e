package demo

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// detach puts a child into a process group of its own, so that Ctrl-C reaches this process alone, which ends its children in
// order.
func detach(cmd *exec.Cmd, _ *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// hold takes no lock: on Windows a child cannot be given one.
func hold(context.Context, string, time.Duration) (*os.File, error) { return nil, nil } //nolint:nilnil // see above
