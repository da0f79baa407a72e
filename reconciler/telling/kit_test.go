package telling_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/notice"
	"kayra/reconciler/telling"
	"kayra/store/catalog"
)

const compute = "compute.example.com"

// desk is a konductor with one registration, whose team can be reached by the channels that are open.
type desk struct {
	t *testing.T

	health     catalog.Health
	standing   telling.Standing
	deliveries *telling.Deliveries
	self       string
	interval   time.Duration
	now        time.Time
	has, open  []notice.Channel
	err        error               // of a request; nil: it is answered
	heard      map[string][]string // by channel
	quiet      []notice.Kind
	late       []notice.Kind
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{
		t: t, self: "r0", interval: 15 * time.Minute, now: time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC),
		has: notice.Channels(), open: notice.Channels(), heard: map[string][]string{},
	}
	d.deliveries = telling.NewDeliveries(d.self, time.Second, time.Minute)
	d.health = catalog.Health{API: compute}
	d.standing = telling.Standing{
		Registration: &catalog.Registration{Name: compute, UID: "u1", Owner: "sre-a", SyncID: "a", ReleasedSyncID: "a"},
		State:        catalog.HealthHealthy, Subscribed: 12, Rollback: 3,
	}
	d.look()
	if len(d.health.Told.Owed) > 0 {
		t.Fatalf("at first sight: %+v", d.health.Told)
	}
	return d
}

// look looks once, and writes what comes of it.
func (d *desk) look() {
	last := d.deliveries.Last(compute)
	l := telling.Teller{
		Self: d.self, Interval: d.interval, Now: d.now, Sure: func(o catalog.Owed) bool { return d.deliveries.Sure(compute, o) },
	}.Look(d.health.Told, d.standing, last)
	d.health.Told = l.Told
	d.health.Revision++
	d.deliveries.Recorded(compute, last, d.health.Revision)
	d.quiet, d.late = append(d.quiet, l.Quiet...), append(d.late, l.Late...)
}

// begin begins the next delivery that is due.
func (d *desk) begin() (catalog.Owed, bool) {
	d.t.Helper()
	o, _, ok := d.deliveries.Begin(&d.health, d.now)
	return o, ok
}

// end ends it, as the channels let it.
func (d *desk) end(o catalog.Owed) {
	d.t.Helper()
	r := telling.Request(compute, o)
	if d.err != nil {
		d.deliveries.End(compute, notice.Answer{}, d.err, d.now)
		d.look()
		return
	}
	var a notice.Answer
	for _, c := range d.has {
		switch {
		case len(r.Channels) > 0 && !slices.Contains(r.Channels, c):
		case slices.Contains(d.open, c):
			a.Delivered = append(a.Delivered, c)
			d.heard[string(c)] = append(d.heard[string(c)], string(r.Kind))
		default:
			a.Failed = append(a.Failed, notice.Failure{Channel: c, Error: "closed"})
		}
	}
	d.deliveries.End(compute, a, nil, d.now)
	d.look()
}

// deliver delivers all that is due.
func (d *desk) deliver() {
	d.t.Helper()
	for range 100 {
		o, ok := d.begin()
		if !ok {
			return
		}
		d.end(o)
	}
	d.t.Fatal("deliveries without end")
}

// turn looks, and delivers what comes of it.
func (d *desk) turn() {
	d.t.Helper()
	d.look()
	d.deliver()
}

func (d *desk) becomes(state catalog.HealthState) {
	d.t.Helper()
	d.standing.State, d.standing.Reason = state, ""
	if state == catalog.HealthDegraded {
		d.standing.Reason = "5 attempts or more have failed since the last success (failure_threshold)"
	}
	d.turn()
}

// change changes the registration.
func (d *desk) change(how func(*catalog.Registration)) {
	d.t.Helper()
	reg := *d.standing.Registration
	how(&reg)
	d.standing.Registration = &reg
	d.turn()
}

func (d *desk) canary(id string, namespaces ...string) {
	d.t.Helper()
	d.change(func(r *catalog.Registration) { r.SyncID, r.CanaryNamespaces, r.Reverting = id, namespaces, false })
}

func (d *desk) release() {
	d.t.Helper()
	d.change(func(r *catalog.Registration) { r.ReleasedSyncID, r.CanaryNamespaces = r.SyncID, nil })
}

func (d *desk) abort() {
	d.t.Helper()
	d.change(func(r *catalog.Registration) { r.SyncID, r.CanaryNamespaces, r.Reverting = r.ReleasedSyncID, nil, true })
}

func (d *desk) rollBack(to string) {
	d.t.Helper()
	d.change(func(r *catalog.Registration) {
		r.RolledBack = catalog.RolledBack{Total: r.RolledBack.Total + 1, SyncID: r.SyncID}
		r.SyncID, r.ReleasedSyncID, r.CanaryNamespaces, r.Reverting = to, to, nil, true
	})
}

// restart has another process go on with the record.
func (d *desk) restart() {
	d.self += "'"
	d.deliveries = telling.NewDeliveries(d.self, time.Second, time.Minute)
}

// wantHeard checks what has been heard by the plain webhook.
func (d *desk) wantHeard(want string) {
	d.t.Helper()
	d.wantHeardBy(notice.Webhook, want)
}

func (d *desk) wantHeardBy(c notice.Channel, want string) {
	d.t.Helper()
	if got := strings.Join(d.heard[string(c)], " "); got != want {
		d.t.Errorf("by %s was heard %q, not %q", c, got, want)
	}
}

var errLost = errors.New("no answer")
