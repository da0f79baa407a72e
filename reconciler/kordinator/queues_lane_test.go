package kordinator_test

import (
	"strings"
	"testing"

	"kayra/reconciler/kordinator"
)

// A job is written with its lane before it, l for Live and b for Bulk, when it is added, and with = when it has its turn.
func TestOrderWithinAQueue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ add, want string }{
		"first come, first served":      {"l:1 l:2 l:3", "1 2 3"},
		"Bulk alone":                    {"b:1 b:2 b:3 b:4 b:5", "1 2 3 4 5"},
		"Live before Bulk":              {"b:1 b:2 l:3", "3 1 2"},
		"every fourth turn is Bulk's":   {"b:x b:y b:z l:1 l:2 l:3 l:4 l:5 l:6 l:7", "1 2 3 x 4 5 6 y 7 z"},
		"Bulk goes on when Live is out": {"l:1 b:x b:y b:z l:2", "1 2 x y z"},
		"a duplicate waits once":        {"l:1 l:2 l:1 b:x b:x", "1 2 x"},
		"a duplicate is hurried":        {"b:x b:y b:z l:z", "z x y"},
		"the first of Bulk is hurried":  {"b:x b:y l:1 l:x", "1 x y"},
		"the only one is hurried":       {"b:x l:1 l:x", "1 x"},
		"Live stays Live":               {"l:1 b:x b:1", "1 x"},
		"none":                          {"", ""},
		"Bulk's turn comes by itself":   {"b:x b:y l:1 l:2 =1 =2 =x l:3 l:4 l:5 l:6", "3 4 5 y 6"},
		"nobody is left to be passed":   {"b:x l:1 l:2 =1 =2 l:x =x b:y l:3 l:4 l:5 l:6", "3 4 5 y 6"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, 1, func(d *desk) { d.plays(c.add, c.want) })
		})
	}
}

// plays adds jobs, and checks their order and, before each turn, their positions.
func (d *desk) plays(add, want string) {
	d.t.Helper()
	d.Open("q", kordinator.Limits{})
	for a := range strings.FieldsSeq(add) {
		if job, turn := strings.CutPrefix(a, "="); turn {
			d.turn(job)
			continue
		}
		lane, job, _ := strings.Cut(a, ":")
		if !d.Add("q", map[string]kordinator.Lane{"l": live, "b": bulk}[lane], job) {
			d.t.Fatalf("%s is not taken", a)
		}
	}
	left := strings.Fields(want)
	for ; len(left) > 0; left = left[1:] {
		d.depth(len(left), 0, 0)
		for i, job := range left {
			if at, waits := d.Position("q", job); at != i+1 || !waits {
				d.t.Fatalf("the position of %s is %d, %t, not %d", job, at, waits, i+1)
			}
		}
		d.turn(left[0])
	}
	d.depth(0, 0, 0)
	d.none(d.ask())
}

// turn takes a turn, which must be the job's, and ends it.
func (d *desk) turn(job string) {
	d.t.Helper()
	turn := d.take()
	equal(d.t, "the next job", turn.Job, job)
	d.Done(turn)
}

// Live jobs that had no Bulk job to pass by are not counted against those that come.
func TestBulkOwesNothingForTurnsBeforeIt(t *testing.T) {
	t.Parallel()
	inBubble(t, 1, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.fill("q", live, 10)
		d.order(5)
		d.Add("q", bulk, "x")
		if at, _ := d.Position("q", "x"); at != 4 {
			d.t.Fatalf("x is at %d, not 4", at)
		}
	})
}

// Neither lane keeps the other out, however many come.
func TestNeitherLaneStarves(t *testing.T) {
	t.Parallel()
	inBubble(t, 1, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.fill("q", live, 4)
		for i := range 100 {
			d.Add("q", bulk, "bulk"+strings.Repeat("x", i))
		}
		turns := map[bool]int{}
		for range 40 {
			turn := d.take()
			isBulk := strings.HasPrefix(turn.Job, "bulk")
			turns[isBulk]++
			d.Done(turn)
			if !isBulk {
				d.Add("q", live, turn.Job)
			}
		}
		equal(d.t, "the number of Bulk turns", turns[true], 10)
		equal(d.t, "the number of Live turns", turns[false], 30)
	})
}

func TestJobAddedWhileItRunsHasOneMoreTurn(t *testing.T) {
	t.Parallel()
	inBubble(t, 3, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.Add("q", live, "a")
		first := d.take()
		for range 3 {
			if !d.Add("q", bulk, "a") {
				d.t.Fatal("it is not taken while it runs")
			}
		}
		d.depth(1, 1, 0)
		if at, waits := d.Position("q", "a"); waits {
			d.t.Fatalf("a job that runs has position %d", at)
		}
		next := d.ask()
		d.none(next)
		d.Done(first)
		second := d.given(next)
		equal(d.t, "the job", second.Job, "a")
		d.Done(first) // once more changes nothing
		d.depth(0, 1, 0)
		d.Done(second)
		d.none(d.ask())
		d.depth(0, 0, 0)
	})
}

func TestJobAddedWhileItRunsIsHurried(t *testing.T) {
	t.Parallel()
	inBubble(t, 1, func(d *desk) {
		d.Open("q", kordinator.Limits{})
		d.Add("q", bulk, "a")
		turn := d.take()
		d.Add("q", bulk, "b")
		d.Add("q", bulk, "a")
		d.Add("q", live, "a")
		d.Done(turn)
		equal(d.t, "the next job", d.take().Job, "a")
	})
}
