package kordinator_test

import (
	"testing"
	"testing/synctest"
	"time"

	"kayra/reconciler/kordinator"
)

// isIdle checks whether a queue is idle.
func isIdle(t *testing.T, idle <-chan struct{}, want bool) {
	t.Helper()
	synctest.Wait()
	select {
	case <-idle:
		equal(t, "being idle", true, want)
	default:
		equal(t, "being idle", false, want)
	}
}

func TestCloseForgetsWhatWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, 2, func(d *desk) {
		d.Open("q", kordinator.Limits{MaxDepth: 9})
		d.fill("q", bulk, 9)
		d.Add("q", bulk, "over")
		d.AddAfter("q", bulk, "later", time.Second)
		first, second := d.take(), d.take()
		d.Add("q", bulk, first.Job)
		idle := d.Close("q")
		d.depth(0, 2, 0)
		if d.Add("q", bulk, "a") {
			d.t.Fatal("a queue that is closed takes a job")
		}
		d.AddAfter("q", bulk, "later", time.Second)
		d.Limit("q", kordinator.Limits{})
		d.Done(first)
		next := d.ask()
		<-time.After(time.Minute)
		d.none(next)
		isIdle(d.t, idle, false)
		isIdle(d.t, d.Close("q"), false)
		d.Done(second)
		isIdle(d.t, idle, true)
		isIdle(d.t, d.Close("q"), true)
		isIdle(d.t, d.Close("unknown"), true)
		d.none(next)
		equal(d.t, "what is left", d.Stats("q"), kordinator.Stats{})
		equal(d.t, "the number of calls", len(d.rooms), 0)
	})
}

// A queue may be opened again while turns run that it began before: they count, and their jobs have no second turn
// beside them.
func TestReopenedQueueKnowsItsOldTurns(t *testing.T) {
	t.Parallel()
	inBubble(t, 4, func(d *desk) {
		d.Open("q", kordinator.Limits{Workers: 2})
		d.Add("q", bulk, "a")
		d.Add("q", bulk, "b")
		a, b := d.take(), d.take()
		d.Add("q", bulk, "a") // is forgotten
		d.Add("q", bulk, "b") // is forgotten, and added anew
		idle := d.Close("q")
		if d.Close("q") != idle {
			d.t.Fatal("what is closed twice has two ends")
		}
		<-time.After(time.Second)
		d.Open("q", kordinator.Limits{Workers: 2})
		d.Add("q", bulk, "b")
		equal(d.t, "the oldest wait", d.Stats("q").Oldest, 0)
		d.Add("q", bulk, "c")
		next := d.ask()
		d.none(next)
		d.Done(a)
		c := d.given(next)
		equal(d.t, "the next job", c.Job, "c")
		next = d.ask()
		later := d.Close("q")
		d.Open("q", kordinator.Limits{})
		d.Add("q", live, "b")
		d.none(next)
		isIdle(d.t, idle, false)
		d.Done(b)
		isIdle(d.t, idle, true)
		isIdle(d.t, later, false)
		equal(d.t, "the next job", d.given(next).Job, "b")
		d.Done(c)
		isIdle(d.t, later, true)
		d.none(d.ask())
	})
}

func TestReopenedQueueForgetsWhatRanBefore(t *testing.T) {
	t.Parallel()
	inBubble(t, 4, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.Add("q", bulk, "a")
		a := d.take()
		d.Add("q", bulk, "a")
		d.AddAfter("q", bulk, "a", time.Second)
		d.Close("q")
		d.Open("q", kordinator.Limits{})
		d.Done(a)
		<-time.After(time.Minute)
		d.none(d.ask())
		d.depth(0, 0, 0)
	})
}

// The delay of a job that ran when its queue was closed is forgotten, and it may have another.
func TestReopenedQueueDelaysAnew(t *testing.T) {
	t.Parallel()
	inBubble(t, 4, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.Add("q", bulk, "a")
		a := d.take()
		d.AddAfter("q", bulk, "a", time.Second)
		d.AddAfter("q", bulk, "b", time.Minute)
		d.Close("q")
		d.Open("q", kordinator.Limits{})
		d.Done(a)
		d.AddAfter("q", bulk, "a", 2*time.Second)
		d.depth(0, 0, 1)
		<-time.After(time.Second)
		d.depth(0, 0, 1)
		<-time.After(time.Second)
		d.depth(1, 0, 0)
	})
}

func TestShutDown(t *testing.T) {
	t.Parallel()
	inBubble(t, 2, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.Open("other", kordinator.Limits{})
		d.fill("q", bulk, 5)
		d.AddAfter("other", bulk, "later", time.Second)
		running := d.take()
		idle := d.Close("q")
		d.Open("q", kordinator.Limits{Workers: 1})
		d.fill("q", bulk, 5)
		results := make(chan bool, 3)
		for range 3 {
			go func() {
				_, ok := d.Get()
				results <- ok
			}()
		}
		synctest.Wait()
		d.ShutDown()
		for range 3 {
			equal(d.t, "a turn", <-results, false)
		}
		d.ShutDown()
		d.Open("new", kordinator.Limits{})
		if d.Add("q", bulk, "a") || d.Add("new", bulk, "a") {
			d.t.Fatal("a job is taken")
		}
		d.AddAfter("q", bulk, "a", time.Second)
		isIdle(d.t, idle, false)
		d.Done(running)
		isIdle(d.t, idle, true)
		for _, name := range []string{"q", "other", "new"} {
			equal(d.t, "what is left of "+name, d.Stats(name), kordinator.Stats{})
		}
		if _, ok := d.Get(); ok {
			d.t.Fatal("there is a turn")
		}
	})
}
