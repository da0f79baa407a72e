package feed

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"kayra/server/api"
	"kayra/tui/fleet"
)

// teller tells how a source is doing, if that is new.
type teller struct {
	feed *Feed
	to   *box
	said fleet.Source
}

func newTeller(f *Feed, to *box) *teller { return &teller{feed: f, to: to} }

func (t *teller) fine(name string) { t.say(fleet.Source{Name: name, Synced: true}) }

func (t *teller) trouble(name string, err error, retry time.Duration) {
	now := t.feed.Now()
	s := fleet.Source{Name: name, Synced: t.said.Synced, Trouble: troubleOf(err), Problem: t.feed.Explain(err), Since: now, Retry: now.Add(retry)}
	if t.said.Trouble != fleet.Fine {
		s.Since = t.said.Since
	}
	t.say(s)
}

func (t *teller) say(s fleet.Source) {
	if s != t.said {
		t.said = s
		t.to.addSource(s)
	}
}

// Pauses between two tries of what fails.
const (
	shortest = time.Second
	longest  = 30 * time.Second
)

// backoff grows with each try that fails.
type backoff struct{ pause time.Duration }

// next is how long to wait, spread so that those that failed together do not try together.
func (b *backoff) next() time.Duration {
	b.pause = min(max(shortest, 2*b.pause), longest) //nolint:mnd // doubles
	return b.pause/2 + rand.N(b.pause)               //nolint:gosec,mnd // spreads
}

func (b *backoff) reset() { b.pause = 0 }

// pause is how long to wait after an error: what is refused is not tried again soon.
func (f *Feed) pause(b *backoff, err error) time.Duration {
	if troubleOf(err) == fleet.Offline {
		return b.next()
	}
	return f.Slow
}

var errNoKayra = errors.New("what answers knows no API group catalog of its own; is it Kayra that answers at this URL?")

// discover finds the name of Kayra's own group, for as long as it takes; "": ctx has ended.
func (f *Feed) discover(ctx context.Context, to *box, now <-chan struct{}) string {
	tellers := map[string]*teller{}
	for _, name := range []string{fleet.Registrations, fleet.AllSubscriptions, fleet.AllReconcilers, fleet.Katalog} {
		tellers[name] = newTeller(f, to)
	}
	var b backoff
	for {
		name, err := f.group(ctx)
		if err == nil || ctx.Err() != nil {
			return name
		}
		retry := f.pause(&b, err)
		for name, t := range tellers {
			t.trouble(name, err, retry)
		}
		if !wait(ctx, retry, now) {
			return ""
		}
	}
}

// group asks which group is Kayra's own.
func (f *Feed) group(ctx context.Context) (string, error) {
	answer, err := f.Server.Do(ctx, http.MethodGet, "/apis", nil)
	if err != nil {
		return "", err //nolint:wrapcheck // is explained
	}
	var groups api.Groups
	if err := json.Unmarshal(answer.Body, &groups); err != nil {
		return "", errNoKayra
	}
	for _, g := range groups.APIs {
		if g.Builtin && g.ShortName == "catalog" {
			return g.Name, nil
		}
	}
	return "", errNoKayra
}
