package feed_test

import (
	"fmt"
	"testing"

	"kayra/cli/feed"
	"kayra/tui/fleet"
)

func settled(n int) func(*fleet.API) bool {
	return func(a *fleet.API) bool { return a.Counts.Subscribed == n && a.Counts.Synced == n }
}

// A fan-out is watched: what the copy comes to is what the server lists, each sync that ended well is counted once, and those
// who work on it are known.
func TestAFanOut(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *town) {
		const tenants = 12
		w.populate(tenants)
		w.start("reconciler", "127.0.0.1:0")
		o := w.look(w.feed("root-token"))
		o.seesAPI("all are synced", settled(tenants))
		o.seesAPI("workers are known, and the API is healthy", func(a *fleet.API) bool {
			return a.Known() && a.Workers == 5 && a.State == "healthy"
		})
		before := 0
		o.seesAPI("the first syncs", func(a *fleet.API) bool {
			before = total(a.History)
			return true
		})
		w.do("PUT", regs+"/"+compute+"/sync", `{}`)
		o.seesAPI("all are synced again", func(a *fleet.API) bool {
			s := a.SyncID
			return settled(tenants)(a) && total(a.History) == before+tenants && s != "" && a.RatePerMinute > 0
		})
		o.sees("all are where their registration is", func(f *fleet.Fleet) bool {
			for i := range tenants {
				if s := f.Subscription(compute, fmt.Sprintf("t%d", i)); s == nil || s.CurrentSyncID != f.API(compute).SyncID {
					return false
				}
			}
			return true
		})
		w.checkEqual(o)
		w.do("DELETE", spaces+"/t3/subscriptions/"+compute, "")
		o.seesAPI("one is gone", settled(tenants-1))
		w.do("POST", regs, `{"name": "young.example.com"}`)
		o.sees("an API is new", func(f *fleet.Fleet) bool { return f.API("young.example.com") != nil })
		w.checkEqual(o)
	})
}

func total(history []int) int {
	n := 0
	for _, x := range history {
		n += x
	}
	return n
}

// A server that goes is told of, and nothing that is known is forgotten. When it is back, the copy is what it lists.
func TestAServerThatIsRestarted(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *town) {
		w.populate(6)
		r := w.start("reconciler", "127.0.0.1:0")
		o := w.look(w.feed("root-token"))
		o.seesAPI("all are synced", settled(6))
		r.stop()
		address := w.server.address
		w.server.stop()
		o.sees("the server is gone, and the copy is still there", func(f *fleet.Fleet) bool {
			s := f.Source(fleet.AllSubscriptions)
			return s.Trouble == fleet.Offline && s.Synced && s.Problem != "" && !s.Retry.IsZero() && settled(6)(f.API(compute))
		})
		other := w.start("serve", "127.0.0.1:0") // things go on meanwhile
		w.server = other
		w.do("DELETE", spaces+"/t5/subscriptions/"+compute, "")
		w.do("PUT", regs+"/"+compute+"/sync", `{}`)
		w.server = w.start("serve", address[len("http://"):])
		o.now <- struct{}{}
		o.seesAPI("what has happened meanwhile", func(a *fleet.API) bool { return a.Counts.Subscribed == 5 && a.Counts.Waiting == 5 })
		o.sees("the server is there", func(f *fleet.Fleet) bool {
			return f.Source(fleet.AllSubscriptions).Trouble == fleet.Fine && f.Source(fleet.Registrations).Trouble == fleet.Fine
		})
		w.checkEqual(o)
		if o.least < 5 {
			t.Errorf("there were %d for a moment", o.least)
		}
	})
}

