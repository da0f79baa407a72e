package kordinator_test

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"kayra/reconciler/kordinator"
)

// Fewer workers under a backlog: those that run may end, none begins above the limit, and each job has its turn.
func TestScaleDownUnderBacklog(t *testing.T) {
	t.Parallel()
	const slots, jobs, few = 10, 100, 3
	inBubble(t, slots, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.fill("q", bulk, jobs)
		ran := map[string]int{}
		var running []turn
		for range slots {
			running = append(running, d.take())
		}
		d.Limit("q", kordinator.Limits{Workers: few})
		next := d.ask()
		for n := slots; n > few; n-- {
			d.none(next)
			d.depth(jobs-slots, n, 0)
			ran[running[0].Job]++
			d.Done(running[0])
			running = running[1:]
		}
		for len(running) > 0 {
			d.none(next)
			ran[running[0].Job]++
			d.Done(running[0])
			running = running[1:]
			if len(ran) > jobs-few {
				continue
			}
			turn := d.given(next)
			if turn.Worker >= few {
				d.t.Fatalf("worker %d of %d begins a turn", turn.Worker, few)
			}
			running = append(running, turn)
			next = d.ask()
		}
		d.depth(0, 0, 0)
		equal(d.t, "the number of jobs that had a turn", len(ran), jobs)
		for job, n := range ran {
			equal(d.t, job+"'s number of turns", n, 1)
		}
	})
}

// A higher limit has all those at work at once that wait.
func TestScaleUpWakesAllWorkers(t *testing.T) {
	t.Parallel()
	inBubble(t, 8, func(d *desk) {
		d.Open("q", kordinator.Limits{Workers: 1})
		d.fill("q", bulk, 20)
		var asked []<-chan turn
		for range 8 {
			asked = append(asked, d.ask())
		}
		synctest.Wait()
		d.depth(19, 1, 0)
		d.Limit("q", kordinator.Limits{Workers: 5})
		synctest.Wait()
		d.depth(15, 5, 0)
		equal(d.t, "the number of workers", d.Stats("q").Workers, 5)
		d.Open("q", kordinator.Limits{}) // it is open: no job is lost
		synctest.Wait()
		d.depth(12, 8, 0)
		equal(d.t, "the number of workers", d.Stats("q").Workers, 8)
		for _, a := range asked {
			d.given(a)
		}
		d.Limit("q", kordinator.Limits{Workers: 100})
		equal(d.t, "the number of workers", d.Stats("q").Workers, 8)
	})
}

func TestWorkersAreTheLowestNumbersThatAreFree(t *testing.T) {
	t.Parallel()
	inBubble(t, 4, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.Open("other", kordinator.Limits{})
		d.fill("q", bulk, 9)
		var running []turn
		for i := range 4 {
			running = append(running, d.take())
			equal(d.t, "the worker", running[i].Worker, i)
		}
		d.Done(running[2])
		d.Done(running[1])
		if got, want := d.Running("q"), []int{0, 3}; !slices.Equal(got, want) {
			d.t.Fatalf("workers %v are at work, not %v", got, want)
		}
		equal(d.t, "the worker", d.take().Worker, 1)
		d.Add("other", bulk, "a")
		equal(d.t, "the worker of another queue", d.take().Worker, 0)
		if got := d.Running("unknown"); got != nil {
			d.t.Fatalf("workers %v of no queue are at work", got)
		}
	})
}

// The jobs of a queue may be limited; who was refused hears when there is room, once.
func TestRoomIsToldOfWhenHalfIsDrained(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ depth, after int }{{1, 0}, {2, 1}, {3, 1}, {4, 2}, {9, 4}} {
		t.Run(strconv.Itoa(c.depth), func(t *testing.T) {
			t.Parallel()
			inBubble(t, 1, func(d *desk) {
				d.Open("q", kordinator.Limits{MaxDepth: c.depth})
				d.fill("q", bulk, c.depth)
				for range 3 {
					if d.Add("q", live, "more") {
						d.t.Fatal("a job over the limit is taken")
					}
				}
				if !d.Add("q", live, "q-0") {
					d.t.Fatal("a job that waits already is refused")
				}
				equal(d.t, "the number of refused jobs", d.Stats("q").Refused, 3)
				for n := c.depth; n > c.after; n-- {
					equal(d.t, "the number of calls", len(d.rooms), 0)
					d.Done(d.take())
				}
				equal(d.t, "the number of calls", len(d.rooms), 1)
				d.order(c.after)
				equal(d.t, "the number of calls", len(d.rooms), 1)
				equal(d.t, "the queue", d.rooms[0], "q")
			})
		})
	}
}

func TestRoomMayAdd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var q *kordinator.Queues[int]
		q = kordinator.NewQueues[int](1, func(name string) {
			for job := range 10 { // all that are due, as far as this test goes
				q.Add(name, bulk, 100+job)
			}
		})
		t.Cleanup(q.ShutDown)
		q.Open("q", kordinator.Limits{MaxDepth: 4})
		for job := range 5 {
			q.Add("q", bulk, job)
		}
		for range 20 {
			turn, ok := q.Get()
			if !ok {
				t.Fatal("it is shut down")
			}
			q.Done(turn)
		}
	})
}

func TestMoreDepthIsRoom(t *testing.T) {
	t.Parallel()
	for _, higher := range []int{0, 3} {
		inBubble(t, 1, func(d *desk) {
			d.Open("q", kordinator.Limits{MaxDepth: 2})
			d.fill("q", bulk, 2)
			d.Limit("q", kordinator.Limits{MaxDepth: 1})
			d.Limit("q", kordinator.Limits{MaxDepth: higher})
			equal(d.t, "the number of calls", len(d.rooms), 0) // nobody was refused
			d.Limit("q", kordinator.Limits{MaxDepth: 1})
			d.Add("q", bulk, "more")
			d.Limit("q", kordinator.Limits{MaxDepth: 2})
			equal(d.t, "the number of calls", len(d.rooms), 0) // it is still full
			d.Limit("q", kordinator.Limits{MaxDepth: higher})
			equal(d.t, "the number of calls", len(d.rooms), 1)
			d.Limit("q", kordinator.Limits{MaxDepth: higher})
			equal(d.t, "the number of calls", len(d.rooms), 1)
		})
	}
}

// What is added while it runs waits for a turn too, and counts.
func TestDepthCountsJobsAddedWhileTheyRun(t *testing.T) {
	t.Parallel()
	inBubble(t, 1, func(d *desk) {
		d.Open("q", kordinator.Limits{MaxDepth: 1})
		d.Add("q", bulk, "a")
		running := d.take()
		d.Add("q", bulk, "a")
		if d.Add("q", bulk, "b") {
			d.t.Fatal("a job over the limit is taken")
		}
		d.Done(running)
		equal(d.t, "the number of calls", len(d.rooms), 0)
		equal(d.t, "the job", d.take().Job, "a")
		equal(d.t, "the number of calls", len(d.rooms), 1)
	})
}
