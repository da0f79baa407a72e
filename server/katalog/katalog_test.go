package katalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"kayra/server/katalog"
	"kayra/store"
	"kayra/store/catalog"
)

const compute = "compute.example.com"

func scope() catalog.Scope { return catalog.Scope{Platform: "sandbox", Region: "eu-west-1"} }

// entry is a registration as the store has it.
func entry(t *testing.T, name, uid string, allowed ...string) store.Entry {
	t.Helper()
	value, err := json.Marshal(catalog.Registration{Name: name, UID: uid, AllowedNamespaces: allowed, Platform: "sandbox", Region: "eu-west-1"})
	if err != nil {
		t.Fatal(err)
	}
	return store.Entry{Key: scope().Prefix() + "registrations/" + name, Value: value}
}

func put(e store.Entry, revision int64) store.Batch {
	e.ModRevision = revision
	return store.Batch{Revision: revision, Events: []store.Event{{Entry: e}}}
}

func del(e store.Entry, revision int64) store.Batch {
	e.ModRevision = revision
	return store.Batch{Revision: revision, Events: []store.Event{{Entry: e, Deleted: true}}}
}

// known has how many writes were counted for each registration.
func known(k *katalog.Katalog) map[string]int64 {
	out := map[string]int64{}
	for _, f := range k.Figures() {
		out[f.API] = f.Validation.Total
	}
	return out
}

func (c counting) want(t *testing.T, want map[string]int64) {
	t.Helper()
	if d := cmp.Diff(want, known(c.Katalog)); d != "" {
		t.Error(d)
	}
}

type counting struct{ *katalog.Katalog }

func newCounting() counting { return counting{katalog.New(scope(), nil)} }

// write counts one that was done at the revision.
func (c counting) write(api string, revision int64) {
	c.Count(katalog.Write{API: api, Status: 200, Revision: revision, Took: time.Millisecond})
}

func TestFollows(t *testing.T) {
	t.Parallel()
	c := newCounting()
	if c.Listed() {
		t.Error("listed before anything was")
	}
	c.write(compute, 0)
	c.want(t, map[string]int64{})
	c.Reset([]store.Entry{entry(t, compute, "1"), {Key: scope().Prefix() + "namespaces/sre"}}, 5)
	if !c.Listed() {
		t.Error("not listed")
	}
	c.write(compute, 0)
	c.write("b.example.com", 0)
	c.want(t, map[string]int64{compute: 1})
	c.Apply(put(entry(t, compute, "1", "sre"), 6))
	c.Apply(put(entry(t, "b.example.com", "1"), 7))
	c.write("b.example.com", 0)
	c.want(t, map[string]int64{compute: 1, "b.example.com": 1})
	if f, _ := c.Of(compute); !cmp.Equal(f.Allowed, []string{"sre"}) {
		t.Errorf("allowed %v", f.Allowed)
	}
	c.Apply(del(entry(t, compute, "1"), 8))
	c.write(compute, 0)
	c.want(t, map[string]int64{"b.example.com": 1})
	c.Apply(put(entry(t, compute, "2"), 9))
	c.want(t, map[string]int64{compute: 0, "b.example.com": 1})
}

// How a registration is doing is what the store says last.
func TestHealth(t *testing.T) {
	t.Parallel()
	c := newCounting()
	health := func(state catalog.HealthState, reason string) store.Entry {
		value, err := json.Marshal(catalog.Health{API: compute, State: state, Reason: reason})
		if err != nil {
			t.Fatal(err)
		}
		return store.Entry{Key: scope().Prefix() + "health/" + compute, Value: value}
	}
	want := func(state catalog.HealthState, reason string) {
		t.Helper()
		one, _ := c.Of(compute)
		all := c.Figures()
		if len(all) != 1 || one.Health.State != state || one.Health.Reason != reason || all[0].Health.State != state {
			t.Errorf("%+v, and among all %+v; want %q", one.Health, all, state)
		}
	}
	c.Reset([]store.Entry{health(catalog.HealthDegraded, "it failed"), entry(t, compute, "1")}, 5)
	want(catalog.HealthDegraded, "it failed")
	c.Apply(put(health(catalog.HealthHealthy, ""), 6))
	want(catalog.HealthHealthy, "")
	c.Apply(del(health(catalog.HealthHealthy, ""), 7))
	want("", "")
	c.Apply(put(health(catalog.HealthPending, ""), 8))
	broken := health("", "")
	broken.Value = []byte("{")
	c.Apply(put(broken, 9))
	want("", "")
	c.Apply(put(health(catalog.HealthPending, ""), 10))
	c.Reset([]store.Entry{entry(t, compute, "1")}, 11)
	want("", "")
	c.Apply(put(store.Entry{Key: scope().Prefix() + "health/lost.example.com", Value: health(catalog.HealthMissing, "").Value}, 12))
	want("", "")
}

