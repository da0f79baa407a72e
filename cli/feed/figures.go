package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"kayra/server/api"
	"kayra/tui/fleet"
)

const katalogPath = "/katalog"

// figures asks the server what it has counted, and how registrations are doing, until ctx ends.
func (f *Feed) figures(ctx context.Context, to *box, now <-chan struct{}) {
	t := newTeller(f, to)
	var b backoff
	var last []byte
	for {
		pause := f.Ask
		k, body, err := f.counted(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			pause = f.pause(&b, err)
			t.trouble(fleet.Katalog, err, pause)
		default:
			b.reset()
			if !bytes.Equal(body, last) {
				last = body
				to.addFigures(&fleet.Figures{Katalog: k})
			}
			t.fine(fleet.Katalog)
		}
		if !wait(ctx, pause, now) {
			return
		}
	}
}

// counted is what the server has counted, and the same as it has said it.
func (f *Feed) counted(ctx context.Context) (*api.Katalog, []byte, error) {
	answer, err := f.Server.Do(ctx, http.MethodGet, katalogPath, nil)
	if err != nil {
		return nil, nil, err //nolint:wrapcheck // is explained
	}
	k := &api.Katalog{}
	return k, answer.Body, decode(answer.Body, k)
}

// katalogOf asks a reconciler what it works on. Its answer is one also when something that it works on is not well.
func katalogOf(ctx context.Context, at Asker, path string, into any) error {
	answer, err := at.Exchange(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err //nolint:wrapcheck // is explained
	}
	if answer.Status == http.StatusServiceUnavailable && json.Unmarshal(answer.Body, &struct{ CRDs []struct{} }{}) == nil {
		return decode(answer.Body, into)
	}
	if err := answer.Err(); err != nil {
		return err //nolint:wrapcheck // is explained
	}
	return decode(answer.Body, into)
}
