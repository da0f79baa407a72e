package feed_test

import (
	"context"
	"sync/atomic"

	"kayra/cli/feed"
	"kayra/server/client"
)

// counting counts what a server is asked.
type counting struct {
	feed.Server

	times atomic.Int32
}

func (c *counting) Do(ctx context.Context, method, path string, body []byte) (client.Answer, error) {
	c.times.Add(1)
	return c.Server.Do(ctx, method, path, body)
}

func (c *counting) Follow(ctx context.Context, path string, f client.Follower, now <-chan struct{}) error {
	c.times.Add(1)
	return c.Server.Follow(ctx, path, f, now)
}
