package local_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"kayra/store"
	"kayra/store/local"
)

// What a process that a test starts is told by its environment.
const (
	childTask = "KAYRA_TEST_TASK"
	childPath = "KAYRA_TEST_PATH"
)

// child is another process that has a store open.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// start runs a task of TestChild's in a process of its own.
func start(t *testing.T, task, path string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$", "-test.v")
	cmd.Env = append(os.Environ(), childTask+"="+task, childPath+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: cmd, lines: bufio.NewScanner(out)}
	t.Cleanup(c.kill)
	return c
}

// kill ends the process at once, as a crash would.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// says waits for a line that begins with the word, and returns the rest of it; "" if the process ends before.
func (c *child) says(word string) string {
	for c.lines.Scan() {
		if rest, ok := strings.CutPrefix(c.lines.Text(), word+" "); ok {
			return rest
		}
	}
	return ""
}

// TestChild is no test: it is what the processes that tests start do.
func TestChild(t *testing.T) { //nolint:paralleltest // it is alone in its process
	task := os.Getenv(childTask)
	if task == "" {
		t.Skip("only for processes that other tests start")
	}
	s := open(t, local.Options{Path: os.Getenv(childPath)})
	switch task {
	case "count":
		for range 200 {
			say("counted", count(t, s))
		}
	case "count on":
		for {
			say("counted", count(t, s))
		}
	case "hold":
		hold(t, s)
		say("holds", os.Getpid())
		_, _ = io.ReadAll(os.Stdin) // until the end
		<-t.Context().Done()
	}
}

// say writes a line for the parent, whole and at once.
func say(word string, value int) {
	_, _ = fmt.Fprintf(os.Stdout, "\n%s %d \n", word, value)
}

// count adds one to the counter and returns it.
func count(t *testing.T, s store.Store) int {
	t.Helper()
	e := store.Entry{Key: "counter"}
	for {
		n, _ := strconv.Atoi(string(e.Value))
		res, err := s.Txn(t.Context(), store.Txn{
			If:   []store.Cond{store.Unchanged(e)},
			Then: []store.Op{store.Put(e.Key, []byte(strconv.Itoa(n+1)))},
			Else: []store.Op{store.Get(e.Key)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if res.OK {
			return n + 1
		}
		e = res.Got[e.Key]
	}
}

// hold takes the session and puts a key through it.
func hold(t *testing.T, s *local.Store) {
	t.Helper()
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.PutSession("lock", nil, session.ID())}}); err != nil {
		t.Fatal(err)
	}
}

func counter(t *testing.T, s store.Store) int {
	t.Helper()
	e, err := s.Get(t.Context(), "counter")
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(string(e.Value))
	return n
}

func TestTwoProcessesCount(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	s := open(t, local.Options{Path: path})
	c := start(t, "count", path)
	for range 200 {
		count(t, s)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := counter(t, s); n != 400 {
		t.Errorf("counted to %d, want 400", n)
	}
}

// TestKilledWriter kills a process in the middle of its writes, again and again: none that it was told of is lost, and
// none of its locks stays.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	for range 3 {
		c := start(t, "count on", path)
		c.says("counted")
		told, _ := strconv.Atoi(strings.TrimSpace(c.says("counted")))
		c.kill()
		s, err := local.Open(t.Context(), local.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if n := counter(t, s); n < told || told == 0 {
			t.Errorf("counter is %d after %d was acknowledged", n, told)
		}
		count(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestKilledHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	s := open(t, local.Options{Path: path})
	c := start(t, "hold", path)
	pid := strings.TrimSpace(c.says("holds"))
	_, err := s.NewSession(t.Context())
	if !errors.Is(err, store.ErrInUse) || !strings.Contains(err.Error(), "process "+pid) {
		t.Fatalf("got error %v, want one that names process %s", err, pid)
	}
	lock, err := s.Get(t.Context(), "lock")
	if err != nil {
		t.Fatal(err)
	}
	c.kill()
	// Whoever has the file open removes what the holder left.
	gone := errors.New("gone")
	err = s.Watch(t.Context(), "lock", lock.ModRevision+1, func(b store.Batch) error {
		if len(b.Events) > 0 && b.Events[0].Deleted {
			return gone
		}
		return nil
	})
	if !errors.Is(err, gone) {
		t.Error(err)
	}
	hold(t, s)
}

// TestNextHolder has nobody else there when a holder is killed.
func TestNextHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	c := start(t, "hold", path)
	if c.says("holds") == "" {
		t.Fatal("the child has no session")
	}
	c.kill()
	s := open(t, local.Options{Path: path})
	if _, err := s.NewSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "lock"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got error %v for the dead session's key", err)
	}
}
