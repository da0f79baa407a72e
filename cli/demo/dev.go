package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// ErrBusy is that the directory of a deployment for development is another process's already.
var ErrBusy = errors.New("is in use by another process")

const (
	lockPause    = 20 * time.Millisecond // between two tries of a lock
	lockPatience = grace + 5*time.Second // for the children of one that is gone
)

// Addresses are where the processes listen, HOST:PORT; port 0 is a free one.
type Addresses struct {
	Server, Reconciler, Gateway string
}

func anyPorts() Addresses { return Addresses{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"} }

// Dev runs the demonstration's processes, without its story, on what is kept in a directory, until ctx ends. A directory
// that is not there yet is made. It fails with ErrBusy while another process does so in the same directory.
func Dev(ctx context.Context, o Options, dir string, listen Addresses) (err error) {
	s, err := newDeployment(o, dir, listen)
	if err != nil {
		return err
	}
	own, err := s.occupy()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, own.Close()) }()
	if s.lock, err = hold(ctx, filepath.Join(s.dir, "processes.lock"), lockPatience); err != nil {
		return fmt.Errorf("wait for the processes that ran here before: %w", err)
	}
	defer s.lock.Close() //nolint:errcheck // ends with the process anyway
	err = errors.Join(s.develop(ctx), s.end())
	if err != nil && ctx.Err() == nil {
		s.explain()
	}
	return err
}

func newDeployment(o Options, dir string, listen Addresses) (*stage, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory: %w", err)
	}
	o.Environ = unconfigured(o.Environ)
	return &stage{
		Options: o, dir: dir, show: newTimeline(o.Out, o.Now), platform: "dev", listen: listen, machines: filepath.Join(dir, "machines.json"),
	}, nil
}

// occupy takes the directory for this process alone.
func (s *stage) occupy() (*flock.Flock, error) {
	lock := flock.New(filepath.Join(s.dir, "dev.lock"), flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the directory: %w", err)
	}
	if !got {
		return nil, errors.Join(fmt.Errorf("%s %w", s.dir, ErrBusy), lock.Close())
	}
	return lock, nil
}

// develop starts the processes, and leaves them to the user until ctx ends.
func (s *stage) develop(ctx context.Context) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	fresh, err := s.readToken()
	if err != nil {
		return err
	}
	if err := s.set(ctx, fail); err != nil {
		return err
	}
	config, err := s.configureClients()
	if err != nil {
		return err
	}
	example, err := s.writeExample()
	if err != nil {
		return err
	}
	s.invite(config, example, fresh)
	return s.wait(ctx)
}

// readToken reads the token that is kept, or makes one.
func (s *stage) readToken() (fresh bool, err error) {
	content, err := os.ReadFile(s.tokenFile())
	switch {
	case err == nil:
		if s.token = strings.TrimSpace(string(content)); s.token == "" {
			return false, fmt.Errorf("%s is empty: remove it, and another token is made", s.tokenFile())
		}
		return false, closeToOthers(s.tokenFile())
	case !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("read the token: %w", err)
	}
	s.token = rand.Text()
	if err := os.WriteFile(s.tokenFile(), []byte(s.token+"\n"), 0o600); err != nil {
		return false, fmt.Errorf("write the token: %w", err)
	}
	return true, nil
}

// closeToOthers has nobody else read a file that somebody has opened to them.
func closeToOthers(file string) error {
	if err := os.Chmod(file, 0o600); err != nil {
		return fmt.Errorf("close the token to others: %w", err)
	}
	return nil
}

// example is what there is to apply, in a deployment that has nothing yet.
const example = `# kayra apply -f example.yaml
kind: ApiRegistration
name: compute.example.com
short_name: compute
owner: sre-a
---
kind: Namespace
name: sre
---
kind: Namespace
name: apps
---
kind: Subscription
namespace: sre
api: compute.example.com
---
kind: Subscription
namespace: apps
api: compute.example.com
`

// writeExample writes documents that can be applied, unless they are there.
func (s *stage) writeExample() (string, error) {
	file := filepath.Join(s.dir, "example.yaml")
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return file, nil
	}
	if err == nil {
		_, err = f.WriteString(example)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return file, fmt.Errorf("write an example: %w", err)
	}
	return file, nil
}

// invite says how to use what runs.
func (s *stage) invite(config, example string, fresh bool) {
	made := "as before"
	if fresh {
		made = "new"
	}
	s.show.note("token %s (%s; of user root, in %s)", s.token, made, s.tokenFile())
	s.show.note("all of it is kept in %s, and runs until Ctrl-C. %s", s.dir, s.commands(config,
		"apply -f "+word(example),
		"wait catalog apiregistrations compute.example.com --for=synced",
		"get catalog subscriptions -A",
		"rollout start compute.example.com --canary sre --wait",
		"rollout release compute.example.com --wait",
		"get compute -n sre machines",
		"top"))
}

// commands are lines for another terminal. Where the program's name does not lead to it, they make it do so.
func (s *stage) commands(config string, commands ...string) string {
	lines := []string{"export KAYRA_CONFIG=" + word(config)}
	if !isProgram(s.Name, s.Executable) {
		lines = append(lines, "alias "+s.Name+"="+word(s.Executable))
	}
	for _, command := range commands {
		lines = append(lines, s.Name+" "+command)
	}
	return "In another terminal:\n\n  " + strings.Join(lines, "\n  ") + "\n"
}

// isProgram tells whether a shell finds this program under the name.
func isProgram(name, path string) bool {
	found, err := exec.LookPath(name)
	if err != nil {
		return false
	}
	there, err := os.Stat(found)
	if err != nil {
		return false
	}
	self, err := os.Stat(path)
	return err == nil && os.SameFile(there, self)
}

// word is a path as a shell takes it for one word.
func word(path string) string {
	if strings.Trim(path, "-_./0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
