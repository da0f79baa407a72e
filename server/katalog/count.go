package katalog

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"kayra/store/catalog"
)

// Write is a write to a registration or to one of its subscriptions, by somebody who may make it, and how it was answered.
type Write struct {
	API        string        // the registration
	Status     int           // of the answer
	Deletes    bool          // it was a DELETE
	Subscribes bool          // it asked for a subscription
	Warned     bool          // it had keys that a client cannot set, and that were ignored
	Filled     bool          // it left to the server what a client may say, and the server said it
	Took       time.Duration // to carry it out, or to find that it cannot be; 0: it was refused before that
	Revision   int64         // of the store, at which the registration was there; 0: that is not known
	Created    string        // uid of the registration, if the write has created it
}

// Counts are how often something was asked for, refused and done. What failed for a reason of the server's own is in Total
// alone, and so is what was refused for another reason than the one that is counted.
type Counts struct{ Total, Refused, Done int64 }

// Figures are what was counted for a registration since this process knows it.
type Figures struct {
	API                    string
	Health                 Health
	Allowed, Restricted    []string // namespaces, as the registration has them
	Validation             Counts   // writes; refused: with a status of 4xx
	Warned                 int64    // writes that were done, without some of their keys
	Mutation               Counts   // writes that were done, but for DELETE; done: the server filled something in
	Deletions              Counts   // of the registration and its subscriptions; refused: with 409
	Subscriptions          Counts   // refused: with 403
	Validations, Mutations Latency
}

// Health is how a registration is doing, as the konductor has published it.
type Health struct {
	State  catalog.HealthState // "": it has published nothing yet
	Reason string
	Since  time.Time
}

// api is a registration with what was counted for it.
type api struct {
	name string
	uid  string // "": the watch has not told of it yet

	mu           sync.Mutex
	now          Figures
	took, filled window
}

func (a *api) describe(reg *catalog.Registration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.uid = reg.UID
	a.now.Allowed, a.now.Restricted = reg.AllowedNamespaces, reg.RestrictedNamespaces
}

func (a *api) count(w Write) {
	a.mu.Lock()
	defer a.mu.Unlock()
	done := w.Status < http.StatusMultipleChoices
	refused := w.Status >= http.StatusBadRequest && w.Status < http.StatusInternalServerError
	a.now.Validation.add(refused, done)
	a.took.add(w.Took)
	if done && w.Warned {
		a.now.Warned++
	}
	if done && !w.Deletes {
		a.now.Mutation.add(false, w.Filled)
		a.filled.add(w.Took)
	}
	if w.Deletes {
		a.now.Deletions.add(w.Status == http.StatusConflict, done)
	}
	if w.Subscribes {
		a.now.Subscriptions.add(w.Status == http.StatusForbidden, done)
	}
}

func (c *Counts) add(refused, done bool) {
	c.Total++
	if refused {
		c.Refused++
	}
	if done {
		c.Done++
	}
}

// figures are a copy. The latencies are worked out of it, so that nobody who counts waits for that.
func (a *api) figures() Figures {
	a.mu.Lock()
	f, took, filled := a.now, a.took.copy(), a.filled.copy()
	a.mu.Unlock()
	f.API = a.name
	f.Validations, f.Mutations = took.latency(), filled.latency()
	return f
}

// Latency is how long the last writes took, 128 at most. Count and Sum are of all of them.
type Latency struct {
	Average, P95, Max time.Duration
	Count             uint64
	Sum               time.Duration
}

// last is how many durations are kept: enough for a percentile, and little for each of ten thousand registrations.
const last = 128

// window is the durations of the last writes.
type window struct {
	durations []time.Duration // in no order, once there are enough
	count     uint64          // of all that there were
	sum       time.Duration
}

func (w *window) add(d time.Duration) {
	if d <= 0 {
		return
	}
	if len(w.durations) < last {
		w.durations = append(w.durations, d)
	} else {
		w.durations[w.count%last] = d
	}
	w.count++
	w.sum += d
}

func (w *window) copy() window {
	return window{slices.Clone(w.durations), w.count, w.sum}
}

// latency sorts the durations.
func (w *window) latency() Latency {
	l := Latency{Count: w.count, Sum: w.sum}
	n := len(w.durations)
	if n == 0 {
		return l
	}
	slices.Sort(w.durations)
	for _, d := range w.durations {
		l.Average += d
	}
	const percent = 95
	l.Average /= time.Duration(n)
	l.P95 = w.durations[(percent*n+99)/100-1]
	l.Max = w.durations[n-1]
	return l
}
