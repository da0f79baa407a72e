package audit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"kayra/server/audit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, o audit.Options) *audit.Log {
	t.Helper()
	l, err := audit.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func closing(t *testing.T, l *audit.Log) {
	t.Helper()
	if err := l.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// say writes a line, and waits until it is in the file.
func say(t *testing.T, l *audit.Log, path, text string) {
	t.Helper()
	l.Logger().Info("line", slog.String("text", text))
	for end := time.Now().Add(time.Minute); !strings.Contains(content(path), text); {
		if time.Now().After(end) {
			t.Fatalf("%q is not in %s after a minute", text, path)
		}
	}
}

func content(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	for _, text := range []string{"one", "two"} { // what is there is kept
		l := open(t, audit.Options{Path: path})
		l.Logger().Info("line", slog.String("text", text))
		closing(t, l)
	}
	if lines := strings.Split(content(path), "\n"); len(lines) != 3 || !strings.Contains(lines[0], `"text":"one"`) || !strings.Contains(lines[1], `"text":"two"`) {
		t.Errorf("%q", lines)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A file that is renamed keeps what it has, and what follows goes to a new one; the same holds when it is removed.
func TestRotation(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	l := open(t, audit.Options{Path: path})
	defer closing(t, l)
	say(t, l, path, "one")
	must(t, os.Rename(path, path+".1"))
	say(t, l, path, "two")
	if old := content(path + ".1"); !strings.Contains(old, "one") || strings.Contains(old, "two") {
		t.Errorf("the renamed file has %q", old)
	}
	must(t, os.Remove(path))
	say(t, l, path, "three")
	must(t, os.Rename(path, path+".2"))
	must(t, os.WriteFile(path, nil, 0o600)) // as logrotate's create does
	say(t, l, path, "four")
	if strings.Contains(content(path), "three") {
		t.Errorf("the new file has %q", content(path))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "audit.log"), string([]byte{'a', 0})} {
		if _, err := audit.Open(audit.Options{Path: path}); err == nil {
			t.Errorf("%q was opened", path)
		}
	}
}

// broken fails some of the writes, as told.
type broken struct {
	err error
	to  io.Writer
}

func (b *broken) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("bad")) {
		return 0, b.err
	}
	return b.to.Write(p)
}

func TestFailedWrite(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	var told, written bytes.Buffer
	l := open(t, audit.Options{
		Writer: &broken{errors.New("no space left"), &written}, Registry: registry, Logger: slog.New(slog.NewTextHandler(&told, nil)),
	})
	for _, text := range []string{"one", "bad", "two", "bad"} {
		l.Logger().Info("line", slog.String("text", text))
	}
	closing(t, l)
	insist(t, registry, 2)
	if !strings.Contains(told.String(), "no space left") || strings.Contains(told.String(), "bad") {
		t.Errorf("told: %s", told.String())
	}
	if got := written.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("written: %q", got)
	}
	if _, err := audit.Open(audit.Options{Writer: &written, Registry: registry}); err == nil {
		t.Error("two share a registry")
	}
}

// insist insists on how many failures were counted.
func insist(t *testing.T, registry *prometheus.Registry, failures int) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "kayra_audit_failures_total" {
		t.Fatalf("%v, %v", families, err)
	}
	if got := families[0].GetMetric()[0].GetCounter().GetValue(); got != float64(failures) {
		t.Errorf("%v failures, want %d", got, failures)
	}
}

// stuck is a disk that does not answer until it is told to.
type stuck struct {
	release chan struct{}
	bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.release
	return s.Buffer.Write(p)
}

// Whoever writes does not wait for a disk that hangs. What it cannot take any more is counted, and is an error.
func TestHangingDisk(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	disk := &stuck{release: make(chan struct{})}
	l := open(t, audit.Options{Writer: disk, Registry: registry})
	handler := l.Logger().Handler()
	failed := 0
	const lines = 6000
	for range lines {
		err := handler.Handle(t.Context(), slog.Record{Message: "x"})
		switch {
		case errors.Is(err, audit.ErrFull):
			failed++
		case err != nil:
			t.Fatal(err)
		}
	}
	if failed == 0 {
		t.Error("it takes any number")
	}
	insist(t, registry, failed)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	close(disk.release)
}

// What waits is written before an audit is closed.
func TestCloseWritesTheRest(t *testing.T) {
	t.Parallel()
	disk := &stuck{release: make(chan struct{})}
	l := open(t, audit.Options{Writer: disk})
	for range 100 {
		l.Logger().Info("x")
	}
	close(disk.release)
	closing(t, l)
	if n := strings.Count(disk.String(), "\n"); n != 100 {
		t.Errorf("%d lines", n)
	}
}

// A disk that is full loses lines, and they are counted.
func TestFullDevice(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); errors.Is(err, fs.ErrNotExist) {
		t.Skip("there is no /dev/full here")
	}
	registry := prometheus.NewRegistry()
	l := open(t, audit.Options{Path: "/dev/full", Registry: registry})
	l.Logger().Info("x")
	closing(t, l)
	insist(t, registry, 1)
}
