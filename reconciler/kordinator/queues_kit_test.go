package kordinator_test

import (
	"strconv"
	"testing"
	"testing/synctest"

	"kayra/reconciler/kordinator"
)

const (
	live = kordinator.Live
	bulk = kordinator.Bulk
)

// desk is queues whose turns a test takes and ends one by one, in a bubble.
type desk struct {
	*kordinator.Queues[string]

	t     *testing.T
	rooms []string // what room was called with
}

type turn = kordinator.Turn[string]

// inBubble runs a test with queues for a pool of so many slots, in a bubble.
func inBubble(t *testing.T, slots int, test func(d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{t: t}
		d.Queues = kordinator.NewQueues[string](slots, func(name string) { d.rooms = append(d.rooms, name) })
		t.Cleanup(d.ShutDown)
		test(d)
	})
}

// fill adds so many jobs.
func (d *desk) fill(name string, lane kordinator.Lane, n int) {
	d.t.Helper()
	for i := range n {
		if !d.Add(name, lane, name+"-"+strconv.Itoa(i)) {
			d.t.Fatalf("job %d of %s is not taken", i, name)
		}
	}
}

// ask asks for a turn, which the channel gives.
func (d *desk) ask() <-chan turn {
	got := make(chan turn, 1)
	go func() {
		if turn, ok := d.Get(); ok {
			got <- turn
		}
	}()
	return got
}

// take takes a turn that must be there now.
func (d *desk) take() turn {
	d.t.Helper()
	return d.given(d.ask())
}

// given returns the turn that was asked for, and must be there now.
func (d *desk) given(asked <-chan turn) turn {
	d.t.Helper()
	synctest.Wait()
	select {
	case got := <-asked:
		return got
	default:
		d.t.Fatal("there is no turn")
		return turn{}
	}
}

// none checks that what was asked for is not there now.
func (d *desk) none(asked <-chan turn) {
	d.t.Helper()
	synctest.Wait()
	select {
	case got := <-asked:
		d.t.Fatalf("there is a turn: %+v", got)
	default:
	}
}

// depth checks how many jobs of q wait, run and are delayed.
func (d *desk) depth(waiting, running, delayed int) {
	d.t.Helper()
	synctest.Wait()
	s := d.Stats("q")
	if s.Depth != waiting || s.Running != running || s.Delayed != delayed {
		d.t.Fatalf("q has %+v, not %d that wait, %d that run and %d that are delayed", s, waiting, running, delayed)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s is %v, not %v", what, got, want)
	}
}
