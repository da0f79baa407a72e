package feed_test

import (
	"context"
	"errors"
	"testing"

	"kayra/cli/feed"
	"kayra/server/client"
	"kayra/tui/fleet"
)

// What is asked for once is all that there is, or the reason why there is nothing.
func TestOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *town) {
		w.populate(3)
		w.start("reconciler", "127.0.0.1:0")
		o := w.look(w.feed("root-token"))
		o.seesAPI("all are synced", func(a *fleet.API) bool { return settled(3)(a) && a.State == "healthy" })
		updates, err := w.feed("root-token").Once(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var f fleet.Fleet
		f.Apply(updates...)
		a := f.API(compute)
		if !f.Complete() || a == nil || !settled(3)(a) || !a.Known() || a.Workers != 5 || a.State != "healthy" || len(f.Reconcilers()) != 1 {
			t.Errorf("%+v, reconcilers %+v", a, f.Reconcilers())
		}
		for _, s := range f.Sources() {
			if s.Trouble != fleet.Fine || !s.Synced {
				t.Errorf("%+v", s)
			}
		}
		if _, err = w.feed("ann-token").Once(t.Context()); !errors.Is(err, client.ErrUnauthorized) {
			t.Errorf("ann: %v", err)
		}
		if _, err = w.feed("wrong-token").Once(t.Context()); !errors.Is(err, client.ErrUnauthorized) {
			t.Errorf("a stranger: %v", err)
		}
		ended, stop := context.WithCancel(t.Context())
		stop()
		if _, err = w.feed("root-token").Once(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// Where registrations cannot be seen, that is said, and subscriptions are there. A server that goes in between is an error.
func TestOnceForTenants(t *testing.T) {
	t.Parallel()
	w := newTown(t, onEtcd(t))
	w.populate(2)
	const access = "/apis/authorization.example.com/v1/"
	w.do("POST", access+"roles", `{"name": "reader", "rules": [{"apis": ["*"], "resources": ["subscriptions"], "verbs": ["list"]}]}`)
	w.do("POST", access+"rolebindings", `{"name": "ann", "role": "reader", "namespace": "t1", "subjects": [{"kind": "user", "name": "ann"}]}`)
	f := w.feed("ann-token", func(o *feed.Options) { o.Namespace = "t1" })
	var got fleet.Fleet
	until(t, "her role is known", func() bool {
		updates, err := f.Once(t.Context())
		got = fleet.Fleet{}
		got.Apply(updates...)
		return err == nil
	})
	if a := got.API(compute); a == nil || a.Counts.Subscribed != 1 || got.Source(fleet.Registrations).Trouble != fleet.Denied ||
		got.Source(fleet.Katalog).Trouble != fleet.Denied || !got.Complete() {
		t.Errorf("%+v, %+v", a, got.Sources())
	}
	gone := w.feed("root-token", func(o *feed.Options) { o.Server = &vanishing{Server: o.Server, stop: w.server.stop} })
	if _, err := gone.Once(t.Context()); !errors.Is(err, client.ErrUnreachable) {
		t.Errorf("gone: %v", err)
	}
}

// vanishing is a server that is gone once it has said what APIs there are.
type vanishing struct {
	feed.Server

	stop func()
}

func (v *vanishing) Do(ctx context.Context, method, path string, body []byte) (client.Answer, error) {
	defer v.stop()
	return v.Server.Do(ctx, method, path, body)
}
