//go:build !windows

package term

import (
	"os"
	"os/signal"
	"syscall"
)

// Resizes tells when the terminal's size has changed, until stop is called.
func Resizes() (resized <-chan os.Signal, stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGWINCH)
	return signals, func() { signal.Stop(signals) }
}
