package reconciler

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// noteworthy is how long a step takes before others are told of it.
const noteworthy = time.Second

// progress puts a step that takes a while on the lock of its run, where those who have the records see it.
type progress struct {
	record func(catalog.Step)

	mu      sync.Mutex
	timer   *time.Timer // of the step that runs; nil: none does
	writing sync.WaitGroup
}

// observe is told of the steps of a run, and of the late ends of its async calls.
func (p *progress) observe(s pipeline.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.State == pipeline.StateRunning && s.Calls > 0 || s.Async && s.State != pipeline.StateRunning {
		return // it has been told of, or is not what the run waits for
	}
	p.stop()
	if s.State != pipeline.StateRunning {
		return
	}
	step := catalog.Step{Index: s.Index + 1, Total: s.Steps, Name: s.Name, Since: s.StartedAt.UTC().Truncate(time.Second)}
	p.writing.Add(1)
	p.timer = time.AfterFunc(noteworthy, func() {
		defer p.writing.Done()
		p.record(step)
	})
}

// stop has nothing more written of the step that ran.
func (p *progress) stop() {
	if p.timer != nil && p.timer.Stop() {
		p.writing.Done()
	}
	p.timer = nil
}

// end waits until nothing is being written.
func (p *progress) end() {
	p.mu.Lock()
	p.stop()
	p.mu.Unlock()
	p.writing.Wait()
}

// note puts a step on the lock of a run. That it could not be written is of no consequence.
func (w *worker) note(ctx context.Context, claim *catalog.SubscriptionClaim) func(catalog.Step) {
	return func(step catalog.Step) {
		if err := claim.Note(ctx, step, w.session); err != nil {
			w.log.Debug("the step that runs was not noted", slog.Any("error", err))
		}
	}
}
