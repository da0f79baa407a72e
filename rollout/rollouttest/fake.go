// Package rollouttest has what tests of rollouts need: a server that does nothing by itself, and a real one with a
// reconciler that does as it is told.
package rollouttest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"kayra/rollout"
	"kayra/server/api"
	"kayra/store/catalog"
)

// Group is Kayra's own API in tests.
const Group = "catalog.example.com"

// Fake is a server in memory. It does nothing by itself: tests say what becomes of its rows. It implements
// [rollout.Client], and its methods may be called from any number of goroutines.
type Fake struct {
	mutex     sync.Mutex
	regs      map[string]api.Registration
	rows      map[string]map[string]api.Row // by API and namespace
	documents map[string]bool
	runs      map[string]rollout.Run // by API/NAMESPACE
	minted    int
	sent      []string
	changed   chan struct{} // closed at the next change
	broken    error
	before    func()
}

// NewFake makes a server without anything.
func NewFake() *Fake {
	return &Fake{
		regs: map[string]api.Registration{}, rows: map[string]map[string]api.Row{}, documents: map[string]bool{},
		runs: map[string]rollout.Run{}, changed: make(chan struct{}),
	}
}

// At is the time at which everything has happened.
func At() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// Register adds a registration whose sync id is "v1", with its document, and active subscriptions that are synced.
func (f *Fake) Register(name string, namespaces ...string) {
	f.change(func() {
		short, _, _ := strings.Cut(name, ".")
		f.regs[name] = api.Registration{Name: name, ShortName: short, SyncID: "v1", ReleasedSyncID: "v1", Active: true, CanaryNamespaces: []string{}}
		f.documents[name], f.rows[name] = true, map[string]api.Row{}
		for _, ns := range namespaces {
			f.rows[name][ns] = Synced(ns, "v1")
		}
	})
}

// Synced is a row that is synced.
func Synced(ns, id string) api.Row {
	active := true
	return api.Row{
		Namespace: ns, Active: &active, State: catalog.StateSuccess, CurrentSyncID: id, Synced: true, Reason: catalog.ReasonSynced,
		AttemptedSyncID: id, UpdatedAt: At(),
	}
}

// Idle is a row of a subscription that is not active yet.
func Idle(ns string) api.Row {
	active := false
	return api.Row{Namespace: ns, Active: &active, State: catalog.StateInit, Reason: catalog.ReasonInit, UpdatedAt: At()}
}

// Failed is a row that is at one sync id, and has ended in error at another one.
func Failed(ns, at, tried string) api.Row {
	r := Synced(ns, at)
	r.State, r.Synced, r.Reason, r.AttemptedSyncID = catalog.StateError, false, catalog.ReasonStepFailed, tried
	r.Message, r.UpdatedAt = "step 2 (await): answered 500", At().Add(time.Second)
	return r
}

// Going is a row that is at a sync id, and that has a reason for not being at the next one.
func Going(ns, at string, why catalog.Reason, message string) api.Row {
	r := Synced(ns, at)
	r.Synced, r.Reason, r.Message = false, why, message
	return r
}

// Set puts rows in the place of those of the same namespaces.
func (f *Fake) Set(name string, rows ...api.Row) {
	f.change(func() {
		for _, r := range rows {
			f.rows[name][r.Namespace] = r
		}
	})
}

// Unsubscribe takes a row away.
func (f *Fake) Unsubscribe(name, ns string) { f.change(func() { delete(f.rows[name], ns) }) }

// Delete takes a registration away.
func (f *Fake) Delete(name string) { f.change(func() { delete(f.regs, name) }) }

// Edit changes a registration.
func (f *Fake) Edit(name string, edit func(*api.Registration)) {
	f.change(func() {
		reg := f.regs[name]
		edit(&reg)
		f.regs[name] = reg
	})
}

// WithoutDocument has the document of an API not be there.
func (f *Fake) WithoutDocument(name string) { f.change(func() { f.documents[name] = false }) }

// Ran says what the last run for a namespace was.
func (f *Fake) Ran(name, ns string, run rollout.Run) { f.change(func() { f.runs[name+"/"+ns] = run }) }

// Break has every request fail, and streams break; nil: no more.
func (f *Fake) Break(err error) { f.change(func() { f.broken = err }) }

// BeforeSync has something happen once, before the next PUT is looked at.
func (f *Fake) BeforeSync(do func()) { f.change(func() { f.before = do }) }

// Sent are the requests that change something, in their order: METHOD PATH BODY.
func (f *Fake) Sent() []string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return slices.Clone(f.sent)
}

func (f *Fake) change(do func()) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	do()
	f.wake()
}

