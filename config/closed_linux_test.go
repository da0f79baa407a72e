package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"kayra/config"
)

// The file of the machine's services may be closed to others. It must not be in the way of their command lines.
func TestAClosedFileOfTheMachineIsPassedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, open := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(open, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"etc", "work"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "kayra.yaml"), []byte("nonsense: true"), 0); err != nil {
			t.Fatal(err)
		}
	}
	type loaded struct {
		c   *config.Config
		err error
	}
	load := func(o config.Options) loaded {
		done := make(chan loaded)
		go func() {
			if os.Geteuid() == 0 { // to root nothing is closed: be somebody else on a thread that ends with this goroutine
				runtime.LockOSThread()
				_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
			}
			c, _, err := config.Load(o)
			done <- loaded{c, err}
		}()
		return <-done
	}
	system := filepath.Join(dir, "etc")
	got := load(config.Options{Dir: filepath.Join(dir, "nowhere"), SystemDir: system})
	if got.err != nil || got.c.File() != "" {
		t.Fatalf("of the machine: %v", got.err)
	}
	if err := got.c.RequireScope(); err == nil || !strings.Contains(err.Error(), "may not read "+system+"/kayra.yaml; set it by KAYRA_PLATFORM") {
		t.Errorf("what a service says: %v", err)
	}
	for name, o := range map[string]config.Options{
		"nearby": {Dir: filepath.Join(dir, "work"), SystemDir: system},
		"named":  {Path: filepath.Join(system, "kayra.yaml")},
	} {
		if got := load(o); got.err == nil || !strings.Contains(got.err.Error(), "permission denied") {
			t.Errorf("%s: %v", name, got.err)
		}
	}
}