// A write that was done proves that its registration is there, whatever the watch has told of by then.
func TestAheadOfTheWatch(t *testing.T) {
	t.Parallel()
	c := newCounting()
	c.Reset(nil, 5)
	c.write(compute, 7)
	c.want(t, map[string]int64{compute: 1})
	c.Apply(put(entry(t, "b.example.com", "1"), 6))
	c.want(t, map[string]int64{compute: 1, "b.example.com": 0})
	c.Apply(put(entry(t, compute, "1"), 7))
	c.write(compute, 0)
	c.want(t, map[string]int64{compute: 2, "b.example.com": 0})
	// deleted by somebody else before it was counted
	c.Apply(del(entry(t, compute, "1"), 9))
	c.write(compute, 8)
	c.want(t, map[string]int64{"b.example.com": 0})
	// proved, but gone by the time the watch comes there
	c.write(compute, 11)
	c.want(t, map[string]int64{compute: 1, "b.example.com": 0})
	c.Apply(put(entry(t, "b.example.com", "1"), 12))
	c.want(t, map[string]int64{"b.example.com": 0})
	// made again while nobody watched
	c.write("b.example.com", 0)
	c.write(compute, 20)
	c.Reset([]store.Entry{entry(t, "b.example.com", "2")}, 15)
	c.want(t, map[string]int64{compute: 1, "b.example.com": 0})
	c.Reset([]store.Entry{entry(t, "b.example.com", "2")}, 20)
	c.want(t, map[string]int64{"b.example.com": 0})
}

// One that is made anew begins anew, though the watch has yet to tell that its namesake was deleted.
func TestMadeAnew(t *testing.T) {
	t.Parallel()
	create := func(c counting, uid string, revision int64) {
		c.Count(katalog.Write{API: compute, Status: 201, Revision: revision, Created: uid})
	}
	c := newCounting()
	c.Reset([]store.Entry{entry(t, compute, "1")}, 5)
	c.write(compute, 0)
	create(c, "2", 9)
	c.want(t, map[string]int64{compute: 1})
	c.write(compute, 10)
	c.Apply(put(entry(t, compute, "1"), 6))
	c.Apply(del(entry(t, compute, "1"), 8))
	c.want(t, map[string]int64{compute: 2})
	c.Apply(put(entry(t, compute, "2"), 9))
	c.write(compute, 0)
	c.want(t, map[string]int64{compute: 3})
	c.Apply(del(entry(t, compute, "2"), 11))
	c.want(t, map[string]int64{})
	// told of by the watch before it is counted
	c.Apply(put(entry(t, compute, "3"), 12))
	create(c, "3", 12)
	c.want(t, map[string]int64{compute: 1})
	// created, and listed before it was
	create(c, "4", 20)
	old := entry(t, compute, "3")
	old.ModRevision = 12
	c.Reset([]store.Entry{old}, 15)
	c.want(t, map[string]int64{compute: 1})
	c.Apply(put(entry(t, compute, "4"), 20))
	c.want(t, map[string]int64{compute: 1})
}

// What cannot be read is not known, and breaks nothing.
func TestForeignRecords(t *testing.T) {
	t.Parallel()
	c := newCounting()
	bad := entry(t, compute, "1")
	bad.Value = []byte("{")
	c.Reset([]store.Entry{bad}, 5)
	c.want(t, map[string]int64{})
	c.Apply(put(entry(t, compute, "1"), 6))
	c.Apply(put(bad, 7))
	c.want(t, map[string]int64{})
}

