package tuitest

import (
	"context"
	"errors"
	"sync"
	"time"

	"kayra/rollout"
	"kayra/tui"
	"kayra/tui/fleet"
)

// Client is a connection to a deployment that does not exist. Its zero value tells nothing.
type Client struct {
	News   chan []fleet.Update // what it tells; nil: nothing
	Refuse error               // what Act fails with
	Engine *rollout.Engine     // what Rollouts gives; nil: it fails
	Tells  *fleet.Detail       // what Detail gives, whatever it is asked of; nil: something

	mu      sync.Mutex
	actions []tui.Action
	tries   int
}

// Follow implements [tui.Client].
func (c *Client) Follow(ctx context.Context, out chan<- []fleet.Update, now <-chan struct{}) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // says it all
		case <-now:
			c.mu.Lock()
			c.tries++
			c.mu.Unlock()
		case updates := <-c.News:
			select {
			case <-ctx.Done():
			case out <- updates:
			}
		}
	}
}

// Detail implements [tui.Client].
func (c *Client) Detail(_ context.Context, api, namespace string) (fleet.Update, error) {
	if c.Tells != nil {
		return c.Tells, nil
	}
	return Detail(api, namespace, time.Now()), nil
}

// Act implements [tui.Client].
func (c *Client) Act(_ context.Context, a tui.Action) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.actions = append(c.actions, a)
	return c.Refuse
}

// Rollouts implements [tui.Client].
func (c *Client) Rollouts(context.Context) (*rollout.Engine, error) {
	if c.Engine == nil {
		return nil, errors.New("there is no engine")
	}
	return c.Engine, nil
}

// Switch implements [tui.Client]. There are contexts other and prod.
func (c *Client) Switch(_ context.Context, name string) (tui.Connection, error) {
	if name != "other" && name != "prod" {
		return tui.Connection{}, errors.New("there is no context " + name)
	}
	return tui.Connection{Client: &Client{}, Context: name, Server: "http://" + name, Production: name == "prod"}, nil
}

// Actions are those that were asked for.
func (c *Client) Actions() []tui.Action {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]tui.Action(nil), c.actions...)
}

// Tries is how often it was told to try at once.
func (c *Client) Tries() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tries
}
