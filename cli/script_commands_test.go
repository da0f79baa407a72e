package cli_test

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kayra/tlsfiles"
)

// patience is how long a script waits for what has to happen.
const patience = 30 * time.Second

type command = func(ts *testscript.TestScript, neg bool, args []string)

// commands are what scripts can do beside running programs.
func commands() map[string]command {
	known := &authorities{}
	return map[string]command{
		"code": code, "waitfor": waitFor, "address": address, "curl": curl, "term": terminate, "ended": ended, "ca": known.make, "issue": known.issue,
	}
}

// code runs a program and wants an exit code of it: code N PROGRAM ARGS….
func code(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, not %d", strings.Join(args[1:], " "), got, want)
	}
}

// waitFor runs a program until what it writes matches: waitfor REGEXP PROGRAM ARGS….
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	match := regexp.MustCompile("(?m)" + args[0])
	until(ts, args[0], func() bool {
		_ = ts.Exec(args[1], args[2:]...) // its output tells
		return match.MatchString(ts.ReadFile("stdout"))
	})
}

// address waits for a process to say in its log where it listens, and puts that into a variable: address LOG VARIABLE.
func address(ts *testscript.TestScript, _ bool, args []string) {
	until(ts, "an address in "+args[0], func() bool {
		content, _ := os.ReadFile(ts.MkAbs(args[0])) // is not there yet
		if strings.Contains(string(content), "kayra: ") {
			ts.Fatalf("the process has ended:\n%s", content)
		}
		for line := range strings.Lines(string(content)) {
			var said struct{ Address string }
			if json.Unmarshal([]byte(line), &said) == nil && said.Address != "" {
				ts.Setenv(args[1], said.Address)
				return true
			}
		}
		return false
	})
}

// terminate sends SIGTERM to the process in the background whose command line has the text: term TEXT.
func terminate(ts *testscript.TestScript, _ bool, args []string) {
	for _, cmd := range ts.BackgroundCmds() {
		if strings.Contains(strings.Join(cmd.Args, " "), args[0]) {
			ts.Check(cmd.Process.Signal(syscall.SIGTERM))
			return
		}
	}
	ts.Fatalf("no process in the background has %q", args[0])
}

// ended wants a process not to run any more: ended FILE, which has its number. One that nobody has waited for, as in a container
// whose first process does not, has ended.
func ended(ts *testscript.TestScript, _ bool, args []string) {
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	process, err := os.FindProcess(pid)
	if err != nil || process.Signal(syscall.Signal(0)) != nil {
		return
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // there is none elsewhere than on Linux
	if !strings.Contains(string(status), "\nState:\tZ") {
		ts.Fatalf("process %d runs still", pid)
	}
}

func until(ts *testscript.TestScript, what string, done func() bool) {
	deadline := time.After(patience)
	pause := time.NewTicker(50 * time.Millisecond)
	defer pause.Stop()
	for !done() {
		select {
		case <-deadline:
			ts.Fatalf("waited %s for %s in vain", patience, what)
		case <-pause.C:
		}
	}
}

// curl makes a request as curl does: curl [-s] [-X METHOD] [-H HEADER] [-d BODY] [--cacert FILE] URL. A status of 400 and up
// is a failure.
func curl(ts *testscript.TestScript, neg bool, args []string) {
	method, body, url := http.MethodGet, "", ""
	header := http.Header{}
	var files tlsfiles.Client
	for len(args) > 0 {
		flag := args[0]
		args = args[1:]
		switch flag {
		case "-s":
			continue
		case "-X":
			method, args = args[0], args[1:]
		case "-d":
			body, args = args[0], args[1:]
		case "--cacert":
			files.CAFile, args = ts.MkAbs(args[0]), args[1:]
		case "-H":
			name, value, _ := strings.Cut(args[0], ": ")
			header.Set(name, value)
			args = args[1:]
		default:
			url = flag
		}
	}
	config, err := files.Config(nil)
	ts.Check(err)
	status, err := request(method, url, header, body, config, ts.Stdout())
	ts.Check(err)
	if failed := status >= http.StatusBadRequest; failed != neg {
		ts.Fatalf("%s %s: %d", method, url, status)
	}
}

func request(method, url string, header http.Header, body string, config *tls.Config, out io.Writer) (int, error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body)) //nolint:noctx // a script has no context
	if err != nil {
		return 0, fmt.Errorf("make request: %w", err)
	}
	req.Header = header
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: config}, Timeout: patience}
	res, err := client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("request: %w", err)
	}
	defer res.Body.Close() //nolint:errcheck // only read from
	if _, err := io.Copy(out, res.Body); err != nil {
		return 0, fmt.Errorf("read answer: %w", err)
	}
	return res.StatusCode, nil
}
