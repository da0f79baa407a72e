package watch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/server/watch"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/local"
)

const patience = time.Minute

func home() catalog.Scope { return catalog.Scope{Platform: "sandbox", Region: "eu-west-1"} }

func openLocal(tb testing.TB) store.Store {
	tb.Helper()
	s, err := local.Open(tb.Context(), local.Options{Path: filepath.Join(tb.TempDir(), "kayra.db")})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func openEtcd(tb testing.TB) store.Store {
	tb.Helper()
	srv := cluster.Server(tb)
	s, err := etcd.Open(tb.Context(), etcd.Options{
		Endpoints: srv.Endpoints(), Prefix: srv.Prefix(tb), RequestTimeout: time.Minute, WatchProgress: 50 * time.Millisecond,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// process is a hub that follows a store, as in a process of its own.
type process struct {
	*watch.Hub

	stop func()
	hold sync.Mutex // the hub is told nothing meanwhile
}

// start starts a process that ends with the test, if it was not stopped before.
func start(ctx context.Context, tb testing.TB, s store.Store) *process {
	tb.Helper()
	return startWith(ctx, tb, s, watch.Options{Pace: 20 * time.Millisecond})
}

func startWith(ctx context.Context, tb testing.TB, s store.Store, o watch.Options) *process {
	tb.Helper()
	o.Repository = catalog.NewRepository(s, home())
	p := &process{Hub: watch.New(o)}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 2)
	go func() { ended <- p.Run(ctx) }()
	go func() {
		_ = store.Follow(ctx, s, home().Prefix(), held{p.Hub, &p.hold})
		ended <- nil
	}()
	stopped := false
	p.stop = func() {
		stop()
		if stopped {
			return
		}
		stopped = true
		for range 2 {
			if err := <-ended; err != nil {
				tb.Errorf("hub: %v", err)
			}
		}
	}
	tb.Cleanup(p.stop)
	if err := p.Wait(ctx, 1); err != nil {
		tb.Fatal(err)
	}
	return p
}

// held is a follower that is told nothing for as long as it is held.
type held struct {
	store.Follower

	lock sync.Locker
}

// Apply passes on what a follower is told.
func (h held) Apply(b store.Batch) {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.Follower.Apply(b)
}

// client reads a stream as a client does, and keeps a copy of what it says.
type client struct {
	*watch.Reader

	topic watch.Topic
	rows  map[string]string
	head  string // of what was synced last; "": that has not come
	id    int64  // that came last
	begun bool   // an event has come
	gone  map[string]bool
	whole bool // it has begun with all rows: each event can be held against those before
	seen  []string
}

// open opens a stream at a process.
func (p *process) open(ctx context.Context, t watch.Topic) (*client, error) {
	r, err := p.Open(ctx, t, watch.FromStart)
	return &client{Reader: r, topic: t, rows: map[string]string{}, gone: map[string]bool{}, whole: true}, err
}

// move goes on with a stream at another process.
func (c *client) move(ctx context.Context, to *process) error {
	after := int64(watch.FromStart)
	if c.begun {
		after = c.id
	}
	r, err := to.Open(ctx, c.topic, after)
	if err != nil {
		return err
	}
	c.Reader, c.head = r, ""
	c.whole = !c.begun
	return nil
}

// read takes in what there is now. It fails at the end of the stream, or if that says what cannot be.
func (c *client) read() (more <-chan struct{}, err error) {
	for {
		part, more, err := c.Next()
		if err != nil {
			return nil, err
		}
		if len(part) == 0 {
			return more, nil
		}
		for block := range strings.SplitSeq(strings.TrimSuffix(string(part), "\n\n"), "\n\n") {
			if err := c.take(block); err != nil {
				return nil, fmt.Errorf("%w: %s", err, block)
			}
		}
	}
}

func (c *client) take(block string) error {
	var kind, data, id string
	for line := range strings.Lines(block + "\n") {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "data":
			data = value
		case "id":
			id = value
		default:
			return fmt.Errorf("a strange line %q", line)
		}
	}
	var err error
	if c.id, err = strconv.ParseInt(id, 10, 64); err != nil {
		return fmt.Errorf("its id: %w", err)
	}
	c.begun = true
	key := identity(c.topic, data)
	c.seen = append(c.seen, kind+" "+key)
	_, known := c.rows[key]
	switch kind {
	case "reset":
		clear(c.rows)
		c.whole, c.head = true, ""
	case "synced":
		c.head = data
	case "added", "modified":
		if c.whole && known && kind == "added" && !c.gone[key] {
			return errors.New("it is known already")
		}
		c.rows[key] = data
	case "deleted":
		delete(c.rows, key)
		c.gone[key] = true // and may come and go so fast that a reader is not told which of the two is new
	default:
		return errors.New("a strange event")
	}
	return nil
}

// identity is what a row is known by.
func identity(t watch.Topic, data string) string {
	var is struct{ ID, Name, API, Namespace string }
	_ = json.Unmarshal([]byte(data), &is) // of what is no row there is none
	switch t.Of {                         //nolint:exhaustive // the others have no names but their own
	case watch.Status:
		is.Name = ""
	case watch.RoleBindings:
		is.Namespace = ""
	}
	return is.ID + is.Name + is.API + "/" + is.Namespace
}

// comes reads on until the events have come, in any order within a revision, and nothing else has.
func (c *client) comes(tb testing.TB, events ...string) {
	tb.Helper()
	deadline := time.After(patience)
	for {
		more, err := c.read()
		if err != nil {
			tb.Fatal(err)
		}
		if len(c.seen) >= len(events) {
			got := slices.Clone(c.seen)
			slices.Sort(got)
			slices.Sort(events)
			if !slices.Equal(got, events) {
				tb.Fatalf("%q came, not %q", got, events)
			}
			c.seen = nil
			return
		}
		select {
		case <-more:
		case <-deadline:
			tb.Fatalf("only %q came of %q", c.seen, events)
		}
	}
}

// until reads on until it is so.
func (c *client) until(tb testing.TB, is func() bool) {
	tb.Helper()
	deadline := time.After(patience)
	for {
		more, err := c.read()
		if err != nil {
			tb.Fatal(err)
		}
		if is() {
			return
		}
		select {
		case <-more:
		case <-deadline:
			tb.Fatalf("it did not become so; %v: %v", c.topic, slicesOf(c.rows))
		}
	}
}

func slicesOf(rows map[string]string) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString("\n" + row)
	}
	return b.String()
}
