package telling_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kayra/notice"
	"kayra/store/catalog"
)

// What happens, as a team hears of it by a channel that works.
func TestEvents(t *testing.T) {
	t.Parallel()
	const degraded, healthy = catalog.HealthDegraded, catalog.HealthHealthy
	for name, c := range map[string]struct {
		happens func(d *desk)
		heard   string
	}{
		"nothing":                {func(d *desk) { d.turn() }, ""},
		"degraded":               {func(d *desk) { d.becomes(degraded); d.turn() }, "degraded"},
		"degraded, recovered":    {func(d *desk) { d.becomes(degraded); d.becomes(healthy); d.turn() }, "degraded recovered"},
		"degraded by its start":  {func(d *desk) { d.becomes(catalog.HealthStarted); d.becomes(degraded) }, "degraded"},
		"recovered by a restart": {func(d *desk) { d.becomes(degraded); d.becomes(catalog.HealthNotStarted); d.becomes(healthy) }, "degraded recovered"},
		"a restart alone": {func(d *desk) {
			d.becomes(degraded)
			d.becomes(catalog.HealthPending)
			d.becomes(degraded)
		}, "degraded"},
		"a plain sync": {func(d *desk) {
			d.change(func(r *catalog.Registration) { r.SyncID, r.ReleasedSyncID = "b", "b" })
		}, ""},
		"a canary":               {func(d *desk) { d.canary("b", "sre"); d.turn() }, "rollout_started"},
		"released":               {func(d *desk) { d.canary("b", "sre"); d.release(); d.turn() }, "rollout_started rollout_released"},
		"aborted":                {func(d *desk) { d.canary("b", "sre"); d.abort(); d.turn() }, "rollout_started rollout_aborted"},
		"rolled back":            {func(d *desk) { d.canary("b", "sre"); d.rollBack("a"); d.turn() }, "rollout_started rolled_back"},
		"rolled back, no canary": {func(d *desk) { d.rollBack("z") }, "rolled_back"},
		"degraded and rolled back": {func(d *desk) {
			d.canary("b", "sre")
			d.standing.State = degraded
			d.rollBack("a")
			d.becomes(healthy)
		}, "rollout_started degraded rolled_back recovered"},
		"another list": {func(d *desk) { d.interval = 0; d.canary("b", "sre"); d.canary("b", "sre", "ops") }, "rollout_started rollout_started"},
		"another id":   {func(d *desk) { d.interval = 0; d.canary("b", "sre"); d.canary("c", "sre") }, "rollout_started rollout_started"},
		"an aborted one begins again": {
			func(d *desk) { d.canary("b", "sre"); d.abort(); d.interval = 0; d.canary("c", "sre") },
			"rollout_started rollout_aborted rollout_started",
		},
		"a rollout right after a rollback": {func(d *desk) {
			d.change(func(r *catalog.Registration) {
				r.RolledBack.Total, r.RolledBack.SyncID, r.SyncID, r.CanaryNamespaces = 1, "b", "c", []string{"sre"}
			})
		}, "rolled_back rollout_started"},
		"nobody owns it": {func(d *desk) {
			d.standing.Registration.Owner = ""
			d.becomes(degraded)
			d.canary("b", "sre")
			d.change(func(r *catalog.Registration) { r.Owner = "sre-a" })
			d.becomes(healthy)
			d.release()
		}, "rollout_released"},
		"no channel": {func(d *desk) {
			d.has = nil
			d.becomes(degraded)
			d.has = notice.Channels()
			d.turn()
			d.becomes(healthy)
		}, "recovered"},
		"another one of the name": {func(d *desk) {
			d.canary("b", "sre")
			d.change(func(r *catalog.Registration) {
				r.UID, r.SyncID, r.ReleasedSyncID, r.CanaryNamespaces = "u2", "x", "x", nil
			})
			d.becomes(degraded)
		}, "rollout_started degraded"},
		"it is gone and comes back": {func(d *desk) {
			d.becomes(degraded)
			back := d.standing.Registration
			d.standing.Registration = nil
			d.turn()
			d.standing.Registration, d.standing.State = back, healthy
			d.turn()
		}, "degraded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			c.happens(d)
			d.wantHeard(c.heard)
			d.restart()
			d.turn()
			d.wantHeard(c.heard)
			if len(d.health.Told.Owed) > 0 {
				t.Errorf("still owed: %+v", d.health.Told.Owed)
			}
		})
	}
}

