package catalog_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/local"
)

const compute = "compute.example.com"

// world is a repository on a real store.
type world struct {
	*catalog.Repository

	t     testing.TB
	store store.Store
}

func home() catalog.Scope { return catalog.Scope{Platform: "sandbox", Region: "eu-west-1"} }

// onBoth runs a test on each backend.
func onBoth(t *testing.T, test func(*world)) {
	t.Helper()
	t.Run("local", func(t *testing.T) {
		t.Parallel()
		test(newWorld(t, openLocal(t)))
	})
	t.Run("etcd", func(t *testing.T) {
		t.Parallel()
		test(newWorld(t, openEtcd(t)))
	})
}

func newWorld(tb testing.TB, s store.Store) *world {
	tb.Helper()
	return &world{Repository: catalog.NewRepository(s, home()), t: tb, store: s}
}

func openLocal(tb testing.TB) store.Store {
	tb.Helper()
	s, err := local.Open(tb.Context(), local.Options{Path: filepath.Join(tb.TempDir(), "kayra.db")})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func openEtcd(tb testing.TB) store.Store {
	tb.Helper()
	srv := cluster.Server(tb)
	s, err := etcd.Open(tb.Context(), etcd.Options{Endpoints: srv.Endpoints(), Prefix: srv.Prefix(tb), RequestTimeout: time.Minute})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// elsewhere has the records of another scope in the same store.
func (w *world) elsewhere(platform, region string) *world {
	return &world{
		Repository: catalog.NewRepository(w.store, catalog.Scope{Platform: platform, Region: region}), t: w.t, store: w.store,
	}
}

func (w *world) ctx() context.Context { return w.t.Context() }

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// refuses insists on the kind of a refusal, and on what it says.
func (w *world) refuses(err, kind error, says ...string) {
	w.t.Helper()
	var refusal *catalog.Error
	if !errors.As(err, &refusal) || !errors.Is(err, kind) || refusal.Detail == "" {
		w.t.Fatalf("got %v, want a refusal: %v", err, kind)
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			w.t.Errorf("%q is not said: %v", text, err)
		}
	}
}

// register creates a registration that depends on the others.
func (w *world) register(name string, deps ...string) catalog.Registration {
	w.t.Helper()
	reg, err := w.CreateRegistration(w.ctx(), name, dependsOn(deps...))
	w.must(err)
	return reg
}

func dependsOn(names ...string) catalog.RegistrationChange {
	refs := make([]catalog.Dependency, len(names))
	for i, name := range names {
		refs[i].Name = name
	}
	return catalog.RegistrationChange{DependsOn: &refs}
}

// tenant creates a namespace that subscribes to the APIs.
func (w *world) tenant(name string, apis ...string) {
	w.t.Helper()
	_, err := w.CreateNamespace(w.ctx(), name)
	w.must(err)
	for _, api := range apis {
		_, err := w.Subscribe(w.ctx(), name, api)
		w.must(err)
	}
}

// race calls all of them at once, and has their errors.
func race(calls ...func() error) []error {
	errs := make([]error, len(calls))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, call := range calls {
		all.Go(func() {
			<-start
			errs[i] = call()
		})
	}
	close(start)
	all.Wait()
	return errs
}
