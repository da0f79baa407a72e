package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/store"
	"kayra/store/catalog"
)

func name(v catalog.SubscriptionView) string { return v.API + "/" + v.Namespace }

// pages reads a list page by page.
func pages[T any](w *world, limit int, list func(catalog.PageRequest) (catalog.Page[T], error), name func(T) string) []string {
	w.t.Helper()
	var out []string
	request := catalog.PageRequest{Limit: limit}
	for {
		page, err := list(request)
		w.must(err)
		if limit > 0 && len(page.Items) > limit {
			w.t.Errorf("%d items on a page of %d", len(page.Items), limit)
		}
		for _, item := range page.Items {
			out = append(out, name(item))
		}
		if page.Next == "" {
			return out
		}
		request.After = page.Next
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		apis := []string{"a.com", compute, "d.com"}
		for _, api := range apis {
			w.register(api)
		}
		var all, synced []string
		for i := range 7 {
			ns := fmt.Sprintf("n%d", i)
			w.tenant(ns, apis...)
			if i%3 == 1 {
				w.reconcile(ns, success())
				synced = append(synced, compute+"/"+ns)
			}
		}
		for _, api := range apis {
			for i := range 7 {
				all = append(all, fmt.Sprintf("%s/n%d", api, i))
			}
		}
		yes, no := true, false
		rest := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(synced, s) })
		for _, limit := range []int{0, 1, 2, 3, 20, 21, 22} {
			check := func(f catalog.Filter, want []string) {
				w.t.Helper()
				got := pages(w, limit, func(p catalog.PageRequest) (catalog.Page[catalog.SubscriptionView], error) {
					return w.Subscriptions(w.ctx(), f, p)
				}, name)
				if d := cmp.Diff(want, got); d != "" {
					w.t.Errorf("%+v by %d: %s", f, limit, d)
				}
			}
			check(catalog.Filter{}, all)
			check(catalog.Filter{API: compute}, all[7:14])
			check(catalog.Filter{API: "no.com"}, nil)
			check(catalog.Filter{Synced: &yes}, synced)
			check(catalog.Filter{Synced: &no}, rest)
			check(catalog.Filter{State: catalog.StateSuccess}, synced)
			check(catalog.Filter{State: catalog.StateError}, nil)
			check(catalog.Filter{State: catalog.StateInit, Synced: &yes}, nil)
			got := pages(w, limit, func(p catalog.PageRequest) (catalog.Page[catalog.SubscriptionView], error) {
				return w.NamespaceSubscriptions(w.ctx(), "n1", p)
			}, name)
			if d := cmp.Diff([]string{"a.com/n1", compute + "/n1", "d.com/n1"}, got); d != "" {
				w.t.Errorf("of n1 by %d: %s", limit, d)
			}
		}
		status, err := w.Status(w.ctx(), compute, false)
		w.must(err)
		if n := len(status.Subscriptions); n != len(synced) || status.Registration.Name != compute {
			w.t.Errorf("status: %d active of %s", n, status.Registration.Name)
		}
		status, err = w.Status(w.ctx(), compute, true)
		w.must(err)
		if n := len(status.Subscriptions); n != 7 {
			w.t.Errorf("status: %d", n)
		}
		w.refuses(second(w.Status(w.ctx(), "no.com", true)), catalog.ErrNotFound)
	})
}

// A namespace may subscribe to more APIs than one transaction can read.
func TestManySubscriptionsOfOne(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		want := make([]string, store.MaxOps)
		for i := range want {
			want[i] = fmt.Sprintf("a%03d.com", i)
			w.register(want[i])
		}
		w.tenant("sre", want...)
		got := pages(w, 0, func(p catalog.PageRequest) (catalog.Page[catalog.SubscriptionView], error) {
			return w.NamespaceSubscriptions(w.ctx(), "sre", p)
		}, func(v catalog.SubscriptionView) string { return v.API })
		if d := cmp.Diff(want, got); d != "" {
			w.t.Error(d)
		}
	})
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		reg := w.register(compute)
		w.register("other.com")
		w.refuses(second(w.Document(w.ctx(), compute)), catalog.ErrNotFound)
		w.refuses(second(w.Document(w.ctx(), "no.com")), catalog.ErrNotFound)
		machines := catalog.Resource{Name: "machines", Namespaced: true, Verbs: []string{"get", "list"}}
		w.fetch(reg, "{\"a\":  1}\n", machines)
		document, err := w.Document(w.ctx(), compute)
		w.must(err)
		if string(document) != "{\"a\":  1}\n" {
			w.t.Errorf("document: %q", document)
		}
		apis, err := w.APIs(w.ctx())
		w.must(err)
		if len(apis) != 2 || apis[0].Registration.Name != compute || len(apis[1].Resources) != 0 || apis[1].Resources == nil {
			w.t.Fatalf("APIs: %+v", apis)
		}
		if d := cmp.Diff([]catalog.Resource{machines}, apis[0].Resources); d != "" {
			w.t.Error(d)
		}
	})
}

func TestReconcilers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		s := w.session()
		w.must(w.Announce(w.ctx(), catalog.Reconciler{ID: "one", Host: "here", PID: 7}, s.ID()))
		alive, err := w.Reconcilers(w.ctx())
		w.must(err)
		if len(alive) != 1 || alive[0].ID != "one" || alive[0].PID != 7 {
			w.t.Errorf("alive: %+v", alive)
		}
		w.must(s.Close(w.ctx()))
		if alive, err = w.Reconcilers(w.ctx()); err != nil || len(alive) != 0 {
			w.t.Errorf("after its session: %+v, %v", alive, err)
		}
	})
}
