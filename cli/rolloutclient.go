package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"kayra/reconciler/katalog"
	"kayra/rollout"
	"kayra/server/api"
	"kayra/server/client"
)

// rolling is a server as the rollout engine asks it. Its methods may be called from any number of goroutines.
type rolling struct {
	*remote

	group string // Kayra's own
	now   func() time.Time

	mutex sync.Mutex
	crew  []*client.Client // of the reconcilers that may be asked
	asked time.Time        // when the server named them; zero: not yet
}

// crewFor is how long the reconcilers that the server has named are taken for those there are.
const crewFor = 10 * time.Second

// Do implements [rollout.Client].
func (r *rolling) Do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	answer, err := r.at.Do(ctx, method, path, body)
	refused, said := errors.AsType[*client.Error](err)
	if err != nil && (!said || refused.Status >= http.StatusInternalServerError) {
		err = &noAnswerError{err}
	}
	return answer.Body, err
}

// noAnswerError is an error that leaves open whether something was changed.
type noAnswerError struct{ error }

func (e *noAnswerError) Unwrap() []error { return []error{e.error, rollout.ErrNoAnswer} }

// Follow implements [rollout.Client].
func (r *rolling) Follow(ctx context.Context, path string, l rollout.Listener) error {
	return r.at.Follow(ctx, path, listening{l}, nil) //nolint:wrapcheck // is shown as it is
}

// listening is a listener as a client tells it.
type listening struct{ rollout.Listener }

// Apply implements [client.Follower].
func (l listening) Apply(e client.Event) error {
	return l.Row(e.Data, e.Type == client.Deleted) //nolint:wrapcheck // the listener's own
}

// Synced implements [client.Follower].
func (l listening) Synced([]byte) { l.Listener.Synced() }

// Run implements [rollout.Client]: it asks all reconcilers that may be asked, and takes the latest run that one knows of.
func (r *rolling) Run(ctx context.Context, name, namespace string) (rollout.Run, error) {
	ctx, cancel := context.WithTimeout(ctx, askedWithin)
	defer cancel()
	crew, err := r.reconcilers(ctx)
	if err != nil {
		return rollout.Run{}, err
	}
	details := make([]*katalog.CRDetailResponse, len(crew))
	var all sync.WaitGroup
	for i, c := range crew {
		all.Go(func() { details[i] = detailOf(ctx, c, name, namespace) })
	}
	all.Wait()
	var run rollout.Run
	var began string
	for _, d := range details {
		if d == nil || len(d.Children["run"]) == 0 || d.Status.Attempt == nil {
			continue
		}
		last := d.Children["run"][0]
		if last.Name == d.Status.Attempt.Run && last.Status.StartedAt > began {
			began = last.Status.StartedAt
			run = rollout.Run{SyncID: d.Status.Attempt.SyncID, Attempt: last.Status.Attempts, Of: last.Status.Steps, Steps: stepsOf(d.Children["step"])}
		}
	}
	return run, nil
}

// detailOf is what a reconciler knows of a subscription; nil: it does not say.
func detailOf(ctx context.Context, c *client.Client, name, namespace string) *katalog.CRDetailResponse {
	answer, err := c.Do(ctx, http.MethodGet, "/katalog/"+url.PathEscape(name)+"/cr/"+url.PathEscape(namespace), nil)
	var d katalog.CRDetailResponse
	if err != nil || json.Unmarshal(answer.Body, &d) != nil {
		return nil
	}
	return &d
}

func stepsOf(children []katalog.ChildSummary) []rollout.Step {
	steps := make([]rollout.Step, len(children))
	for i, c := range children {
		since, _ := time.Parse(time.RFC3339Nano, c.Status.StartedAt) // zero: it is not known
		steps[i] = rollout.Step{
			Name: c.Name, State: c.Status.State, Since: since, Reason: c.Status.Reason,
			Took: time.Duration(c.Status.DurationMs * float64(time.Millisecond)),
		}
	}
	return steps
}

// reconcilers are clients of those that the token may go to.
func (r *rolling) reconcilers(ctx context.Context) ([]*client.Client, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.asked.IsZero() && r.now().Sub(r.asked) < crewFor {
		return r.crew, nil
	}
	var alive api.List[api.Reconciler]
	answer, err := r.at.Do(ctx, http.MethodGet, (&target{resource: "reconcilers"}).path(r.group), nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // is shown as it is
	}
	if err := json.Unmarshal(answer.Body, &alive); err != nil {
		return nil, fmt.Errorf("read list of reconcilers: %w", err)
	}
	r.dismiss()
	for _, one := range alive.Items {
		if len(r.crew) == mostAsked || !r.vouches(one.Endpoint) {
			continue
		}
		if c, err := r.open(strings.TrimSuffix(one.Endpoint, "/"), r.secret); err == nil {
			r.crew = append(r.crew, c)
		}
	}
	r.asked = r.now()
	return r.crew, nil
}

// dismiss closes the connections to reconcilers.
func (r *rolling) dismiss() {
	for _, c := range r.crew {
		c.Close()
	}
	r.crew = nil
}

// Close closes all connections.
func (r *rolling) Close() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.dismiss()
	r.at.Close()
}
