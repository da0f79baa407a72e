package auth

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/time/rate"
)

const (
	// FetchPause is the time between two fetches of an issuer's keys, after the first few: what is unavailable now may be
	// had after it.
	FetchPause = 5 * time.Second
	// fetchBurst is how many fetches may follow each other at once, as long as they succeed: keys that are replaced
	// without notice, and again, refuse nobody.
	fetchBurst = 4

	asGoodAsNew  = time.Second // a set of keys
	fetchTimeout = 10 * time.Second
	staleAfter   = 5 * time.Minute  // fetched anew, while the known keys are used
	trustedFor   = 10 * time.Minute // fetched anew first
)

// keyring has the keys of an issuer in force.
type keyring struct {
	fetch func(ctx context.Context) (*keySet, error)
	bound func(ctx context.Context) (context.Context, context.CancelFunc) // makes the context of one fetch
	stop  context.CancelFunc
	now   func() time.Time
	log   *slog.Logger

	fetches sync.WaitGroup
	budget  *rate.Limiter // of fetches

	mu      sync.Mutex
	known   *keySet   // nil until a fetch has succeeded
	began   time.Time // when the fetch of the known keys began
	running *fetching // nil: none
	ended   time.Time // the last fetch
	failed  bool      // the last fetch
	closed  bool
}

// fetching is a fetch that several callers may wait for.
type fetching struct {
	done chan struct{}
	set  *keySet // nil: it failed
}

func newKeyring(
	fetch func(context.Context) (*keySet, error), timeout time.Duration, now func() time.Time, log *slog.Logger,
) *keyring {
	base, stop := context.WithCancel(context.Background())
	return &keyring{
		fetch: fetch, stop: stop, now: now, log: log, budget: rate.NewLimiter(rate.Every(FetchPause), fetchBurst),
		bound: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
			unbind := context.AfterFunc(base, cancel)
			return ctx, func() { unbind(); cancel() }
		},
	}
}

func (r *keyring) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.stop()
	r.fetches.Wait()
}

// verify gives the payload if a key in force has signed it, and the keys in force.
func (r *keyring) verify(ctx context.Context, signed *jose.JSONWebSignature) ([]byte, *keySet, error) {
	set, fresh, err := r.current(ctx)
	if err != nil {
		return nil, nil, err
	}
	payload, refusal := set.verify(signed)
	if refusal == nil || fresh || errors.Is(refusal, errForged) && r.age() < FetchPause {
		return payload, set, refusal
	}
	newer, err := r.newer(ctx, set)
	switch {
	case err != nil && errors.Is(refusal, errForged):
		return nil, nil, refusal // its key is known, and in force
	case err != nil:
		return nil, nil, err
	case newer == set:
		return nil, nil, refusal
	}
	payload, err = newer.verify(signed)
	return payload, newer, err
}

// current gives the keys in force, and whether they were waited for: it waits for a fetch where there are none, or ones
// that were not used for long.
func (r *keyring) current(ctx context.Context) (set *keySet, fresh bool, err error) {
	r.mu.Lock()
	set = r.known
	failing, age := r.failed, r.now().Sub(r.began)
	var f *fetching
	if set == nil || age >= staleAfter {
		f = r.fetchLocked(ctx)
	}
	r.mu.Unlock()
	if set != nil && (f == nil || failing || age < trustedFor) {
		return set, false, nil
	}
	newer, err := wait(ctx, f)
	if err != nil && set != nil && ctx.Err() == nil {
		return set, false, nil
	}
	return newer, err == nil, err
}

// young gives the keys in force, or nil when it is time to fetch them anew.
func (r *keyring) young() *keySet {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || r.now().Sub(r.began) >= staleAfter {
		return nil
	}
	return r.known
}

// age is how old the keys in force are.
func (r *keyring) age() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now().Sub(r.began)
}

// newer gives keys that were fetched after the set was found to lack one, or the set itself if it is as good as new.
func (r *keyring) newer(ctx context.Context, set *keySet) (*keySet, error) {
	r.mu.Lock()
	if r.known != set {
		defer r.mu.Unlock()
		return r.known, nil
	}
	f := r.fetchLocked(ctx)
	fresh := f == nil && !r.failed && r.now().Sub(r.began) < asGoodAsNew
	r.mu.Unlock()
	if fresh {
		return set, nil
	}
	return wait(ctx, f)
}

// fetchLocked gives the fetch that runs, or begins one. It gives nil when it is too early for another one.
func (r *keyring) fetchLocked(ctx context.Context) *fetching {
	early := r.failed && r.now().Sub(r.ended) < FetchPause
	if r.running != nil || early || r.closed || !r.budget.AllowN(r.now(), 1) {
		return r.running
	}
	f := &fetching{done: make(chan struct{})}
	r.running = f
	r.fetches.Go(func() { r.run(ctx, f) })
	return f
}

// run fetches for all who wait, whoever of them goes away.
func (r *keyring) run(ctx context.Context, f *fetching) {
	ctx, cancel := r.bound(ctx)
	defer cancel()
	defer close(f.done)
	began := r.now()
	set, err := r.fetch(ctx)
	r.mu.Lock()
	known, failed := r.known != nil, r.failed
	r.running, r.ended, r.failed = nil, r.now(), err != nil
	if err == nil {
		f.set, r.known, r.began = set, set, began
	}
	r.mu.Unlock()
	switch {
	case err != nil:
		r.log.LogAttrs(ctx, slog.LevelWarn, "cannot fetch the keys of the OIDC issuer", slog.Bool("known_keys_in_force", known),
			slog.String("error", clip(err.Error())))
	case failed || !known:
		r.log.LogAttrs(ctx, slog.LevelInfo, "fetched the keys of the OIDC issuer", slog.Int("keys", len(set.keys)))
	}
}

// clip keeps what an issuer may have had its part in from flooding the log.
func clip(text string) string {
	const most = 500
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

func wait(ctx context.Context, f *fetching) (*keySet, error) {
	if f == nil {
		return nil, ErrUnavailable
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		return nil, ErrUnavailable
	}
	if f.set == nil {
		return nil, ErrUnavailable
	}
	return f.set, nil
}
