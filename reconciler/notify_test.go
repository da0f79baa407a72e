package reconciler_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/notice"
	"kayra/reconciler"
	"kayra/store/catalog"
)

// A team is told once of each thing that happens, by the konductor.
func TestTeamsAreTold(t *testing.T) {
	t.Parallel()
	onFleets(t, tellingFleets(), func(w *world) {
		b := w.told()
		w.start()
		w.owned("apps", "sre")
		first := w.sub("sre").CurrentSyncID
		w.degrade()
		w.wantTold(b, "degraded")
		w.recover()
		w.wantTold(b, "degraded recovered")
		second := w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}}).SyncID
		w.wantTold(b, "degraded recovered rollout_started")
		w.sync(catalog.SyncRequest{Release: true})
		w.wantTold(b, "degraded recovered rollout_started rollout_released")
		w.sync(catalog.SyncRequest{})
		w.allSynced()
		w.wantTold(b, "degraded recovered rollout_started rollout_released")
		asked, heard := b.all()
		if len(asked) != len(heard) {
			t.Errorf("%d requests for %d events", len(asked), len(heard))
		}
		konductor := w.oneKonductor()
		for i, want := range []string{first, first, second, second} {
			e := heard[i]
			if e.Team != team || e.API != compute || e.SyncID != want || e.Reconciler != konductor || len(e.Channels) > 0 ||
				time.Since(e.At) > patience || !strings.Contains(e.Message, want) {
				t.Errorf("event %d is %+v", i, e)
			}
		}
		if heard[0].State != "degraded" || !strings.Contains(heard[0].Message, "1 of 2 subscriptions has failed at sync_id "+first) {
			t.Errorf("degraded: %+v", heard[0])
		}
		if n := w.metric(`kayra_reconciler_notifications_total{event="rollout_started",result="delivered"}`); n != 1 {
			t.Errorf("counted %v", n)
		}
	})
}

func TestAbortIsTold(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		b := w.told()
		w.start()
		w.owned("apps", "sre")
		bad := w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}}).SyncID
		w.wantTold(b, "rollout_started")
		w.sync(catalog.SyncRequest{Abort: true})
		w.allSynced()
		w.wantTold(b, "rollout_started rollout_aborted")
		if _, heard := b.all(); heard[1].SyncID != bad {
			t.Errorf("the event is about %s, not %s", heard[1].SyncID, bad)
		}
	})
}

// A rollback does not wait for a team to be told of what led to it, however long that takes.
func TestRollbackWaitsForNoTeam(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		b := w.told(func(o *reconciler.Options) {
			rollsBack := rollsBack(2, 0)
			o.Operator.Rollback = rollsBack.Rollback
		})
		w.start()
		w.owned("apps", "ops", "sre")
		good := w.sub("sre").CurrentSyncID
		begun, letGo := b.stuck(t)
		w.app.behave(func(c call) int {
			if c.syncID != good {
				return http.StatusInternalServerError
			}
			return http.StatusOK
		})
		bad := w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"apps", "ops"}}).SyncID
		<-begun
		w.eventually("it is rolled back", func() bool { return w.registered().RolledBack.Total == 1 })
		w.allSynced()
		if got := b.kinds(); got != "" {
			t.Errorf("%s was delivered already", got)
		}
		letGo()
		w.eventually("the team is told", func() bool { return strings.Contains(b.kinds(), "rolled_back") })
		_, heard := b.all()
		back := heard[slices.IndexFunc(heard, func(r notice.Request) bool { return r.Kind == notice.RolledBack })]
		if heard[0].Kind != notice.RolloutStarted || back.SyncID != bad || !strings.Contains(back.Message, good) {
			t.Errorf("%s; %+v", b.kinds(), back)
		}
	})
}

// A team whose webhook takes its time keeps no other team waiting.
func TestSlowTeamHoldsUpNobody(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		b := w.told()
		w.start()
		w.owned("apps", "sre")
		begun, _ := b.stuck(t)
		w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}})
		<-begun
		owner := "others"
		_, err := w.CreateRegistration(t.Context(), apiA, catalog.RegistrationChange{Owner: &owner})
		must(t, err)
		w.subscribe(apiA, "apps")
		w.becomes(apiA, catalog.HealthHealthy)
		b.behave(delivers)
		_, err = w.SyncRegistration(t.Context(), apiA, catalog.SyncRequest{CanaryNamespaces: []string{"apps"}}, nil)
		must(t, err)
		w.eventually("the other team is told", func() bool {
			_, heard := b.all()
			return len(heard) == 1 && heard[0].Team == owner
		})
	})
}

