package feed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kayra/server/api"
	"kayra/tui/fleet"
)

// Once is all that there is, asked for once. It fails with the first thing that keeps subscriptions from being listed, or
// registrations other than that the caller may not see them. What else cannot be had is told as Follow tells it.
func (f *Feed) Once(ctx context.Context) ([]fleet.Update, error) {
	catalog, err := f.group(ctx)
	if err != nil {
		return nil, err
	}
	to := newBox()
	var all sync.WaitGroup
	lists := f.streams(catalog, to)
	errs := make([]error, len(lists))
	for i, s := range lists {
		all.Go(func() { errs[i] = s.once(ctx, f) })
	}
	all.Wait()
	for i, s := range lists {
		switch {
		case errs[i] == nil:
		case s.name == fleet.AllSubscriptions, troubleOf(errs[i]) != fleet.Denied:
			return nil, errs[i]
		default:
			s.trouble(s.name, errs[i], 0)
		}
	}
	all.Go(func() { f.figuresOnce(ctx, to) })
	for _, r := range f.crew.list() {
		all.Go(func() { f.askOnce(ctx, r, to) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("list the deployment: %w", context.Cause(ctx))
	}
	return to.take(), nil
}

var errComplete = errors.New("all there is has been told")

// once is the list as it is now.
func (s *stream) once(ctx context.Context, f *Feed) (err error) {
	for _, path := range s.paths {
		bound, stop := context.WithCancelCause(ctx)
		s.Reset()
		err = f.Server.Follow(bound, path, &snapshot{stream: s, stop: stop}, nil)
		stop(nil)
		if cause := context.Cause(bound); errors.Is(cause, errComplete) {
			return nil
		} else if broken, ok := errors.AsType[*brokenError](cause); ok {
			return broken.error
		}
		if troubleOf(err) != fleet.Denied {
			break
		}
	}
	return err //nolint:wrapcheck // is explained
}

// snapshot is a stream that ends when it has told all there is, or with the first trouble.
type snapshot struct {
	*stream

	stop context.CancelCauseFunc
}

// brokenError is what has broken a stream.
type brokenError struct{ error }

func (s *snapshot) Synced(data []byte) {
	s.stream.Synced(data)
	s.stop(errComplete)
}

func (s *snapshot) Live(err error, _ time.Duration) {
	if err != nil {
		s.stop(&brokenError{err})
	}
}

func (f *Feed) figuresOnce(ctx context.Context, to *box) {
	t := newTeller(f, to)
	k, _, err := f.counted(ctx)
	if err != nil {
		t.trouble(fleet.Katalog, err, 0)
		return
	}
	to.addFigures(&fleet.Figures{Katalog: k})
	t.fine(fleet.Katalog)
}

func (f *Feed) askOnce(ctx context.Context, r api.Reconciler, to *box) {
	at, err := f.Open(r.Endpoint)
	if err != nil {
		to.addWord(&fleet.Word{Reconciler: r.ID, Problem: err.Error()})
		return
	}
	defer at.Close()
	word, _ := f.word(ctx, r.ID, at)
	to.addWord(word)
}