func TestCounts(t *testing.T) {
	t.Parallel()
	c := newCounting()
	c.Reset([]store.Entry{entry(t, compute, "1")}, 5)
	for _, w := range []katalog.Write{
		{Status: 201, Subscribes: true, Took: time.Millisecond},
		{Status: 403, Subscribes: true, Took: 2 * time.Millisecond},
		{Status: 404, Subscribes: true, Warned: true, Filled: true},
		{Status: 503, Subscribes: true, Took: 3 * time.Millisecond},
		{Status: 200, Warned: true, Filled: true, Took: 4 * time.Millisecond},
		{Status: 403, Took: time.Millisecond},
		{Status: 204, Deletes: true, Took: time.Millisecond},
		{Status: 409, Deletes: true, Took: time.Millisecond},
		{Status: 412, Deletes: true, Took: time.Millisecond},
		{Status: 409, Took: time.Millisecond},
	} {
		w.API = compute
		c.Count(w)
	}
	got, _ := c.Of(compute)
	want := katalog.Figures{
		API: compute, Validation: katalog.Counts{Total: 10, Refused: 6, Done: 3}, Warned: 1, Mutation: katalog.Counts{Total: 2, Done: 1},
		Deletions: katalog.Counts{Total: 3, Refused: 1, Done: 1}, Subscriptions: katalog.Counts{Total: 4, Refused: 1, Done: 1},
		Validations: katalog.Latency{Average: 15 * time.Millisecond / 9, P95: 4 * time.Millisecond, Max: 4 * time.Millisecond, Count: 9, Sum: 15 * time.Millisecond},
		Mutations:   katalog.Latency{Average: 2500 * time.Microsecond, P95: 4 * time.Millisecond, Max: 4 * time.Millisecond, Count: 2, Sum: 5 * time.Millisecond},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Latencies are of the last 128 writes: what was slow once is forgotten.
func TestLatency(t *testing.T) {
	t.Parallel()
	c := newCounting()
	c.Reset([]store.Entry{entry(t, compute, "1")}, 5)
	took := func(d time.Duration) { c.Count(katalog.Write{API: compute, Status: 400, Took: d}) }
	latency := func() katalog.Latency {
		f, _ := c.Of(compute)
		return f.Validations
	}
	if l := latency(); l != (katalog.Latency{}) {
		t.Errorf("of nothing: %+v", l)
	}
	took(time.Hour)
	for i := range 128 {
		took(time.Duration(i+1) * time.Millisecond)
	}
	want := katalog.Latency{
		Average: 64500 * time.Microsecond, P95: 122 * time.Millisecond, Max: 128 * time.Millisecond, Count: 129, Sum: time.Hour + 8256*time.Millisecond,
	}
	if l := latency(); l != want {
		t.Errorf("got %+v, want %+v", l, want)
	}
}

func TestSeriesGoWithTheirRegistration(t *testing.T) {
	t.Parallel()
	c, registry := newCounting(), prometheus.NewRegistry()
	registry.MustRegister(c)
	c.Reset([]store.Entry{entry(t, compute, "1"), entry(t, "b.example.com", "1")}, 5)
	c.write(compute, 0)
	c.Count(katalog.Write{API: compute, Status: 500})
	gathered := func() string {
		t.Helper()
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(families)
	}
	for _, want := range []string{
		`label:{name:"api"  value:"compute.example.com"}  label:{name:"result"  value:"done"}  counter:{value:1}`,
		`label:{name:"api"  value:"compute.example.com"}  label:{name:"result"  value:"failed"}  counter:{value:1}`,
		`label:{name:"api"  value:"b.example.com"}  label:{name:"result"  value:"done"}  counter:{value:0}`,
		`summary:{sample_count:1  sample_sum:0.001  quantile:{quantile:0.95  value:0.001}  quantile:{quantile:1  value:0.001}}`,
	} {
		if got := strings.Join(strings.Fields(gathered()), " "); !strings.Contains(got, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	c.Apply(del(entry(t, compute, "1"), 6))
	if got := gathered(); strings.Contains(got, compute) || !strings.Contains(got, "b.example.com") {
		t.Errorf("after the deletion: %s", got)
	}
}

// Counting, following and reading at once lose nothing.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	const writers, writes = 8, 500
	c := newCounting()
	c.Reset([]store.Entry{entry(t, compute, "1")}, 1)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for n := range writes {
				c.write(compute, 0)
				c.write(fmt.Sprintf("x%d.example.com", n%3), int64(10_000+i))
				c.Figures()
			}
		})
	}
	all.Go(func() {
		for n := range writes {
			c.Apply(put(entry(t, compute, "1"), int64(n+2)))
		}
	})
	all.Wait()
	c.want(t, map[string]int64{
		compute: writers * writes, "x0.example.com": writers * 167, "x1.example.com": writers * 167, "x2.example.com": writers * 166,
	})
	c.Apply(put(entry(t, compute, "1"), 20_000))
	c.want(t, map[string]int64{compute: writers * writes})
}
