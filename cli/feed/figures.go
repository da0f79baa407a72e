package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"kayra/server/api"
	"kayra/tui/fleet"
)

const katalogPath = "/katalog"

// answeredWithin is for how long an answer of the server is waited for. One that takes longer is as good as away: its streams may
// be open, but nothing comes by them.
const answeredWithin = 5 * time.Second

var errSlow = errors.New("the server is silent: no answer within " + answeredWithin.String())

// figures asks the server what it has counted, and how registrations are doing, until ctx ends. A server that does not answer is
// asked as often as one that does.
func (f *Feed) figures(ctx context.Context, to *box, now <-chan struct{}) {
	t := newTeller(f, to)
	var last []byte
	for {
		pause := f.Ask
		k, body, err := f.countedSoon(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if troubleOf(err) != fleet.Offline {
				pause = f.Slow
			}
			t.trouble(fleet.Katalog, err, pause)
		default:
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

// countedSoon is what the server has counted, if it says so soon.
func (f *Feed) countedSoon(ctx context.Context) (*api.Katalog, []byte, error) {
	bound, cancel := context.WithTimeoutCause(ctx, answeredWithin, errSlow)
	defer cancel()
	k, body, err := f.counted(bound)
	if err != nil && errors.Is(context.Cause(bound), errSlow) {
		err = errSlow
	}
	return k, body, err
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
