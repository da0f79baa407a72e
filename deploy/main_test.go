// Package deploy_test checks what stands in this folder against running processes.
package deploy_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"kayra/cli"
)

// TestMain runs the tests or, where a test has started this program under the name of a command, that command.
func TestMain(m *testing.M) {
	testscript.Main(leakless{m}, map[string]func(){"kayra": func() { os.Exit(cli.Main()) }}) //nolint:forbidigo // as main does
}

// leakless fails tests that leave goroutines behind.
type leakless struct{ *testing.M }

func (l leakless) Run() int {
	code := l.M.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return code
}
