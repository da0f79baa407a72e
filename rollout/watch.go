package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
)

// How often progress is told at most, and how often the registration is read.
const (
	tellPause = 100 * time.Millisecond
	headPause = 2 * time.Second
)

// Watch follows how a goal is being reached, and calls tell with what has come of it, until the verdict is final. That is
// the progress it returns. Otherwise, too, it returns the last progress, with the error of ctx, of tell, or what the server
// refuses for good. A server that is away is waited for, and tell is told.
//
// A verdict rests on the registration as it is read after the rows that speak for it. Until all rows are known there is
// none, so that an error which was there before counts as one of this sync only where it is of the sync id that is to be
// reached.
func (e *Engine) Watch(ctx context.Context, g Goal, tell func(Progress) error) (Progress, error) {
	ctx, stop := context.WithCancel(ctx)
	w := &watching{engine: e, tracker: newTracker(g), changed: make(chan struct{}, 1), above: make(chan struct{}, 1)}
	followed, read := make(chan error, 1), make(chan error, 1)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	all.Go(func() { followed <- e.client.Follow(ctx, e.path(g.API)+"/status?all=true", w) })
	all.Go(func() { read <- w.heads(ctx) })
	for {
		select {
		case <-ctx.Done():
			return w.now(), fmt.Errorf("watch %s: %w", g.API, context.Cause(ctx))
		case err := <-followed:
			return w.ended(err)
		case err := <-read:
			return w.ended(err)
		case <-w.changed:
		}
		p, err := w.judge(ctx)
		if p.Total == 0 && p.Verdict == Going && p.Offline == nil && err == nil {
			continue // nothing is known yet
		}
		if err == nil {
			err = tell(p)
		}
		if err != nil || p.Verdict != Going {
			return p, err
		}
		pause(ctx, tellPause, nil)
	}
}

// watching is a tracker that is fed by two goroutines.
type watching struct {
	engine  *Engine
	changed chan struct{} // there is something to be judged
	above   chan struct{} // the registration may be another one by now

	mutex   sync.Mutex
	tracker *tracker
}

// judge tells how far it has come. A final verdict is given only if it is the same by what there is then: a stream may be
// a moment behind the request that the wait is about.
func (w *watching) judge(ctx context.Context) (Progress, error) {
	p := w.now()
	if p.Verdict == Going {
		return p, nil
	}
	s, err := w.engine.Load(ctx, w.tracker.goal.API)
	switch {
	case errors.Is(err, catalog.ErrNotFound) || ctx.Err() != nil:
		return p, err
	case err != nil:
		p.Verdict, p.Offline = Going, err
		return p, nil //nolint:nilerr // it is told, and tried again when something changes
	}
	news := p.News
	w.change(func(t *tracker) {
		t.head, t.complete = &s.Registration, true
		clear(t.rows)
		for _, r := range s.Tenants {
			t.rows[r.Namespace] = r
		}
	})
	p = w.now()
	p.News = append(news, p.News...)
	return p, nil
}

func (w *watching) now() Progress {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.tracker.progress()
}

func (w *watching) ended(err error) (Progress, error) {
	return w.now(), err
}

// change alters what is known, and has it judged.
func (w *watching) change(do func(*tracker)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	do(w.tracker)
	select {
	case w.changed <- struct{}{}:
	default: // will be judged anyway
	}
}

// heads reads the registration again and again, until ctx ends or it is refused for good.
func (w *watching) heads(ctx context.Context) error {
	for {
		err := w.head(ctx)
		if errors.Is(err, catalog.ErrNotFound) {
			return err
		}
		if pause(ctx, headPause, w.above); ctx.Err() != nil {
			return fmt.Errorf("watch: %w", context.Cause(ctx))
		}
	}
}

func (w *watching) head(ctx context.Context) error {
	reg, err := w.engine.Registration(ctx, w.tracker.goal.API)
	if err != nil {
		return err
	}
	w.change(func(t *tracker) { t.head = &reg })
	return nil
}

// Reset implements [Listener].
func (w *watching) Reset() {
	w.change(func(t *tracker) { clear(t.rows); t.complete = false })
}

// Row implements [Listener].
func (w *watching) Row(data []byte, gone bool) error {
	var r api.Row
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("read row of status: %w", err)
	}
	w.change(func(t *tracker) {
		t.rows[r.Namespace] = r
		if gone {
			delete(t.rows, r.Namespace)
		}
	})
	return nil
}

// Synced implements [Listener].
func (w *watching) Synced() {
	w.change(func(t *tracker) { t.complete = true })
	select {
	case w.above <- struct{}{}:
	default: // will be read anyway
	}
}

// Live implements [Listener].
func (w *watching) Live(err error, retry time.Duration) {
	w.change(func(t *tracker) { t.offline, t.retry = err, retry })
}

// pause waits for the time, or until it is told to go on.
func pause(ctx context.Context, d time.Duration, goOn <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-goOn:
	}
}
