package notify

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// failure is why an event was not delivered, in words that may be shown to anyone.
type failure struct {
	why   string
	again bool          // whether another try may do better
	after time.Duration // what the receiver asks to wait before that; 0: nothing
}

func (f *failure) Error() string { return f.why }

// transient is a failure that may pass.
func transient(why string) error { return &failure{why: why, again: true} }

// permanent is a failure that does not pass by itself.
func permanent(why string) error { return &failure{why: why} }

// take has a place in a line, if there is one before ctx ends.
func take(ctx context.Context, line chan struct{}) error {
	select {
	case line <- struct{}{}:
		return nil
	case <-ctx.Done():
		return transient("there was no time for it: others were being told")
	}
}

// deliver tries until it has worked, no other try may do better, or ctx ends.
func (n *Notifier) deliver(ctx context.Context, t *target, m *message) error {
	if err := take(ctx, t.turn); err != nil {
		return err
	}
	defer func() { <-t.turn }()
	pauses := &backoff.ExponentialBackOff{
		InitialInterval: n.pause, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: n.timeout,
	}
	end, _ := ctx.Deadline()
	var last error
	_, _ = backoff.Retry(ctx, func() (struct{}, error) { // what it returns may be the end of ctx, rather than what was wrong
		last = n.try(ctx, t, m)
		return struct{}{}, advice(last)
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(time.Until(end)))
	return last
}

// advice is what package backoff takes an error for.
func advice(err error) error {
	f, ok := errors.AsType[*failure](err)
	switch {
	case !ok:
		return err
	case !f.again:
		return backoff.Permanent(err) //nolint:wrapcheck // is a wrapping itself
	case f.after > 0:
		return &backoff.RetryAfterError{Duration: f.after}
	}
	return err
}

// try makes one try, when it is its turn. A panic on something that a receiver has sent ends the try and nothing else.
func (n *Notifier) try(ctx context.Context, t *target, m *message) (err error) {
	if err := take(ctx, n.slots); err != nil {
		return err
	}
	defer func() { <-n.slots }()
	defer func() {
		if recover() != nil {
			err = permanent("what it answered could not be dealt with")
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	return t.send(ctx, m)
}