// An event that was told is not told again within the interval, over a restart too, and then it is.
func TestThrottle(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	flap := func() {
		d.becomes(catalog.HealthDegraded)
		d.becomes(catalog.HealthHealthy)
	}
	flap()
	d.restart()
	d.now = d.now.Add(d.interval - time.Millisecond)
	flap()
	d.wantHeard("degraded recovered")
	if fmt.Sprint(d.quiet) != "[degraded]" {
		t.Errorf("quiet of %v: that it has recovered is nothing to be quiet of where nobody was told", d.quiet)
	}
	d.now = d.now.Add(time.Millisecond)
	d.turn()
	d.wantHeard("degraded recovered")
	flap()
	d.wantHeard("degraded recovered degraded recovered")
}

// A recovery is told of where the degradation was, and only there.
func TestNobodyRecoversWhoWasNotDegraded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.becomes(catalog.HealthDegraded)
	d.becomes(catalog.HealthHealthy)
	d.now = d.now.Add(d.interval - time.Second)
	d.becomes(catalog.HealthDegraded) // of which nobody is told
	d.now = d.now.Add(d.interval)
	d.restart()
	d.becomes(catalog.HealthHealthy)
	d.wantHeard("degraded recovered")
	if d.health.Told.Untold {
		t.Error("there is nothing that it could be told of")
	}
}

// What it is when it is seen for the first time counts as told.
func TestDegradedAtFirstSight(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.health.Told = catalog.Told{}
	d.becomes(catalog.HealthDegraded)
	d.wantHeard("")
	d.becomes(catalog.HealthHealthy)
	d.wantHeard("recovered")
}

// What was not delivered is repeated with growing pauses, by the channels that have failed, and is the same event.
func TestRepetition(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.open = []notice.Channel{notice.Slack}
	d.becomes(catalog.HealthDegraded)
	d.wantHeardBy(notice.Slack, "degraded")
	was := d.health.Told.Owed[0]
	for try, least := range []time.Duration{time.Second, time.Second, time.Second} {
		d.now = d.now.Add(least - time.Millisecond)
		if _, ok := d.begin(); ok {
			t.Fatalf("try %d comes too soon", try)
		}
		d.now = d.now.Add(2 * time.Minute) // more than the limit
		d.deliver()
	}
	d.wantHeardBy(notice.Slack, "degraded")
	d.restart()
	d.open = notice.Channels()
	d.deliver()
	d.wantHeardBy(notice.Slack, "degraded")
	d.wantHeardBy(notice.Email, "degraded")
	d.wantHeard("degraded")
	if was.Message == "" || was.Reconciler != "r0" || was.At.IsZero() {
		t.Errorf("owed was %+v", was)
	}
}

// A delivery that failed is no delivery: the interval begins with the one that succeeds.
func TestFailureIsNotCountedAsSent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.open = nil
	d.becomes(catalog.HealthDegraded)
	if len(d.health.Told.Sent) > 0 {
		t.Errorf("sent: %v", d.health.Told.Sent)
	}
	d.now = d.now.Add(time.Hour)
	d.open = notice.Channels()
	d.deliver()
	if at := d.health.Told.Sent["degraded"]; !at.Equal(d.now) {
		t.Errorf("sent at %s, not at %s", at, d.now)
	}
}

// An event that is no more is not told of, if nobody was; if somebody may have been, they are told how it went on.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	undelivered := fmt.Errorf("refused: %w", notice.ErrUndelivered)
	for name, c := range map[string]struct {
		err     error
		restart bool
		heard   string
	}{
		"nobody was told":               {undelivered, false, ""},
		"somebody may have been":        {errLost, false, "recovered"},
		"the process has ended":         {undelivered, true, "recovered"},
		"all channels have said no":     {nil, false, ""},
		"all channels, and it restarts": {nil, true, "recovered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.err, d.open = c.err, nil
			d.becomes(catalog.HealthDegraded)
			if c.restart {
				d.restart()
			}
			d.err, d.open = nil, notice.Channels()
			d.becomes(catalog.HealthHealthy)
			d.now = d.now.Add(time.Hour)
			d.turn()
			d.wantHeard(c.heard)
		})
	}
}

