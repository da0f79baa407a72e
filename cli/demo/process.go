package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// grace is how long a process may take to end before it is killed.
const grace = 10 * time.Second

// process is a child. Its standard input is a pipe that nothing is written to: once it is closed, by this process or by
// the system since this process is gone, the child ends.
type process struct {
	name  string
	log   string             // the file that has what it wrote
	ended chan struct{}      // closed when it has ended
	state string             // how it has ended, as the system says
	err   error              // that it has not ended well
	stop  context.CancelFunc // asks it to end
	ready chan string        // has the address that it announced
}

// start runs the program again with other arguments. Cancelling ctx asks the child to end.
func start(ctx context.Context, s *stage, name string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(s.dir, strings.ReplaceAll(name, " ", "-")+".log"), ended: make(chan struct{}), ready: make(chan string, 1)}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	ctx, p.stop = context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, s.Executable, append(args, "--until-stdin-closes")...)
	cmd.Args[0], cmd.Dir, cmd.Env, cmd.WaitDelay = s.Name, s.dir, append(s.Environ, tokenVariable+"="+s.token), grace
	detach(cmd, s.lock)
	cmd.Stderr = &announcements{to: log, ready: p.ready}
	cmd.Stdout = cmd.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		cmd.Cancel = in.Close
		err = cmd.Start()
	}
	if err != nil {
		p.stop()
		return nil, errors.Join(fmt.Errorf("start %s: %w", name, err), log.Close())
	}
	go func() {
		defer close(p.ended)
		err := cmd.Wait()
		p.state = cmd.ProcessState.String()
		if cmd.ProcessState.ExitCode() != 0 {
			p.err = fmt.Errorf("the %s did not end well: %w", p.name, err)
		}
		_ = log.Close() // what was written is written
	}()
	return p, nil
}

// address waits for the child to say where it listens.
func (p *process) address(ctx context.Context) (string, error) {
	select {
	case address := <-p.ready:
		return address, nil
	case <-p.ended:
		return "", fmt.Errorf("the %s ended before it listened: %s", p.name, p.state)
	case <-ctx.Done():
		return "", fmt.Errorf("wait for the %s: %w", p.name, context.Cause(ctx))
	}
}

// end asks the child to end and waits for it.
func (p *process) end() error {
	p.stop()
	<-p.ended
	return p.err
}

// tail is the end of what the child wrote.
func (p *process) tail() string {
	const lines = 10
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(content)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// announcements copies a log, and finds in it the line in which a process says where it listens.
type announcements struct {
	to    io.Writer
	ready chan<- string

	mu    sync.Mutex
	line  []byte
	found bool
}

func (a *announcements) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.found {
		a.line = append(a.line, b...)
		a.scan()
	}
	return a.to.Write(b) //nolint:wrapcheck // an io.Writer
}

func (a *announcements) scan() {
	for {
		line, rest, complete := bytes.Cut(a.line, []byte("\n"))
		if !complete {
			return
		}
		a.line = rest
		var said struct {
			Address string `json:"address"`
		}
		if json.Unmarshal(line, &said) == nil && said.Address != "" {
			a.found, a.line = true, nil
			a.ready <- said.Address
			return
		}
	}
}
