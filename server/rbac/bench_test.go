package rbac_test

import (
	"fmt"
	"runtime"
	"testing"

	"kayra/server/auth"
	"kayra/server/rbac"
	"kayra/store"
	"kayra/store/catalog"
)

// crowd has 1,000 roles and 10,000 bindings of 1,000 groups: each group is in ten, half of them in a namespace. The user is
// in 30 groups, none of which may do what is asked but the last.
func crowd(b *testing.B) (*lab, auth.Identity) {
	b.Helper()
	l := newLab(b)
	l.world()
	for i := range 1000 {
		api := fmt.Sprintf("a%d.example.com", i)
		l.put(fmt.Sprintf("roles/r%d", i), role(rule(api, "machines", "get"), rule(api, "disks", "*"), rule("*", "quotas", "list")))
	}
	l.put("roles/maker", role(rule(compute, "machines", "create")))
	for i := range 10000 {
		namespace := ""
		if i%2 == 0 {
			namespace = []string{"sre", "apps"}[i/2%2]
		}
		l.put(fmt.Sprintf("rolebindings/b%d", i), bind(fmt.Sprintf("r%d", i%1000), namespace, group(fmt.Sprintf("g%d", i/10))))
	}
	l.put("rolebindings/makers", bind("maker", "sre", group("makers")))
	id := auth.Identity{User: "ann"}
	for i := range 29 {
		id.Groups = append(id.Groups, fmt.Sprintf("g%d", i*30))
	}
	return l, auth.Identity{User: "ann", Groups: append(id.Groups, "makers")}
}

func BenchmarkCheck(b *testing.B) {
	l, id := crowd(b)
	for _, who := range []struct {
		name string
		id   auth.Identity
		want bool
	}{{"allowed", id, true}, {"refused", auth.Identity{User: "ann", Groups: id.Groups[:29]}, false}} {
		b.Run(who.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if d, err := l.Check(who.id, machines("create", "sre")); err != nil || d.Allowed() != who.want {
					b.Fatal(d, err)
				}
			}
		})
	}
}

// BenchmarkChange replaces one binding among 10,000.
func BenchmarkChange(b *testing.B) {
	l, _ := crowd(b)
	batches := make([]store.Batch, 10000)
	for i := range batches {
		namespace := []string{"", "sre"}[i%2]
		batches[i] = l.batch(event(fmt.Sprintf("rolebindings/b%d", i), bind("maker", namespace, group(fmt.Sprintf("g%d", i/10)))))
	}
	i := 0
	for b.Loop() {
		l.Apply(batches[i%len(batches)])
		i++
	}
}

// BenchmarkMemory is what 100,000 subscriptions of 100 APIs and 1,000 namespaces take.
func BenchmarkMemory(b *testing.B) {
	var entries []store.Entry
	for i := range 100_000 {
		key := fmt.Sprintf("subscriptions/a%d.example.com/ns%d", i%100, i/100)
		entries = append(entries, event(key, catalog.Subscription{Active: true, UID: "x"}).Entry)
	}
	for b.Loop() {
		p := rbac.New(rbac.Options{Scope: scope()})
		before := heap()
		p.Reset(append([]store.Entry{}, entries...), 1)
		b.ReportMetric(float64(heap()-before)/(1<<20), "MiB")
		runtime.KeepAlive(p)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