// What was not delivered is tried again, by the channels that are left, and is the same event.
func TestFailedDeliveryIsRepeated(t *testing.T) {
	t.Parallel()
	onFleets(t, tellingFleets(), func(w *world) {
		b := w.told()
		w.start()
		w.owned("apps", "sre")
		w.degraded(b)
		asked, _ := b.all()
		if len(asked) != 4 || len(asked[0].Channels)+len(asked[1].Channels) > 0 || !slices.Equal(asked[2].Channels, []notice.Channel{notice.Email}) {
			t.Errorf("asked %+v", asked)
		}
		for _, r := range asked[1:] {
			r.Channels = nil
			if fmt.Sprintf("%+v", r) != fmt.Sprintf("%+v", asked[0]) {
				t.Errorf("%+v is not %+v", r, asked[0])
			}
		}
		w.recover()
		w.eventually("the team is told", func() bool { return strings.HasSuffix(b.kinds(), "recovered") })
	})
}

// degraded has the team told so in the fourth try: at first there is no answer, then one channel fails twice.
func (w *world) degraded(b *bureau) {
	tries := 0
	b.behave(func(r notice.Request, gone <-chan struct{}) (int, notice.Answer) {
		tries++ // they are made one by one
		switch tries {
		case 1:
			return http.StatusServiceUnavailable, notice.Answer{}
		case 2:
			return http.StatusOK, notice.Answer{
				Delivered: []notice.Channel{notice.Slack}, Failed: []notice.Failure{{Channel: notice.Email, Error: "it answered 550"}},
			}
		case 3:
			return http.StatusOK, notice.Answer{Failed: []notice.Failure{{Channel: notice.Email, Error: "it answered 550"}}}
		}
		return delivers(r, gone)
	})
	w.degrade()
	w.wantTold(b, "degraded degraded") // once by each channel
}

// What was told is not told again within the interval, whoever is the konductor by then.
func TestThrottleSurvivesARestart(t *testing.T) {
	t.Parallel()
	onFleets(t, tellingFleets(), func(w *world) {
		b := w.told()
		w.start()
		w.owned("apps", "sre")
		w.degrade()
		w.recover()
		w.wantTold(b, "degraded recovered")
		w.stopAll()
		w.start()
		w.degrade()
		w.recover()
		w.wantTold(b, "degraded recovered")
		w.stopAll()
		options := w.options
		w.options = func(o *reconciler.Options) {
			options(o)
			o.NotifyWithin = time.Nanosecond
		}
		w.start()
		w.settle()
		w.wantTold(b, "degraded recovered")
		w.degrade()
		w.wantTold(b, "degraded recovered degraded")
	})
}

// What happens while no reconciler runs is told when one does.
func TestChangesWithoutAKonductor(t *testing.T) {
	t.Parallel()
	onFleets(t, tellingFleets(), func(w *world) {
		b := w.told()
		w.start()
		w.owned("apps", "sre")
		w.stopAll()
		w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}})
		w.start()
		w.wantTold(b, "rollout_started")
	})
}

// One that loses the office in the middle of a delivery leaves it to its successor, who hands over the same event.
func TestOfficeIsLostDuringADelivery(t *testing.T) {
	t.Parallel()
	onFleets(t, tellingFleets(), func(w *world) {
		b := w.told()
		w.start()
		w.owned("apps", "sre")
		begun, letGo := b.stuck(t)
		w.degrade()
		<-begun
		first := w.oneKonductor()
		w.remove(scope().Prefix() + "konductor")
		w.eventually("the office is held again", func() bool { return len(w.konductors()) == 1 })
		letGo()
		w.eventually("nothing is owed", func() bool {
			h, err := w.Health(t.Context(), compute)
			return err == nil && len(h.Told.Owed) == 0
		})
		w.settle()
		asked, _ := b.all()
		if successor := w.oneKonductor(); len(asked) > 2 || len(asked) != 1 && successor == first {
			t.Errorf("%d requests, first of %s, then of %s", len(asked), first, successor)
		}
		for _, r := range asked {
			if !r.At.Equal(asked[0].At) || r.Message != asked[0].Message || r.Reconciler != first {
				t.Errorf("%+v is not %+v", r, asked[0])
			}
		}
		w.recover()
		w.eventually("the team is told", func() bool { return strings.HasSuffix(b.kinds(), "recovered") })
	})
}

