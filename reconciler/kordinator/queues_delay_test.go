package kordinator_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"kayra/reconciler/kordinator"
)

func TestAddAfter(t *testing.T) {
	t.Parallel()
	inBubble(t, 4, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.AddAfter("q", bulk, "b", 2*time.Second)
		d.AddAfter("q", bulk, "a", time.Second)
		d.AddAfter("q", bulk, "c", 2*time.Second)
		d.AddAfter("unknown", bulk, "a", time.Second)
		d.depth(0, 0, 3)
		next := d.ask()
		<-time.After(999 * time.Millisecond)
		d.none(next)
		<-time.After(time.Millisecond)
		a := d.given(next)
		equal(d.t, "the job", a.Job, "a")
		equal(d.t, "how long it has waited", a.Waited, 0)
		d.depth(0, 1, 2)
		<-time.After(3 * time.Second)
		for _, want := range []string{"b", "c"} {
			turn := d.take()
			equal(d.t, "the job", turn.Job, want)
			equal(d.t, "how long it has waited", turn.Waited, 2*time.Second)
		}
		d.none(d.ask())
	})
}

func TestDelayThatIsNone(t *testing.T) {
	t.Parallel()
	inBubble(t, 1, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.AddAfter("q", live, "a", 0)
		d.AddAfter("q", bulk, "b", -time.Second)
		d.AddAfter("q", bulk, "never", math.MaxInt64)
		d.depth(2, 0, 1)
		equal(d.t, "the order", d.order(2), "q q")
		<-time.After(time.Hour)
		d.AddAfter("q", bulk, "nor this", math.MaxInt64)
		d.AddAfter("q", bulk, "soon", time.Second)
		<-time.After(time.Second)
		d.turn("soon")
		<-time.After(time.Hour)
		d.none(d.ask())
		d.depth(0, 0, 2)
	})
}

func TestOfTwoDelaysTheEarlierCounts(t *testing.T) {
	t.Parallel()
	for name, delays := range map[string][]time.Duration{
		"the first is earlier": {time.Second, time.Minute}, "the second is earlier": {time.Minute, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, lane := range []kordinator.Lane{live, bulk} {
				inBubble(t, 1, func(d *desk) {
					d.Open("q", kordinator.Limits{})
					d.Add("q", bulk, "b")
					d.AddAfter("q", lane, "a", delays[0])
					d.AddAfter("q", bulk, "between", 10*time.Second)
					d.AddAfter("q", live+bulk-lane, "a", delays[1])
					d.depth(1, 0, 2)
					<-time.After(time.Second - 1)
					d.depth(1, 0, 2)
					<-time.After(1)
					d.depth(2, 0, 1)
					d.turn("a") // one of the two was Live
					d.turn("b")
					<-time.After(time.Hour)
					d.turn("between")
					d.depth(0, 0, 0)
				})
			}
		})
	}
}

// A delay is not touched by what happens to its job meanwhile.
func TestDelayStaysWhenItsJobIsAdded(t *testing.T) {
	t.Parallel()
	inBubble(t, 2, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.AddAfter("q", live, "a", time.Second)
		d.Add("q", bulk, "a")
		d.Done(d.take())
		d.depth(0, 0, 1)
		d.Add("q", bulk, "a")
		d.Add("q", bulk, "b")
		<-time.After(time.Second)
		d.depth(2, 0, 0) // it waited already
		running := d.take()
		equal(d.t, "how long it has waited", running.Waited, time.Second)
		d.AddAfter("q", live, "a", time.Second)
		<-time.After(time.Second)
		d.depth(2, 1, 0) // it runs
		d.Done(running)
		equal(d.t, "the job", d.take().Job, "a")
	})
}

// A delayed job that finds its queue full is refused as any other.
func TestDelayedJobMayBeRefused(t *testing.T) {
	t.Parallel()
	inBubble(t, 1, func(d *desk) {
		d.Open("q", kordinator.Limits{MaxDepth: 1})
		d.Add("q", bulk, "a")
		d.AddAfter("q", live, "b", time.Second)
		<-time.After(2 * time.Second)
		d.depth(1, 0, 0)
		equal(d.t, "the number of refused jobs", d.Stats("q").Refused, 1)
		d.take()
		equal(d.t, "the number of calls", len(d.rooms), 1)
	})
}

// Many delays end on time and in their order, over several queues.
func TestManyDelays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const jobs = 100_000
		q := kordinator.NewQueues[int](1, nil)
		t.Cleanup(q.ShutDown)
		names := []string{"a", "b", "c"}
		for _, name := range names {
			q.Open(name, kordinator.Limits{})
		}
		r := rand.New(rand.NewPCG(1, 2))
		for job := range jobs {
			q.AddAfter(names[job%3], bulk, job, time.Duration(1+r.IntN(1_000))*time.Millisecond)
		}
		q.Close("c")
		<-time.After(500 * time.Millisecond)
		synctest.Wait()
		half := q.Stats("a").Depth
		if half < jobs/7 || half > jobs/5 {
			t.Fatalf("%d of %d jobs are there after half the time", half, jobs/3)
		}
		equal(t, "the sum", half+q.Stats("a").Delayed, jobs/3+1)
		<-time.After(500 * time.Millisecond)
		synctest.Wait()
		equal(t, "the number of jobs", q.Stats("a").Depth+q.Stats("b").Depth, jobs-jobs/3)
		waited := time.Duration(math.MaxInt64)
		for range jobs/3 + 1 {
			turn, _ := q.Get()
			if turn.Queue == "a" {
				if turn.Waited > waited {
					t.Fatalf("a job that has waited %v comes after one that has waited %v", turn.Waited, waited)
				}
				waited = turn.Waited
			}
			q.Done(turn)
		}
	})
}

func TestAges(t *testing.T) {
	t.Parallel()
	inBubble(t, 2, func(d *desk) {
		oldest := func(want time.Duration) {
			t.Helper()
			equal(d.t, "the oldest wait", d.Stats("q").Oldest, want)
		}
		d.Open("q", kordinator.Limits{})
		oldest(0)
		d.Add("q", bulk, "x")
		<-time.After(time.Second)
		d.Add("q", live, "a")
		<-time.After(time.Second)
		d.Add("q", live, "x") // stands behind a now, and has waited longer
		oldest(2 * time.Second)
		a := d.take()
		equal(d.t, "how long a has waited", a.Waited, time.Second)
		oldest(2 * time.Second)
		x := d.take()
		equal(d.t, "how long x has waited", x.Waited, 2*time.Second)
		oldest(0)
		d.Add("q", bulk, "a")
		<-time.After(time.Second)
		oldest(time.Second)
		d.Done(a)
		<-time.After(time.Second)
		equal(d.t, "how long a has waited", d.take().Waited, 2*time.Second)
	})
}
