package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kayra/server/api"
	"kayra/server/client"
	"kayra/store/catalog"
	"kayra/tui/fleet"
)

// stream is a list that is followed. It is a [client.Follower].
type stream struct {
	name  string   // of the source
	paths []string // the first one that the caller may see is followed
	*teller

	take  func(client.Event) error // notes an event
	begin func()                   // forgets what was noted: all there is follows
	tell  func(whole, late bool)   // hands over what was noted

	whole bool // what is noted is part of all there is
	late  bool // what is noted may have happened a while ago
	ended bool // the server has ended the stream, which is no trouble yet
}

// Reset implements [client.Follower].
func (s *stream) Reset() {
	s.whole = true
	s.begin()
}

// Apply implements [client.Follower].
func (s *stream) Apply(e client.Event) error {
	if err := s.take(e); err != nil {
		return err
	}
	if !s.whole {
		s.tell(false, s.late)
	}
	return nil
}

// Synced implements [client.Follower].
func (s *stream) Synced([]byte) {
	if s.whole {
		s.tell(true, false)
	}
	s.whole, s.late, s.ended = false, false, false
	s.fine(s.name)
}

// Live implements [client.Follower].
func (s *stream) Live(err error, retry time.Duration) {
	if err == nil {
		return
	}
	s.late = true
	if errors.Is(err, client.ErrEnded) && !s.ended {
		s.ended = true
		return
	}
	s.trouble(s.name, err, retry)
}

// run follows until ctx ends. What is refused is tried again, slowly.
func (s *stream) run(ctx context.Context, f *Feed, now <-chan struct{}) {
	for {
		var err error
		for _, path := range s.paths {
			s.Reset()
			if err = f.Server.Follow(ctx, path, s, now); ctx.Err() != nil {
				return
			}
			if troubleOf(err) != fleet.Denied {
				break
			}
		}
		s.trouble(s.name, err, f.Slow)
		if !wait(ctx, f.Slow, now) {
			return
		}
	}
}

// streams are the lists of Kayra's own group that are followed.
func (f *Feed) streams(catalog string, to *box) []*stream {
	base := "/apis/" + catalog + "/v1/"
	return []*stream{f.registrations(base, to), f.subscriptions(base, to), f.reconcilers(base, to)}
}

func (f *Feed) registrations(base string, to *box) *stream {
	var noted []fleet.APIChange
	return &stream{
		name: fleet.Registrations, paths: []string{base + "apiregistrations"}, teller: newTeller(f, to),
		begin: func() { noted = nil },
		take: func(e client.Event) error {
			c := fleet.APIChange{Gone: e.Type == client.Deleted}
			noted = append(noted, c)
			return decode(e.Data, &noted[len(noted)-1].Registration)
		},
		tell: func(whole, _ bool) {
			to.addAPIs(fleet.APIs{Whole: whole, Changes: noted})
			noted = nil
		},
	}
}

func (f *Feed) subscriptions(base string, to *box) *stream {
	paths := []string{base + "subscriptions"}
	if f.Namespace != "" {
		paths = append(paths, base+"namespaces/"+f.Namespace+"/subscriptions")
	}
	var noted []fleet.SubscriptionChange
	texts := &texts{}
	return &stream{
		name: fleet.AllSubscriptions, paths: paths, teller: newTeller(f, to),
		begin: func() { noted = nil },
		take: func(e client.Event) error {
			noted = append(noted, fleet.SubscriptionChange{Gone: e.Type == client.Deleted})
			s := &noted[len(noted)-1].Subscription
			err := decode(e.Data, s)
			texts.share(s)
			return err
		},
		tell: func(whole, late bool) {
			to.addSubscriptions(fleet.Subscriptions{Whole: whole, Late: late, Changes: noted, At: f.Now()})
			noted = nil
		},
	}
}

func (f *Feed) reconcilers(base string, to *box) *stream {
	var noted []fleet.ReconcilerChange
	return &stream{
		name: fleet.AllReconcilers, paths: []string{base + "reconcilers"}, teller: newTeller(f, to),
		begin: func() { noted = nil },
		take: func(e client.Event) error {
			noted = append(noted, fleet.ReconcilerChange{Gone: e.Type == client.Deleted})
			return decode(e.Data, &noted[len(noted)-1].Reconciler)
		},
		tell: func(whole, _ bool) {
			f.crew.alive(whole, noted)
			to.addReconcilers(fleet.Reconcilers{Whole: whole, Changes: noted})
			noted = nil
		},
	}
}

func decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read what the server tells: %w", err)
	}
	return nil
}

// texts has those that rows share once only: ten thousand subscriptions have a handful of sync ids between them.
type texts struct{ known map[string]string }

func (t *texts) share(s *api.Subscription) {
	const most = 1 << 16
	if t.known == nil || len(t.known) > most {
		t.known = map[string]string{}
	}
	s.API, s.Namespace = t.one(s.API), t.one(s.Namespace)
	s.State, s.Reason, s.Message = catalog.State(t.one(string(s.State))), catalog.Reason(t.one(string(s.Reason))), t.one(s.Message)
	s.CurrentSyncID, s.ExpectedSyncID, s.AttemptedSyncID = t.one(s.CurrentSyncID), t.one(s.ExpectedSyncID), t.one(s.AttemptedSyncID)
}

func (t *texts) one(s string) string {
	if same, known := t.known[s]; known {
		return same
	}
	t.known[s] = s
	return s
}

// troubleOf is the sort of trouble that an error is.
func troubleOf(err error) fleet.Trouble {
	refused, ok := errors.AsType[*client.Error](err)
	switch {
	case err == nil:
		return fleet.Fine
	case ok && refused.Status == http.StatusUnauthorized:
		return fleet.Unauthenticated
	case ok && refused.Status == http.StatusForbidden:
		return fleet.Denied
	case errors.Is(err, catalog.ErrNotFound), errors.Is(err, catalog.ErrInvalid), errors.Is(err, errNoKayra):
		return fleet.Refused
	}
	return fleet.Offline
}
