package feed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"kayra/cli/feed"
	"kayra/server/api"
	"kayra/server/client"
	"kayra/store/catalog"
	"kayra/tui/fleet"
)

// scripted is a server whose streams tell what a test has them tell.
type scripted struct {
	streams map[string]func(ctx context.Context, f client.Follower) error
}

func (s *scripted) Do(_ context.Context, _, path string, _ []byte) (client.Answer, error) {
	if path == "/apis" {
		return client.Answer{Status: 200, Body: []byte(`{"apis":[{"name":"catalog.example.com","short_name":"catalog","builtin":true}]}`)}, nil
	}
	return client.Answer{Status: 200, Body: []byte(`{"source":"gateway","crds":[]}`)}, nil
}

func (s *scripted) Follow(ctx context.Context, path string, f client.Follower, _ <-chan struct{}) error {
	if tell := s.streams[path]; tell != nil {
		if err := tell(ctx, f); err != nil {
			return err
		}
	} else {
		f.Synced(nil)
	}
	<-ctx.Done()
	return ctx.Err()
}

func encoded(tb testing.TB, v any) []byte {
	tb.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func resident(i int, reason catalog.Reason, updated int) api.Subscription {
	return api.Subscription{
		API: compute, Namespace: fmt.Sprintf("t%d", i), Reason: reason, State: "success", CurrentSyncID: "a", ExpectedSyncID: "b",
		UpdatedAt: time.Date(2026, 11, 30, 3, 0, updated, 0, time.UTC),
	}
}

// script is a feed of one stream, of the subscriptions.
func script(t *testing.T, batch time.Duration, tell func(ctx context.Context, f client.Follower) error) *feed.Feed {
	t.Helper()
	return feed.New(feed.Options{
		Server:  &scripted{map[string]func(context.Context, client.Follower) error{group + "subscriptions": tell}},
		Open:    func(string) (feed.Asker, error) { return nil, errors.New("nobody is there") },
		Explain: error.Error, Batch: batch, Ask: time.Hour,
	})
}

// runs runs a feed until the end of the test, into what is given.
func runs(t *testing.T, f *feed.Feed, out chan []fleet.Update) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var all sync.WaitGroup
	all.Go(func() { _ = f.Follow(ctx, out, nil) })
	t.Cleanup(func() {
		stop()
		all.Wait()
	})
}

// Whoever does not read is told in the end what is so then, and what that takes does not grow with what has happened.
func TestASlowReader(t *testing.T) {
	t.Parallel()
	const tenants, rounds = 500, 100
	told := make(chan struct{})
	f := script(t, time.Millisecond, func(_ context.Context, f client.Follower) error {
		for i := range tenants {
			if err := f.Apply(client.Event{Type: client.Added, Data: encoded(t, resident(i, "queued", 0))}); err != nil {
				return err
			}
		}
		f.Synced(nil)
		for round := range rounds {
			for i := range tenants {
				reason := []catalog.Reason{"running", "synced"}[round%2]
				if err := f.Apply(client.Event{Type: client.Modified, Data: encoded(t, resident(i, reason, round))}); err != nil {
					return err
				}
			}
		}
		if err := f.Apply(client.Event{Type: client.Deleted, Data: encoded(t, resident(0, "synced", rounds))}); err != nil {
			return err
		}
		close(told)
		return nil
	})
	out := make(chan []fleet.Update)
	runs(t, f, out)
	<-told
	var copied fleet.Fleet
	most := 0
	done := func() bool {
		s := copied.Subscription(compute, "t1")
		return copied.Subscription(compute, "t0") == nil && s != nil && s.UpdatedAt.Second() == (rounds-1)%60
	}
	for !done() {
		batch := <-out
		copied.Apply(batch...)
		for _, u := range batch {
			if subs, ok := u.(*fleet.Subscriptions); ok {
				most = max(most, len(subs.Changes))
			}
		}
	}
	if a := copied.Subscription(compute, fmt.Sprintf("t%d", tenants-1)); a == nil || a.Reason != "synced" {
		t.Errorf("the last one is %+v", a)
	}
	if most > 6000 {
		t.Errorf("%d changes of %d subscriptions were kept", most, tenants)
	}
}