// Without a server the dashboard starts all the same, and is live once there is one.
func TestAServerThatIsNotThereYet(t *testing.T) {
	t.Parallel()
	w := newTown(t, onEtcd(t))
	w.populate(2)
	address := w.server.address
	w.server.stop()
	o := w.look(w.feed("root-token"))
	o.sees("all sources are offline", func(f *fleet.Fleet) bool {
		for _, s := range f.Sources() {
			if s.Trouble != fleet.Offline || s.Synced {
				return false
			}
		}
		return true
	})
	w.server = w.start("serve", address[len("http://"):])
	o.now <- struct{}{}
	o.sees("it is live", func(f *fleet.Fleet) bool {
		for _, s := range f.Sources() {
			if s.Trouble != fleet.Fine {
				return false
			}
		}
		return f.Complete()
	})
	w.checkEqual(o)
}

// Two reconcilers add up. One that ends takes its workers with it, and how the API is doing stays what the server says.
func TestTwoReconcilers(t *testing.T) {
	t.Parallel()
	w := newTown(t, onEtcd(t))
	w.populate(4)
	one := w.start("reconciler", "127.0.0.1:0")
	w.start("reconciler", "127.0.0.1:0")
	o := w.look(w.feed("root-token"))
	both := func(a *fleet.API) bool { return a.Known() && a.Told == 2 && a.Workers == 10 && a.State == "healthy" }
	o.seesAPI("both tell", both)
	one.stop()
	o.seesAPI("one is gone", func(a *fleet.API) bool {
		return a.Known() && a.Told == 1 && a.Workers == 5 && a.State == "healthy"
	})
	w.checkEqual(o)
}

// Who is no sysadmin sees what its roles let it see, and is not asked for again and again. Who is not known keeps what is there.
func TestWhoMaySeeLess(t *testing.T) {
	t.Parallel()
	w := newTown(t, onEtcd(t))
	w.populate(3)
	const access = "/apis/authorization.example.com/v1/"
	w.do("POST", access+"roles", `{"name": "reader", "rules": [{"apis": ["*"], "resources": ["subscriptions"], "verbs": ["list"]}]}`)
	w.do("POST", access+"rolebindings", `{"name": "ann", "role": "reader", "namespace": "t1", "subjects": [{"kind": "user", "name": "ann"}]}`)

	denied := func(f *fleet.Fleet, names ...string) bool {
		for _, name := range names {
			if s := f.Source(name); s.Trouble != fleet.Denied || s.Problem == "" {
				return false
			}
		}
		return true
	}
	nothing := w.look(w.feed("ann-token"))
	nothing.sees("nothing", func(f *fleet.Fleet) bool {
		return denied(f, fleet.Registrations, fleet.AllSubscriptions, fleet.AllReconcilers, fleet.Katalog) && f.Complete() && len(f.APIs()) == 0
	})
	counted := &counting{Server: w.client("ann-token")}
	until(t, "the role holds", func() bool {
		_, err := counted.Server.Do(t.Context(), "GET", spaces+"/t1/subscriptions", nil)
		return err == nil
	})
	ann := w.feed("ann-token", func(o *feed.Options) { o.Namespace, o.Server = "t1", counted })
	own := w.look(ann)
	own.sees("its own namespace", func(f *fleet.Fleet) bool {
		a := f.API(compute)
		return denied(f, fleet.Registrations, fleet.AllReconcilers, fleet.Katalog) && f.Source(fleet.AllSubscriptions).Synced && a != nil && !a.Registered && a.Counts.Subscribed == 1
	})
	if n := counted.times.Load(); n != 6 {
		t.Errorf("%d requests for six answers", n)
	}
	if d := ann.Detail(t.Context(), compute, "t1"); d.Problem != "the server has not told which reconcilers there are" {
		t.Errorf("of reconcilers that it may not see it is said: %q", d.Problem)
	}
	own.now <- struct{}{} // tries what was refused once more
	until(t, "another look", func() bool { return counted.times.Load() >= 6+3 })

	stranger := w.look(w.feed("wrong-token"))
	stranger.sees("nobody knows it", func(f *fleet.Fleet) bool {
		s := f.Source(fleet.AllSubscriptions)
		return s.Trouble == fleet.Unauthenticated && s.Problem != "" && !f.Complete()
	})
}
