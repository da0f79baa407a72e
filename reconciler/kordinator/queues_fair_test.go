package kordinator_test

import (
	"fmt"
	"strings"
	"testing"

	"kayra/reconciler/kordinator"
)

// However much others have queued and run, the slot that frees next is a newcomer's.
func TestNewcomerHasNextSlotUnderStorm(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{1, 4, 30} {
		for _, storms := range []int{1, 3} {
			t.Run(fmt.Sprintf("%d slots, %d storms", slots, storms), func(t *testing.T) {
				t.Parallel()
				inBubble(t, slots, func(d *desk) { newcomer(d, slots, storms) })
			})
		}
	}
}

func newcomer(d *desk, slots, storms int) {
	d.t.Helper()
	for i := range storms {
		name := fmt.Sprint("storm", i)
		d.Open(name, kordinator.Limits{})
		d.fill(name, live, 1_000)
	}
	running := make([]turn, 0, slots)
	for range slots + 2*storms { // so that each storm has had turns
		if len(running) == slots {
			d.Done(running[0])
			running = running[1:]
		}
		running = append(running, d.take())
	}
	next := d.ask()
	d.none(next)
	d.Open("newcomer", kordinator.Limits{})
	d.Add("newcomer", bulk, "first")
	d.none(next)
	d.Done(running[slots/2])
	equal(d.t, "the next turn's queue", d.given(next).Queue, "newcomer")
}

// order takes n turns one after the other, and returns their queues.
func (d *desk) order(n int) string {
	d.t.Helper()
	names := make([]string, n)
	for i := range names {
		turn := d.take()
		names[i] = turn.Queue
		d.Done(turn)
	}
	return strings.Join(names, " ")
}

func TestEqualQueuesAlternate(t *testing.T) {
	t.Parallel()
	inBubble(t, 1, func(d *desk) {
		for _, name := range []string{"c", "a", "b"} {
			d.Open(name, kordinator.Limits{})
		}
		for _, name := range []string{"a", "b", "c"} {
			d.fill(name, bulk, 3)
		}
		equal(d.t, "the order", d.order(7), "c a b c a b c")
		d.Open("d", kordinator.Limits{})
		d.fill("d", bulk, 2)
		equal(d.t, "the order", d.order(4), "d a b d")
	})
}

// A queue that has all slots gives them up one by one until the others have as many, and has them back when they need
// none.
func TestSlotsAreSharedEvenly(t *testing.T) {
	t.Parallel()
	inBubble(t, 6, func(d *desk) {
		running := map[string][]turn{}
		take := func() string {
			turn := d.take()
			running[turn.Queue] = append(running[turn.Queue], turn)
			return turn.Queue
		}
		end := func(name string) {
			d.Done(running[name][0])
			running[name] = running[name][1:]
		}
		for _, name := range []string{"a", "b", "c"} {
			d.Open(name, kordinator.Limits{})
		}
		d.fill("a", bulk, 100)
		for range 6 {
			take()
		}
		d.fill("b", bulk, 3)
		d.fill("c", bulk, 100)
		for _, want := range []string{"b", "c", "b", "c"} {
			end("a")
			equal(d.t, "the queue of the next turn", take(), want)
		}
		for _, name := range []string{"a", "c", "b", "a", "c"} {
			end(name) // it has the fewest now
			if name == "b" {
				equal(d.t, "the queue of the turn after b's", take(), "b")
				continue
			}
			equal(d.t, "the queue of the turn after "+name+"'s", take(), name)
		}
		end("b")
		take()
		end("b")
		take()
		for name, want := range map[string]int{"a": 3, "b": 0, "c": 3} {
			equal(d.t, name+"'s turns", len(running[name]), want)
			equal(d.t, name+"'s turns", d.Stats(name).Running, want)
		}
	})
}

func TestQueueAtItsLimitLeavesSlotsToOthers(t *testing.T) {
	t.Parallel()
	inBubble(t, 4, func(d *desk) {
		d.Open("few", kordinator.Limits{Workers: 1})
		d.Open("many", kordinator.Limits{})
		d.fill("few", live, 10)
		first := d.take()
		next := d.ask()
		d.none(next)
		d.fill("many", bulk, 10)
		equal(d.t, "the queue", d.given(next).Queue, "many")
		for range 2 {
			equal(d.t, "the queue", d.take().Queue, "many")
		}
		next = d.ask()
		d.none(next)
		d.Done(first)
		equal(d.t, "the queue", d.given(next).Queue, "few")
	})
}