// Do implements [rollout.Client].
func (f *Fake) Do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("request: %w", context.Cause(ctx))
	}
	if method == "PUT" {
		f.mutex.Lock()
		before := f.before
		f.before = nil
		f.mutex.Unlock()
		if before != nil {
			before()
		}
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.broken != nil {
		return nil, f.broken
	}
	answer, err := f.answer(method, path, body)
	if err != nil {
		return nil, err
	}
	if method == "PUT" {
		f.wake()
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return data, nil
}

// wake has followers look again.
func (f *Fake) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *Fake) answer(method, path string, body []byte) (any, error) {
	rest, _ := strings.CutPrefix(path, "/apis/"+Group+"/v1/apiregistrations")
	rest, _, _ = strings.Cut(rest, "?")
	if rest == "" {
		var all []api.Registration
		for _, reg := range f.regs {
			all = append(all, reg)
		}
		slices.SortFunc(all, func(a, b api.Registration) int { return strings.Compare(a.Name, b.Name) })
		return api.List[api.Registration]{Items: all}, nil
	}
	name, sub, _ := strings.Cut(rest[1:], "/")
	name, _ = url.PathUnescape(name)
	reg, ok := f.regs[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("API registration %q: %w", name, catalog.ErrNotFound)
	case method == "PUT":
		f.sent = append(f.sent, method+" "+path+" "+string(body))
		return f.sync(reg, body)
	case sub == "openapi.json" && !f.documents[name]:
		return nil, fmt.Errorf("document: %w", catalog.ErrNotFound)
	case sub == "openapi.json":
		return map[string]string{"openapi": "3.1.0"}, nil
	case sub == "status":
		return f.status(reg), nil
	}
	return reg, nil
}

func (f *Fake) status(reg api.Registration) api.Status {
	s := api.Status{Name: reg.Name, SyncID: reg.SyncID, ReleasedSyncID: reg.ReleasedSyncID, CanaryNamespaces: reg.CanaryNamespaces}
	for _, r := range f.rows[reg.Name] {
		r.Synced = r.CurrentSyncID == reg.SyncID
		held := len(reg.CanaryNamespaces) > 0 && !slices.Contains(reg.CanaryNamespaces, r.Namespace)
		switch {
		case held && *r.Active:
			r.Reason, r.Message = catalog.ReasonCanaryHold, "a rollout is pending: it reaches this namespace when it is released"
		case !r.Synced && r.Reason == catalog.ReasonSynced:
			r.Reason, r.Message = catalog.ReasonQueued, "waiting for a reconciler"
		}
		s.Subscriptions = append(s.Subscriptions, r)
	}
	slices.SortFunc(s.Subscriptions, func(a, b api.Row) int { return strings.Compare(a.Namespace, b.Namespace) })
	return s
}

// sync does what catalog.SyncRegistration does.
func (f *Fake) sync(reg api.Registration, body []byte) (any, error) {
	var req api.Sync
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	pending := len(reg.CanaryNamespaces) > 0
	if req.ExpectedSyncID != "" && req.ExpectedSyncID != reg.SyncID || (req.Release || req.Abort) && !pending {
		return nil, fmt.Errorf("sync_id is %q: %w", reg.SyncID, catalog.ErrConflict)
	}
	switch {
	case req.Abort:
		reg.SyncID, reg.CanaryNamespaces = reg.ReleasedSyncID, []string{}
	case len(req.CanaryNamespaces) > 0:
		reg.SyncID, reg.CanaryNamespaces = f.mint(), req.CanaryNamespaces
	default:
		if !pending {
			reg.SyncID = f.mint()
		}
		reg.ReleasedSyncID, reg.CanaryNamespaces = reg.SyncID, []string{}
	}
	f.regs[reg.Name] = reg
	return reg, nil
}

// mint makes v2, v3 and so on.
func (f *Fake) mint() string {
	f.minted++
	return fmt.Sprintf("v%d", f.minted+1)
}

// Follow implements [rollout.Client].
func (f *Fake) Follow(ctx context.Context, path string, l rollout.Listener) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/apis/"+Group+"/v1/apiregistrations/"), "/")
	known, head := map[string]string{}, ""
	for {
		f.mutex.Lock()
		changed, broken := f.changed, f.broken
		reg, ok := f.regs[name]
		rows := f.status(reg).Subscriptions
		f.mutex.Unlock()
		if !ok {
			return fmt.Errorf("API registration %q: %w", name, catalog.ErrNotFound)
		}
		if l.Live(broken, time.Second); broken == nil {
			if err := tell(l, known, rows); err != nil {
				return err
			}
			if now := fmt.Sprint(reg); now != head {
				head = now
				l.Synced()
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("follow: %w", context.Cause(ctx))
		case <-changed:
		}
	}
}

// tell tells of what is new in the rows.
func tell(l rollout.Listener, known map[string]string, rows []api.Row) error {
	now := map[string]string{}
	for _, r := range rows {
		data, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode row: %w", err)
		}
		if now[r.Namespace] = string(data); known[r.Namespace] == string(data) {
			continue
		}
		if err := l.Row(data, false); err != nil {
			return fmt.Errorf("tell: %w", err)
		}
		known[r.Namespace] = string(data)
	}
	for ns, data := range known {
		if _, there := now[ns]; there {
			continue
		}
		delete(known, ns)
		if err := l.Row([]byte(data), true); err != nil {
			return fmt.Errorf("tell: %w", err)
		}
	}
	return nil
}

// Run implements [rollout.Client].
func (f *Fake) Run(_ context.Context, name, namespace string) (rollout.Run, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.runs[name+"/"+namespace], f.broken
}