// Of one that some channels have told of, the others are not told any more, and those are told how it went on.
func TestHalfToldAndOvertaken(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.open = []notice.Channel{notice.Slack}
	d.becomes(catalog.HealthDegraded)
	d.open = notice.Channels()
	d.becomes(catalog.HealthHealthy)
	d.now = d.now.Add(time.Hour)
	d.turn()
	d.wantHeardBy(notice.Slack, "degraded recovered")
	d.wantHeardBy(notice.Email, "")
}

// While an event is being delivered, nothing is decided about its like.
func TestDecisionsWaitForADelivery(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.standing.State = catalog.HealthDegraded
	d.look()
	o, ok := d.begin()
	if !ok {
		t.Fatal("nothing is owed")
	}
	if _, ok := d.begin(); ok {
		t.Fatal("two deliveries at once")
	}
	d.standing.State = catalog.HealthHealthy
	d.look()
	d.canaryUntold("b")
	if got := events(d.health.Told.Owed); got != "degraded rollout_started" {
		t.Errorf("owed are %s", got)
	}
	d.end(o)
	d.deliver()
	d.wantHeard("degraded rollout_started recovered")
}

func TestDecisionsWaitForARecovery(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.interval = 0
	d.becomes(catalog.HealthDegraded)
	d.standing.State = catalog.HealthHealthy
	d.look()
	o, _ := d.begin()
	d.standing.State = catalog.HealthDegraded
	d.look()
	d.end(o)
	d.deliver()
	d.wantHeard("degraded recovered degraded")
}

func (d *desk) canaryUntold(id string) {
	reg := *d.standing.Registration
	reg.SyncID, reg.CanaryNamespaces = id, []string{"sre"}
	d.standing.Registration = &reg
	d.look()
}

// A rollout that begins while the one before is being told of is one event in the interval.
func TestRolloutWaitsForItsLike(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.canaryUntold("b")
	o, _ := d.begin()
	d.canaryUntold("c")
	d.end(o)
	d.deliver()
	d.wantHeard("rollout_started")
	if len(d.quiet) != 1 {
		t.Errorf("quiet of %v", d.quiet)
	}
}

// One that nobody was told of makes room for its like.
func TestOwedEventIsReplaced(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.open = nil
	d.canary("b", "sre")
	d.canary("c", "sre")
	d.canaryUntold("d")
	if len(d.health.Told.Owed) != 1 || d.health.Told.Owed[0].SyncID != "d" {
		t.Errorf("owed: %+v", d.health.Told.Owed)
	}
	d.open = notice.Channels()
	d.deliver()
	d.wantHeard("rollout_started")
}

// The pauses grow, and have a limit.
func TestPausesGrow(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.standing.State = catalog.HealthDegraded
	d.look()
	var longest time.Duration
	for range 40 {
		d.now = d.now.Add(2 * time.Minute)
		if _, ok := d.begin(); !ok {
			t.Fatal("it is not due")
		}
		wait := d.deliveries.End(compute, notice.Answer{}, errLost, d.now)
		if wait < time.Second || wait > time.Minute+time.Second {
			t.Fatalf("it waits for %s", wait)
		}
		longest = max(longest, wait)
		d.look()
	}
	if longest <= 2*time.Second {
		t.Errorf("of 40 pauses none is longer than %s", longest)
	}
}

// One that is on its way is not begun again before the record says that it has arrived.
func TestRecordIsWaitedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.standing.State = catalog.HealthDegraded
	d.look()
	stale := d.health
	o, _ := d.begin()
	d.end(o)
	if _, _, ok := d.deliveries.Begin(&stale, d.now); ok {
		t.Error("it was begun again from an old record")
	}
}

