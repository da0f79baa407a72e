// Package server is Kayra's REST API. Every route stands in one table (routes.go); the gate in front of it, GET /apis and
// the OpenAPI document of Kayra itself are derived from that table. What a request is allowed to say is decided here, what
// it does in package catalog.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kayra/server/api"
	"kayra/server/auth"
	"kayra/server/docs"
	"kayra/server/katalog"
	"kayra/server/notify"
	"kayra/server/watch"
	"kayra/store/catalog"
)

// Options are what a Server is made of. Repository, Authenticator and Policy are required.
type Options struct {
	Repository    *catalog.Repository
	Authenticator auth.Authenticator
	Sysadmins     auth.Sysadmins
	Policy        Policy
	Domain        string                          // D of catalog.D; "": example.com
	Version       string                          // of the program, for /-/metadata
	Logger        *slog.Logger                    // nil: no log
	Audit         *slog.Logger                    // gets a line for every write, whatever its level; nil: there is none
	RateLimit     int                             // requests per second of one caller; 0: no limit
	Registry      *prometheus.Registry            // what /-/metrics shows beside the server's own; nil: nothing
	Ready         func(ctx context.Context) error // nil: ready when the store answers
	DrainTimeout  time.Duration                   // how long requests may take to end once Serve is to end; 0: 10 s
	Katalog       *katalog.Katalog                // counts writes for /katalog; fed by whoever follows the store; nil: one that is fed by nobody
	Notifier      *notify.Notifier                // nil: no team is known
	Watch         *watch.Hub                      // feeds streams; fed by whoever follows the store; nil: there are none
	KeepAlive     time.Duration                   // between two signs of life of a stream; 0: 15 s
}

// Server serves the REST API.
type Server struct {
	repository *catalog.Repository
	who        auth.Authenticator
	sysadmins  auth.Sysadmins
	policy     Policy
	domain     string
	version    string
	log        *slog.Logger
	audit      *slog.Logger // nil: none
	limits     *limits      // nil: none
	patience   patience
	ready      func(ctx context.Context) error
	drain      time.Duration
	metrics    *metrics
	katalog    *katalog.Katalog
	notifier   *notify.Notifier
	watch      *watch.Hub
	tempo      tempo
	ending     chan struct{} // closed when streams are to end
	end        sync.Once
	builtin    []api.Group // Kayra's own API groups
	own        []route     // the routes of Kayra's own APIs
	document   []byte      // the OpenAPI document of Kayra itself
	docs       *docs.Files // the page that shows it
	handler    http.Handler
}

// New makes a server. It fails when an option is missing or the registry has metrics of another server.
func New(o Options) (*Server, error) {
	if o.Repository == nil || o.Authenticator == nil || o.Policy == nil {
		return nil, errors.New("new server: a repository, an authenticator and a policy are required")
	}
	s := &Server{
		repository: o.Repository, who: o.Authenticator, sysadmins: o.Sysadmins, policy: o.Policy,
		domain: o.Domain, version: o.Version, log: o.Logger, ready: o.Ready, drain: o.DrainTimeout, audit: o.Audit, patience: defaultPatience(),
		katalog: o.Katalog, notifier: o.Notifier, watch: o.Watch, tempo: defaultTempo(o.KeepAlive), ending: make(chan struct{}),
	}
	if s.drain == 0 {
		s.drain = defaultDrain
	}
	if s.domain == "" {
		s.domain = "example.com"
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.ready == nil {
		s.ready = s.storeAnswers
	}
	if s.katalog == nil {
		s.katalog = katalog.New(s.repository.Scope(), s.log)
	}
	if s.watch == nil {
		s.watch = watch.New(watch.Options{Repository: s.repository, Logger: s.log})
	}
	var err error
	if s.metrics, err = newMetrics(o.Registry, s.policy, s.katalog); err != nil {
		return nil, err
	}
	if s.limits, err = newLimits(o.RateLimit); err != nil {
		return nil, err
	}
	routes := s.routes()
	if err := checkRoutes(routes); err != nil {
		return nil, fmt.Errorf("new server: %w", err)
	}
	s.builtin, s.own = groups(routes), routes
	if s.document, err = document(routes, s.version); err != nil {
		return nil, err
	}
	if s.docs, err = docs.New(); err != nil {
		return nil, fmt.Errorf("new server: %w", err)
	}
	s.handler = s.observe(s.bounded(s.mux(routes)))
	return s, nil
}

// Handler serves every route. It may be called before Serve, and without it.
func (s *Server) Handler() http.Handler { return s.handler }

func (s *Server) storeAnswers(ctx context.Context) error {
	_, err := s.repository.Namespaces(ctx, catalog.PageRequest{Limit: 1})
	return err //nolint:wrapcheck // says it all
}