// A copy is replaced when the new one is complete, and not before; what comes after a break does not count as speed.
func TestAReset(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	added := func(f client.Follower, s api.Subscription) {
		if err := f.Apply(client.Event{Type: client.Added, Data: encoded(t, s)}); err != nil {
			t.Error(err)
		}
	}
	f := script(t, time.Millisecond, func(_ context.Context, f client.Follower) error {
		added(f, resident(0, "running", 0))
		added(f, resident(1, "running", 0))
		f.Synced(nil)
		<-next
		f.Live(client.ErrSilent, time.Minute)
		added(f, resident(0, "synced", 1))
		<-next
		f.Reset()
		added(f, resident(2, "running", 0))
		<-next
		added(f, resident(3, "running", 0))
		f.Synced(nil)
		<-next
		f.Live(client.ErrEnded, time.Minute)
		added(f, resident(2, "synced", 1)) // told late
		f.Synced(nil)
		added(f, resident(3, "synced", 1))
		return nil
	})
	out := make(chan []fleet.Update)
	runs(t, f, out)
	var copied fleet.Fleet
	copied.Apply(&fleet.APIs{Changes: []fleet.APIChange{{Registration: api.Registration{Name: compute}}}})
	until := func(what string, is func() bool) {
		t.Helper()
		bound := time.After(patience)
		for !is() {
			select {
			case batch := <-out:
				for _, u := range batch {
					if _, ok := u.(*fleet.APIs); !ok {
						copied.Apply(u)
					}
				}
			case <-bound:
				t.Fatalf("waited in vain: %s", what)
			}
		}
	}
	has := func(i int, reason catalog.Reason) bool {
		s := copied.Subscription(compute, fmt.Sprintf("t%d", i))
		return s != nil && s.Reason == reason
	}
	source := func() fleet.Source { return copied.Source(fleet.AllSubscriptions) }
	until("both", func() bool { return has(0, "running") && has(1, "running") && source().Synced })
	next <- struct{}{}
	until("a break, and something late", func() bool { return has(0, "synced") && source().Trouble == fleet.Offline })
	next <- struct{}{}
	next <- struct{}{} // it has begun anew
	until("another copy", func() bool {
		whole := has(2, "running") && has(3, "running")
		if !whole && (!has(0, "synced") || !has(1, "running") || copied.Subscription(compute, "t2") != nil) {
			t.Fatal("half a copy")
		}
		return whole && source().Trouble == fleet.Fine
	})
	if copied.Subscription(compute, "t0") != nil {
		t.Error("what is gone is there")
	}
	next <- struct{}{}
	until("what was told late, and what was not", func() bool { return has(2, "synced") && has(3, "synced") })
	if source().Trouble != fleet.Fine {
		t.Error("a stream that is resumed at once is a trouble")
	}
	if n := total(copied.API(compute).History); n != 1 {
		t.Errorf("%d count, and one was seen", n)
	}
}

// Nothing is sent while nothing is new, and many changes at once are few batches.
func TestFewBatches(t *testing.T) {
	t.Parallel()
	begun, told := make(chan struct{}), make(chan struct{})
	f := script(t, time.Hour, func(_ context.Context, f client.Follower) error {
		f.Synced(nil)
		<-begun
		for i := range 1000 {
			if err := f.Apply(client.Event{Type: client.Added, Data: encoded(t, resident(i, "queued", 0))}); err != nil {
				return err
			}
			f.Live(nil, 0)
			f.Synced(nil)
		}
		close(told)
		return nil
	})
	out := make(chan []fleet.Update)
	runs(t, f, out)
	<-out // and an hour goes by until the next one
	close(begun)
	<-told
	select {
	case batch := <-out:
		t.Errorf("one more: %+v", batch)
	case <-time.After(20 * time.Millisecond):
	}
}

// BenchmarkDecode is what 10,000 rows cost on their way into the copy, away from the screen, and what they take then.
func BenchmarkDecode(b *testing.B) {
	rows := make([][]byte, 10_000)
	for i := range rows {
		rows[i] = encoded(b, resident(i, "queued", 0))
	}
	for b.Loop() {
		f := feed.New(feed.Options{
			Server: &scripted{map[string]func(context.Context, client.Follower) error{group + "subscriptions": func(_ context.Context, f client.Follower) error {
				for _, row := range rows {
					if err := f.Apply(client.Event{Type: client.Added, Data: row}); err != nil {
						return err
					}
				}
				f.Synced(nil)
				return nil
			}}},
			Open: func(string) (feed.Asker, error) { return nil, errors.New("nobody is there") }, Explain: error.Error,
		})
		if _, err := f.Once(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
