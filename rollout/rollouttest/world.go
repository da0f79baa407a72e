package rollouttest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"kayra/rollout"
	"kayra/server"
	"kayra/server/auth"
	"kayra/server/client"
	"kayra/server/rbac"
	"kayra/server/watch"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/local"
)

// Token is that of a sysadmin of a [World].
const Token = "root-token"

// World is a real server on a store of its own, which notes what is asked of it. Instead of a reconciler, tests say how
// runs end.
type World struct {
	URL        string
	Repository *catalog.Repository

	tb      testing.TB
	session store.Session

	mutex  sync.Mutex
	bodies []string
}

// NewWorld starts a server until the end of the test.
func NewWorld(tb testing.TB) *World {
	tb.Helper()
	s, err := local.Open(tb.Context(), local.Options{Path: filepath.Join(tb.TempDir(), "kayra.db")})
	w := &World{tb: tb}
	w.must(err)
	tb.Cleanup(func() { _ = s.Close() }) // nothing is left to be done about it
	scope := catalog.Scope{Platform: "sandbox", Region: "eu-west-1"}
	w.Repository = catalog.NewRepository(s, scope)
	hub := watch.New(watch.Options{Repository: w.Repository, Pace: 20 * time.Millisecond}) //nolint:mnd // soon
	policy := rbac.New(rbac.Options{Scope: scope, Also: []store.Follower{hub}})
	w.background(hub.Run)
	w.background(func(ctx context.Context) error { return policy.Run(ctx, s) })
	w.must(policy.Wait(tb.Context()))
	w.session, err = s.NewSession(tb.Context())
	w.must(err)
	tokens, err := auth.NewTokens([]auth.Token{{Identity: auth.Identity{User: "root"}, Digest: auth.DigestOf(Token)}})
	w.must(err)
	srv, err := server.New(server.Options{
		Repository: w.Repository, Authenticator: tokens, Sysadmins: auth.Sysadmins{Users: []string{"root"}}, Policy: policy,
		Domain: "example.com", Watch: hub,
	})
	w.must(err)
	h := httptest.NewServer(w.noting(srv.Handler()))
	tb.Cleanup(h.Close)
	w.URL = h.URL
	return w
}

func (w *World) must(err error) {
	w.tb.Helper()
	if err != nil {
		w.tb.Fatal(err)
	}
}

func (w *World) background(run func(context.Context) error) {
	ctx, stop := context.WithCancel(w.tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	w.tb.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			w.tb.Errorf("in the background: %v", err)
		}
	})
}

// noting notes the requests that change something, once they have been answered.
func (w *World) noting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodGet {
			next.ServeHTTP(res, req)
			return
		}
		body, _ := io.ReadAll(req.Body) // what is missing is refused
		req.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(res, req)
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.bodies = append(w.bodies, fmt.Sprintf("%s %s %s", req.Method, req.URL.RequestURI(), body))
	})
}

// Sent are the requests that change something, in their order: METHOD PATH BODY.
func (w *World) Sent() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.Clone(w.bodies)
}

// Register adds a registration whose sync id is "v1", and subscriptions that are synced.
func (w *World) Register(name string, namespaces ...string) {
	w.tb.Helper()
	ctx, id := w.tb.Context(), "v1"
	_, err := w.Repository.CreateRegistration(ctx, name, catalog.RegistrationChange{SyncID: &id})
	w.must(err)
	for _, ns := range namespaces {
		if _, err := w.Repository.CreateNamespace(ctx, ns); err != nil {
			w.must(err)
		}
		_, err := w.Repository.Subscribe(ctx, ns, name)
		w.must(err)
		w.End(name, ns, catalog.Outcome{Phase: catalog.PhaseSuccess})
	}
}

// End runs a subscription to an outcome, as a reconciler does.
func (w *World) End(name, ns string, o catalog.Outcome) {
	w.tb.Helper()
	ctx := w.tb.Context()
	reg, err := w.Repository.Registration(ctx, name)
	w.must(err)
	v, err := w.Repository.Subscription(ctx, ns, name)
	w.must(err)
	claim, err := w.Repository.Begin(ctx, &reg, &v.Subscription, catalog.Attempt{
		Trigger: catalog.Trigger{RegGen: reg.Generation, SubGen: v.Generation}, SyncID: reg.SyncID, Run: "run", N: 1, Begun: 1,
	}, w.session.ID())
	w.must(err)
	w.must(w.Repository.Finish(ctx, claim, o))
}

// Succeed has the syncs of the namespaces succeed.
func (w *World) Succeed(name string, namespaces ...string) {
	w.tb.Helper()
	for _, ns := range namespaces {
		w.End(name, ns, catalog.Outcome{Phase: catalog.PhaseSuccess})
	}
}

// Client asks the server. It is closed at the end of the test.
func (w *World) Client() rollout.Client {
	w.tb.Helper()
	c, err := client.New(client.Options{URL: w.URL, Token: Token})
	w.must(err)
	w.tb.Cleanup(c.Close)
	return overHTTP{c}
}

// overHTTP is a client of a server that no reconciler stands beside.
type overHTTP struct{ *client.Client }

func (c overHTTP) Do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	answer, err := c.Client.Do(ctx, method, path, body)
	return answer.Body, err //nolint:wrapcheck // is shown as it is
}

func (c overHTTP) Follow(ctx context.Context, path string, l rollout.Listener) error {
	return c.Client.Follow(ctx, path, follower{l}, nil) //nolint:wrapcheck // is shown as it is
}

func (c overHTTP) Run(context.Context, string, string) (rollout.Run, error) {
	return rollout.Run{}, nil
}

type follower struct{ rollout.Listener }

func (f follower) Apply(e client.Event) error {
	return f.Row(e.Data, e.Type == client.Deleted) //nolint:wrapcheck // the listener's own
}

func (f follower) Synced([]byte) { f.Listener.Synced() }
