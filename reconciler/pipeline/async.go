package pipeline

import (
	"context"
	"sync"
	"time"
)

// background bounds the async calls that outlive their step, and ends them.
type background struct {
	slots chan struct{}
	cut   chan struct{} // closed when those that still run are to end
	done  sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

func newBackground(size int) *background {
	return &background{slots: make(chan struct{}, size), cut: make(chan struct{})}
}

// enter takes a slot if there is one.
func (b *background) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	select {
	case b.slots <- struct{}{}:
		b.done.Add(1)
		return true
	default:
		return false
	}
}

func (b *background) leave() {
	<-b.slots
	b.done.Done()
}

func (b *background) close(ctx context.Context) error {
	b.mu.Lock()
	again := b.closed
	b.closed = true
	b.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		b.done.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	running := len(b.slots) > 0
	if !again {
		close(b.cut)
	}
	<-ended
	if !running {
		return nil
	}
	return ctx.Err() //nolint:wrapcheck // Close says what was waited for
}

// callAsync waits for an async step as long as AsyncAckTimeout. After that the call goes on in the background, without the
// run: it ends with its own timeout, or when the process stops.
func (a *attempt) callAsync(ctx context.Context, req request) outcome {
	callCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.step.timeout)
	result := make(chan outcome, 1)
	go func() { result <- a.callOnce(callCtx, req) }()
	ack := time.NewTimer(a.p.opts.AsyncAckTimeout)
	defer ack.Stop()
	select {
	case out := <-result:
		cancel()
		return out
	case <-ctx.Done():
		cancel()
		return <-result
	case <-ack.C:
	}
	if !a.p.background.enter() {
		cancel()
		out := <-result
		if out.fail != nil && out.fail.cut {
			out.fail.why = "was cut off after " + a.p.opts.AsyncAckTimeout.String() + ": there is no room for it in the background"
		}
		return out
	}
	go a.await(context.WithoutCancel(ctx), cancel, result)
	return outcome{shown: req.shown, calls: 1, pending: true}
}

// await says how a call in the background ended.
func (a *attempt) await(ctx context.Context, cancel func(), result <-chan outcome) {
	defer a.p.background.leave()
	defer cancel()
	select {
	case out := <-result:
		a.end(ctx, out)
	case <-a.p.background.cut:
		cancel()
		out := <-result
		if out.fail != nil && out.fail.cut {
			out.fail.interrupt("was cut off: the process stops")
		}
		a.end(ctx, out)
	}
}
