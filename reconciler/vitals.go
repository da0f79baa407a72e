package reconciler

import (
	"errors"
	"log/slog"
	"time"

	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

// measure counts an attempt of the registration by how it ends. cut tells that it was cut off, which is no end.
func (w *worker) measure(try func() error, cut func() bool) error {
	if w.staff == nil {
		return try()
	}
	began := time.Now()
	end := w.staff.vitals.Begin(w.number)
	err := try()
	r := kordinator.Result{OK: err == nil, Void: cut(), Took: time.Since(began)}
	if err != nil {
		r.Message = outcomeOf(err).Message
	}
	if fault, ok := errors.AsType[*panicked](err); ok {
		r.Panicked, r.Stack = true, fault.stack
	}
	end(r)
	return err
}

// attempted counts an attempt for which there was nothing to send.
func (w *worker) attempted(o catalog.Outcome) {
	if w.staff != nil {
		w.staff.vitals.Begin(w.number)(kordinator.Result{OK: o.Phase == catalog.PhaseSuccess, Message: o.Message})
	}
}

// noteDepths tells how long the queues of the jobs are.
func (c *Controller) noteDepths(jobs []job) {
	seen := map[string]bool{}
	for _, j := range jobs {
		if name := j.queue(); !seen[name] {
			seen[name] = true
			c.noteDepth(name)
		}
	}
}

func (c *Controller) noteDepth(name string) {
	if s := c.staffs.of(name); s != nil {
		s.vitals.Depth(c.queues.Stats(name).Depth)
	}
}

func (c *Controller) logLimits(name string, l kordinator.ScaleLimits, reason string) {
	if reason == "" {
		return // nobody has asked for it to be scaled
	}
	c.log.Info("limits set", slog.String("api", name), slog.Int("workers", l.Workers), slog.Int("max_depth", l.MaxDepth),
		slog.Duration("resync", l.Resync), slog.String("reason", reason))
}
