package reconciler_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/local"
)

// town is a world whose reconcilers are processes of their own.
type town struct {
	*world

	plan     plan
	children []*child
	client   *http.Client
}

// child is one of them.
type child struct {
	id     string
	cmd    *exec.Cmd
	log    string        // the path of what it has logged
	exited chan struct{} // closed when it has ended
}

// newTown makes a town without processes, which take their place in it by plan.
func newTown(t *testing.T, backend string, change ...func(*plan)) *town {
	t.Helper()
	// A lease that is shorter may run out on a busy machine, without anybody having been killed.
	p := plan{Parent: os.Getpid(), LeaseTTL: 2 * time.Second, DrainTimeout: patience}
	for _, c := range change {
		c(&p)
	}
	var open opener
	if backend == "local" {
		p.Path = filepath.Join(t.TempDir(), "kayra.db")
		open = onLocal(local.Options{Path: p.Path})
	} else {
		server := cluster.Server(t)
		p.Endpoints, p.Prefix = server.Endpoints(), server.Prefix(t)
		open = onEtcd(etcd.Options{Endpoints: p.Endpoints, Prefix: p.Prefix, RequestTimeout: patience})
	}
	w := &town{
		world: newWorldOn(t, fleet{backend: backend}, open), plan: p,
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience},
	}
	w.plan.App = w.app.url
	w.resting = func(revision int64) bool {
		return !slices.ContainsFunc(w.children, func(c *child) bool {
			return !ended(c.exited) && !w.answers(c, "/idle/"+strconv.FormatInt(revision, 10))
		})
	}
	return w
}

// spawn starts a process, and waits until it is ready.
func (w *town) spawn() *child {
	w.t.Helper()
	c := w.launch()
	w.eventually(c.id+" is ready", func() bool {
		if ended(c.exited) {
			w.t.Fatalf("%s has ended: %s\n%s", c.id, c.cmd.ProcessState, c.logged())
		}
		return w.answers(c, "/-/readyz")
	})
	return c
}

// launch starts a process.
func (w *town) launch() *child {
	w.t.Helper()
	p := w.plan
	p.ID = fmt.Sprintf("process-%d", len(w.children))
	text, err := json.Marshal(p)
	must(w.t, err)
	self, err := os.Executable()
	must(w.t, err)
	c := &child{id: p.ID, log: filepath.Join(w.t.TempDir(), p.ID+".log"), exited: make(chan struct{})}
	log, err := os.Create(c.log)
	must(w.t, err)
	c.cmd = exec.CommandContext(context.WithoutCancel(w.t.Context()), self)
	// The race detector would have every process that ends wait for a second.
	c.cmd.Env = append(os.Environ(), planEnv+"="+string(text), "GORACE=atexit_sleep_ms=0")
	c.cmd.Stdout, c.cmd.Stderr = log, log
	must(w.t, c.cmd.Start())
	must(w.t, log.Close())
	go func() {
		defer close(c.exited)
		_ = c.cmd.Wait() // ProcessState has it
	}()
	w.t.Cleanup(func() {
		if c.kill(); w.t.Failed() {
			w.t.Logf("log of %s:\n%s", c.id, c.logged())
		}
	})
	w.children = append(w.children, c)
	return c
}

func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// kill ends the process as SIGKILL does, unless it has ended.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	<-c.exited
}

func (w *town) signal(c *child, sig os.Signal) {
	w.t.Helper()
	must(w.t, c.cmd.Process.Signal(sig))
}

// terminate sends SIGTERM, and waits until the process has taken notice.
func (w *town) terminate(c *child) {
	w.t.Helper()
	w.signal(c, syscall.SIGTERM)
	w.eventually(c.id+" stops", func() bool { return strings.Contains(c.logged(), `"msg":"`+stopping+`"`) })
}

// exit waits until the process has ended, and returns its exit code.
func (w *town) exit(c *child) int {
	w.t.Helper()
	w.eventually(c.id+" ends", func() bool { return ended(c.exited) })
	return c.cmd.ProcessState.ExitCode()
}

func (c *child) logged() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// session is the one that the process is announced under, or "".
func (w *town) session(c *child) string {
	w.t.Helper()
	e, err := w.store.Get(w.t.Context(), scope().Prefix()+"reconcilers/"+c.id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		w.t.Fatal(err)
	}
	return e.Session
}

// holder is the process that holds the lock of the namespace's subscription.
func (w *town) holder(ns string) *child {
	w.t.Helper()
	return w.holderOf(lockOf(ns))
}

func lockOf(ns string) string { return scope().Prefix() + "locks/subscriptions/" + compute + "/" + ns }

func (w *town) holderOf(key string) *child {
	w.t.Helper()
	lock, err := w.store.Get(w.t.Context(), key)
	must(w.t, err)
	i := slices.IndexFunc(w.children, func(c *child) bool { return w.session(c) == lock.Session })
	if i < 0 {
		w.t.Fatalf("session %q has %s, which no process has", lock.Session, key)
	}
	return w.children[i]
}

// get asks a process for what it serves. A process that cannot be reached answers nothing.
func (w *town) get(c *child, path string) (status int, body []byte) {
	w.t.Helper()
	e, err := w.store.Get(w.t.Context(), scope().Prefix()+"reconcilers/"+c.id)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	must(w.t, err)
	var r catalog.Reconciler
	must(w.t, catalog.Decode(e, &r))
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, r.Endpoint+path, nil)
	must(w.t, err)
	resp, err := w.client.Do(req)
	if err != nil {
		return 0, nil
	}
	body, err = io.ReadAll(resp.Body)
	must(w.t, errors.Join(err, resp.Body.Close()))
	return resp.StatusCode, body
}

func (w *town) answers(c *child, path string) bool {
	w.t.Helper()
	status, _ := w.get(c, path)
	return status == http.StatusOK
}

// metric reads a counter or a gauge without labels.
func (w *town) metric(c *child, name string) float64 {
	w.t.Helper()
	_, body := w.get(c, "/-/metrics")
	for lines := bufio.NewScanner(bytes.NewReader(body)); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			value, err := strconv.ParseFloat(text, 64)
			must(w.t, err)
			return value
		}
	}
	w.t.Fatalf("%s has no metric %s", c.id, name)
	return 0
}
