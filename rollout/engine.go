package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
)

// ErrNoAnswer is the lack of an answer: whether something was changed is not known.
var ErrNoAnswer = errors.New("there was no answer")

// Client asks a server of Kayra.
type Client interface {
	// Do sends a request and gives the body of its answer. A path begins with a slash and is escaped; body is JSON, or nil.
	// A refusal is one of the errors of package catalog where it is of their kind. Where nobody has said whether the request
	// was carried out, the error is ErrNoAnswer, too.
	Do(ctx context.Context, method, path string, body []byte) ([]byte, error)
	// Follow tells of the rows of a list or a status, and of their changes, until ctx ends, Row fails, or the server refuses
	// for good.
	Follow(ctx context.Context, path string, l Listener) error
	// Run is the last run for a namespace's subscription. It is empty where nobody can be asked, or nobody knows of one.
	Run(ctx context.Context, api, namespace string) (Run, error)
}

// Listener takes what a [Client] tells. Its methods are called from one goroutine.
type Listener interface {
	// Reset forgets all that was told: all that there is follows.
	Reset()
	// Row tells of a row, which is JSON; gone: that it is no longer there.
	Row(data []byte, gone bool) error
	// Synced tells that all that there is has been told. Of a status it is told again when what is above its rows has changed.
	Synced()
	// Live tells why nothing is told, and when that is tried again; nil: it is told.
	Live(err error, retry time.Duration)
}

// Run is an execution of a mode's steps.
type Run struct {
	SyncID  string // that it carries
	Attempt int    // which one of its trigger: 1 or 2
	Of      int    // how many steps it will have had; 0: it is not known
	Steps   []Step // that have begun, in their order
}

// Step is a step of a run.
type Step struct {
	Name   string
	State  string // running, pending, ok, failed or interrupted
	Since  time.Time
	Took   time.Duration // until now while it goes on
	Reason string        // of a failure: one sentence
}

// Engine rolls out. Its methods may be called from any number of goroutines.
type Engine struct {
	client Client
	base   string
	now    func() time.Time
}

// New makes an engine for what a server has. group is the long name of Kayra's own API, as GET /apis has it.
func New(c Client, group string) *Engine {
	return &Engine{client: c, base: "/apis/" + url.PathEscape(group) + "/v1/apiregistrations", now: time.Now}
}

// Registrations are all that there are, by name.
func (e *Engine) Registrations(ctx context.Context) ([]api.Registration, error) {
	var all []api.Registration
	for position := ""; ; {
		var page api.List[api.Registration]
		path := e.base
		if position != "" {
			path += "?continue=" + url.QueryEscape(position)
		}
		if err := e.read(ctx, path, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Continue == "" || page.Continue == position {
			return all, nil
		}
		position = page.Continue
	}
}

// Registration reads one.
func (e *Engine) Registration(ctx context.Context, name string) (api.Registration, error) {
	var reg api.Registration
	err := e.read(ctx, e.path(name), &reg)
	return reg, err
}

// Document tells whether the OpenAPI document of an API is there, without which nothing is synced.
func (e *Engine) Document(ctx context.Context, name string) (bool, error) {
	_, err := e.client.Do(ctx, http.MethodGet, e.path(name)+"/openapi.json", nil)
	if errors.Is(err, catalog.ErrNotFound) {
		return false, nil
	}
	return err == nil, err //nolint:wrapcheck // is shown as it is
}

// Run is the last run for a namespace's subscription. It is empty where no reconciler can be asked, or none knows of one.
func (e *Engine) Run(ctx context.Context, name, namespace string) (Run, error) {
	return e.client.Run(ctx, name, namespace) //nolint:wrapcheck // is shown as it is
}

// Status is the answer about how the active subscriptions of an API stand, in JSON.
func (e *Engine) Status(ctx context.Context, name string) ([]byte, error) {
	return e.client.Do(ctx, http.MethodGet, e.path(name)+"/status", nil) //nolint:wrapcheck // is shown as it is
}

// SyncPath is the path of the requests that plans are carried out by.
func (e *Engine) SyncPath(name string) string { return e.path(name) + "/sync" }

func (e *Engine) path(name string) string { return e.base + "/" + url.PathEscape(name) }

func (e *Engine) read(ctx context.Context, path string, into any) error {
	body, err := e.client.Do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err //nolint:wrapcheck // is shown as it is
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read answer for %s: %w", path, err)
	}
	return nil
}
