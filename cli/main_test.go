package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"kayra/cli"
	"kayra/store/etcd/etcdtest"
)

// cluster is the etcd that the scripts share, each with a prefix of its own.
var cluster etcdtest.Shared

// TestMain runs the tests or, where a script has started this program under the name of a command, that command.
func TestMain(m *testing.M) {
	kayra := func() { os.Exit(cli.Main()) } //nolint:forbidigo // as main does
	testscript.Main(leakless{cluster.Around(m)}, map[string]func(){"kayra": kayra, "kayra-cli": kayra, "kayra-environment": environment, "jq": readJSON})
}

// leakless fails tests that leave goroutines behind.
type leakless struct{ etcdtest.Tests }

func (l leakless) Run() int {
	// What is ignored is inherited, and a hang-up is ignored under nohup. The processes of the scripts must not ignore it.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	code := l.Tests.Run()
	signal.Stop(hangups)
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// environment is a program that runs kayra, and then tells what it would hand to a child.
func environment() {
	os.Args = []string{"kayra", "version"}
	code := cli.Main()
	_, _ = os.Stdout.WriteString(strings.Join(os.Environ(), "\n"))
	os.Exit(code) //nolint:forbidigo // as main does
}

// readJSON stands in for jq, which may not be there: it wants JSON, and knows no program.
func readJSON() {
	for dec := json.NewDecoder(os.Stdin); ; {
		var value any
		switch err := dec.Decode(&value); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			fmt.Fprintln(os.Stderr, "no JSON:", err)
			os.Exit(5) //nolint:forbidigo // as jq does
		}
	}
}
