package kordinator_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"kayra/reconciler/kordinator"
)

// Whatever is done, the queues do what the naive model does.
func TestQueuesDoAsTheNaiveModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(inTheBubble{t}, func(r *rapid.T) {
			m := newModel(r)
			defer m.real.ShutDown()
			actions := map[string]func(*rapid.T){
				"":         m.check,
				"open":     func(r *rapid.T) { m.limit(r, true) },
				"limit":    func(r *rapid.T) { m.limit(r, false) },
				"close":    m.close,
				"add":      m.add,
				"add more": m.add,
				"fan out":  m.fanOut,
				"delay":    m.delay,
				"time":     m.pass,
				"get":      m.get,
				"done":     m.done,
			}
			for range 4 {
				r.Repeat(actions)
			}
			m.drain(r)
		})
	})
}

// inTheBubble is a test that keeps its deadline, which may not be asked for in a bubble, to itself.
type inTheBubble struct{ rapid.TB }

type model struct {
	naive

	real  *kordinator.Queues[string]
	idles []*naiveIdle

	mu        sync.Mutex
	realRooms []string
	realTurns []turn // that have begun since the last check
	running   []turn
}

func newModel(r *rapid.T) *model {
	m := &model{naive: naive{slots: rapid.IntRange(1, 5).Draw(r, "slots"), queues: map[string]*naiveQueue{}}}
	m.real = kordinator.NewQueues[string](m.slots, func(name string) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.realRooms = append(m.realRooms, name)
	})
	return m
}

func aName(r *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r, "queue")
}
func aJob(r *rapid.T) string { return strconv.Itoa(rapid.IntRange(1, 12).Draw(r, "job")) }
func aLane(r *rapid.T) kordinator.Lane {
	return rapid.SampledFrom([]kordinator.Lane{live, bulk}).Draw(r, "lane")
}

func (m *model) limit(r *rapid.T, open bool) {
	name := aName(r)
	l := kordinator.Limits{Workers: rapid.IntRange(0, 4).Draw(r, "workers"), MaxDepth: rapid.IntRange(0, 5).Draw(r, "depth")}
	if open {
		m.real.Open(name, l)
	} else {
		m.real.Limit(name, l)
	}
	if open || m.queues[name] != nil {
		m.naive.limit(name, l, open)
	}
}

func (m *model) close(r *rapid.T) {
	name := aName(r)
	m.idles = append(m.idles, m.naive.close(name, m.real.Close(name)))
}

func (m *model) add(r *rapid.T) {
	name, lane, job := aName(r), aLane(r), aJob(r)
	if got, want := m.real.Add(name, lane, job), m.naive.add(name, lane, job); got != want {
		r.Fatalf("adding is %t, not %t", got, want)
	}
	m.check(r)
}

func (m *model) fanOut(r *rapid.T) {
	name := aName(r)
	for job := range 12 {
		m.real.Add(name, bulk, strconv.Itoa(job))
		m.naive.add(name, bulk, strconv.Itoa(job))
		m.check(r)
	}
}

func (m *model) delay(r *rapid.T) {
	name, lane, job := aName(r), aLane(r), aJob(r)
	d := time.Duration(rapid.IntRange(0, 6).Draw(r, "seconds")) * time.Second
	m.real.AddAfter(name, lane, job, d)
	m.addAfter(name, lane, job, d)
}

// pass lets time pass. A turn may begin as soon as one delay has ended.
func (m *model) pass(r *rapid.T) {
	for range rapid.IntRange(1, 4).Draw(r, "seconds") {
		<-time.After(time.Second)
		synctest.Wait()
		m.now += time.Second
		for {
			q, i := m.nextDelay(m.now)
			if q == nil {
				break
			}
			w := q.delays[i]
			q.delays = slices.Delete(q.delays, i, i+1)
			m.naive.add(q.name, w.lane, w.job)
		}
		m.check(r)
	}
}

func (m *model) get(*rapid.T) {
	if m.getters++; m.getters > 8 {
		m.getters--
		return
	}
	go func() {
		got, ok := m.real.Get()
		if !ok {
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.realTurns = append(m.realTurns, got)
	}()
}

func (m *model) done(r *rapid.T) {
	if len(m.running) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.running)-1).Draw(r, "turn")
	t := m.running[i]
	m.running = slices.Delete(m.running, i, i+1)
	m.real.Done(t)
	m.naive.done(naiveTurn{queue: t.Queue, job: t.Job})
	m.real.Done(t)
}

// drain ends all, and checks that nothing was lost.
func (m *model) drain(r *rapid.T) {
	m.check(r)
	for name := range m.queues {
		m.real.Limit(name, kordinator.Limits{})
		m.naive.limit(name, kordinator.Limits{}, false)
	}
	for range 1_000 {
		m.get(r)
		m.check(r)
		if len(m.running) == 0 {
			return
		}
		m.done(r)
	}
	r.Fatal("there is no end of turns")
}