func TestGivenUp(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.open = nil
	d.becomes(catalog.HealthDegraded)
	d.now = d.now.Add(24 * time.Hour)
	d.look()
	if len(d.late) > 0 || len(d.health.Told.Owed) != 1 {
		t.Errorf("too early: %+v", d.health.Told)
	}
	o, _ := d.begin()
	d.now = d.now.Add(time.Minute)
	d.look()
	if len(d.late) > 0 {
		t.Error("it is given up while it is tried")
	}
	d.end(o)
	if fmt.Sprint(d.late) != "[degraded]" || len(d.health.Told.Owed) != 0 {
		t.Errorf("late: %v; %+v", d.late, d.health.Told)
	}
}

// A stop waits for what is on its way, and lets nothing begin.
func TestStop(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.standing.State = catalog.HealthDegraded
	d.look()
	o, _ := d.begin()
	d.canaryUntold("b")
	idle := d.deliveries.Stop()
	select {
	case <-idle:
		t.Fatal("it does not wait")
	default:
	}
	d.end(o)
	<-idle
	if _, ok := d.begin(); ok {
		t.Error("another one has begun")
	}
	<-d.deliveries.Stop()
}

// The account that is given is left as it is: it is another's.
func TestAccountIsCopied(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.open = []notice.Channel{notice.Slack}
	d.becomes(catalog.HealthDegraded)
	before, was := d.health.Told, fmt.Sprintf("%+v", d.health.Told)
	d.open = notice.Channels()
	d.now = d.now.Add(time.Hour)
	d.deliver()
	d.canary("b", "sre")
	d.becomes(catalog.HealthHealthy)
	if got := fmt.Sprintf("%+v", before); got != was {
		t.Errorf("was %s, is %s", was, got)
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for kind, c := range map[notice.Kind]struct {
		happens func(d *desk)
		about   string
		parts   []string
	}{
		notice.Degraded: {func(d *desk) { d.standing.Failed = 3; d.becomes(catalog.HealthDegraded) }, "a", []string{
			"5 attempts or more have failed since the last success (failure_threshold); 3 of 12 subscriptions have failed at sync_id a.", "/status` says",
		}},
		notice.Recovered: {func(d *desk) {
			d.open = notice.Channels()
			d.becomes(catalog.HealthDegraded)
			d.open = nil
			d.becomes(catalog.HealthHealthy)
		}, "a", []string{
			"healthy again", "0 of 12 subscriptions have failed at sync_id a", "nothing to do",
		}},
		notice.RolloutStarted: {func(d *desk) { d.canary("b", "n1", "n2", "n3", "n4", "n5", "n6", "n7") }, "b", []string{
			"sync_id b goes to n1, n2, n3, n4, n5 and 2 more", "stays at a", "`kayra rollout release compute.example.com --expect-sync-id b`", "`kayra rollout abort compute.example.com --expect-sync-id b`",
		}},
		notice.RolloutReleased: {func(d *desk) { d.canary("b", "sre"); d.standing.Failed = 1; d.release() }, "b", []string{
			"sync_id b is for everybody now", "1 of 12 subscriptions has failed",
		}},
		notice.RolloutAborted: {func(d *desk) { d.canary("b", "sre"); d.abort() }, "b", []string{"sync_id b has reached go back to a"}},
		notice.RolledBack: {func(d *desk) { d.canary("b", "sre"); d.rollBack("a") }, "b", []string{
			"3 subscriptions in a row have failed at sync_id b (rollback.consecutive_failures), so that everybody goes back to a", "until somebody sets it",
		}},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.open = nil
			c.happens(d)
			for _, o := range d.health.Told.Owed {
				if o.Event != string(kind) {
					continue
				}
				for _, part := range c.parts {
					if !strings.Contains(o.Message, part) {
						t.Errorf("no %q in %q", part, o.Message)
					}
				}
				if o.SyncID != c.about || o.Team != "sre-a" || len(o.Message) > 1024 {
					t.Errorf("%+v", o)
				}
				return
			}
			t.Errorf("not owed: %+v", d.health.Told.Owed)
		})
	}
}

func events(owed []catalog.Owed) string {
	var names []string
	for _, o := range owed {
		names = append(names, o.Event)
	}
	return strings.Join(names, " ")
}