// One that has lost the office tells nobody any more, not even of what it has tried to tell before.
func TestOnlyTheKonductorTells(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fleet{"etcd", 2})
	b := w.told()
	w.start()
	w.owned("apps", "sre")
	b.behave(func(notice.Request, <-chan struct{}) (int, notice.Answer) {
		return http.StatusServiceUnavailable, notice.Answer{}
	})
	w.degrade()
	first := w.oneKonductor()
	w.eventually("it is tried", func() bool { return b.madeBy(first) > 1 })
	second := first
	for second == first {
		w.remove(scope().Prefix() + "konductor")
		w.eventually("the office is held", func() bool { return len(w.konductors()) == 1 })
		second = w.oneKonductor()
	}
	w.eventually("the other one tries", func() bool { return b.madeBy(second) > 0 })
	before := b.madeBy(first) + 1 // one may be on its way
	goal := b.madeBy(second) + 5
	w.eventually("it tries again and again", func() bool { return b.madeBy(second) >= goal })
	if after := b.madeBy(first); after > before {
		t.Errorf("%s has made %d requests more", first, after-before+1)
	}
	b.behave(delivers)
	w.wantTold(b, "degraded")
}

// One that is stopped in the middle of a delivery lets it end, so that nobody repeats it.
func TestStopDuringADelivery(t *testing.T) {
	t.Parallel()
	onFleets(t, tellingFleets(), func(w *world) {
		b := w.told()
		w.start()
		w.owned("apps", "sre")
		begun, letGo := b.stuck(t)
		w.degrade()
		<-begun
		for _, p := range w.started {
			p.signal()
		}
		w.eventually("it stops", func() bool { return strings.Contains(w.log.String(), "workers stopped") })
		letGo()
		for _, p := range w.started {
			p.stop()
		}
		w.start()
		w.wantTold(b, "degraded")
	})
}

// One that nobody answers does not keep the process.
func TestStopDuringADeliveryWithoutEnd(t *testing.T) {
	t.Parallel()
	onFleets(t, tellingFleets(), func(w *world) {
		b := w.told(func(o *reconciler.Options) { o.DrainTimeout = 10 * time.Millisecond })
		w.start()
		w.owned("apps", "sre")
		begun, _ := b.stuck(t)
		w.degrade()
		<-begun
		w.stopAll()
		b.behave(delivers)
		w.start()
		w.wantTold(b, "degraded")
	})
}

// Without an owner nobody is told, and without a notifier nothing is written about it.
func TestNobodyIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change   func(*reconciler.Options)
		register func(w *world)
		account  bool
	}{
		"no owner": {func(*reconciler.Options) {}, func(w *world) {
			w.register(compute, "apps", "sre")
			w.synced("apps", "sre")
			w.becomes(compute, catalog.HealthHealthy)
		}, true},
		"no notifier": {func(o *reconciler.Options) { o.Notifier = nil }, func(w *world) { w.owned("apps", "sre") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onFleets(t, extremes(), func(w *world) {
				b := w.told(c.change)
				w.start()
				c.register(w)
				w.degrade()
				w.recover()
				w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}})
				w.settle()
				asked, _ := b.all()
				h, err := w.Health(w.t.Context(), compute)
				if err != nil || len(asked) > 0 || (h.Told.UID != "") != c.account || len(h.Told.Owed) > 0 {
					w.t.Errorf("asked %+v; %+v, %v", asked, h.Told, err)
				}
			})
		})
	}
}

// A registration that goes while a team is being told of it leaves nothing behind.
func TestRegistrationGoesDuringADelivery(t *testing.T) {
	t.Parallel()
	onFleets(t, tellingFleets(), func(w *world) {
		b := w.told(func(o *reconciler.Options) { o.DrainTimeout = patience })
		w.start()
		w.owned()
		w.subscribe(compute, "sre")
		w.synced("sre")
		begun, letGo := b.stuck(t)
		w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}})
		<-begun
		must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
		must(t, w.DeleteRegistration(t.Context(), compute, nil))
		w.becomes(compute, "")
		letGo()
		w.settle()
		w.stays(compute, "")
	})
}
