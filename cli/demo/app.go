package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// api is the name under which the sample app is registered.
const api = "compute.example.com"

// app is the sample app: it takes a request to sync a namespace, works on it for a while, and tells how far it is. It
// serves one resource of its own, machines.
type app struct {
	work     time.Duration // how long a sync takes
	machines *machines

	mu    sync.Mutex
	began map[string]time.Time // by namespace and sync id
}

// AppOptions are of the sample app.
type AppOptions struct {
	Listen string        // HOST:PORT of the gateway; port 0: a free one
	Work   time.Duration // how long a sync takes
	File   string        // where the machines are kept; "": in memory
}

// ServeApp runs the sample app and, before it, the sample gateway until ctx ends. ready is told the gateway's URL.
func ServeApp(ctx context.Context, o AppOptions, ready func(url string) error) error {
	var listen net.ListenConfig
	behind, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("sample app: %w", err)
	}
	front, err := listen.Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("sample gateway: %w", err), behind.Close())
	}
	known, err := openMachines(o.File)
	if err != nil {
		return errors.Join(err, behind.Close(), front.Close())
	}
	a := &app{work: o.Work, machines: known, began: map[string]time.Time{}}
	group, ctx := errgroup.WithContext(ctx)
	serve(ctx, group, behind, a.handler())
	serve(ctx, group, front, gateway(behind.Addr().String()))
	if err := ready("http://" + front.Addr().String()); err != nil {
		return fmt.Errorf("sample app: %w", err)
	}
	return group.Wait() //nolint:wrapcheck // already is
}

func serve(ctx context.Context, group *errgroup.Group, l net.Listener, h http.Handler) {
	const header = 10 * time.Second
	srv := &http.Server{Handler: h, ReadHeaderTimeout: header}
	group.Go(func() error {
		if err := srv.Serve(l); ctx.Err() == nil {
			return fmt.Errorf("serve %s: %w", l.Addr(), err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		return srv.Close()
	})
}

// gateway sends what is asked of the API to the app, as an APISIX or an Envoy would; the app's document is at the app's root.
func gateway(address string) http.Handler {
	const prefix = "/apis/" + api
	target := &url.URL{Scheme: "http", Host: address}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		if rest, ok := strings.CutPrefix(r.In.URL.Path, prefix+"/-/"); ok {
			r.Out.URL.Path = "/-/" + rest
		}
	}}
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", proxy)
	return mux
}

func (a *app) handler() http.Handler {
	const namespace = "/apis/" + api + "/v1/namespaces/{namespace}"
	mux := http.NewServeMux()
	mux.HandleFunc("GET /-/openapi.json", a.document)
	mux.HandleFunc("POST "+namespace+"/sync", a.startSync)
	mux.HandleFunc("GET "+namespace+"/sync/{id}", a.getSync)
	a.machines.serve(mux, namespace)
	return mux
}

func (a *app) document(w http.ResponseWriter, _ *http.Request) {
	const machines = "/apis/" + api + "/v1/namespaces/{namespace}/machines"
	operation := func(status, description string) map[string]any {
		return map[string]any{"responses": map[string]any{status: map[string]any{"description": description}}}
	}
	answer(w, http.StatusOK, map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "compute", "version": "1"},
		"paths": map[string]any{
			machines: map[string]any{
				"get":  operation("200", "the machines of the namespace"),
				"post": operation("201", "the machine that was made"),
			},
			machines + "/{name}": map[string]any{
				"get":    operation("200", "a machine"),
				"put":    operation("200", "the machine that was changed"),
				"delete": operation("204", "the machine is gone"),
			},
		},
	})
}

// startSync begins a sync, or leaves one of the same id as it is, so that it may be asked for again.
func (a *app) startSync(w http.ResponseWriter, r *http.Request) {
	var body struct {
		SyncID string `json:"sync_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.SyncID == "" {
		answer(w, http.StatusBadRequest, map[string]any{"error": "a sync_id is needed"})
		return
	}
	key := r.PathValue("namespace") + "/" + body.SyncID
	a.mu.Lock()
	if _, ok := a.began[key]; !ok {
		a.began[key] = time.Now()
	}
	a.mu.Unlock()
	answer(w, http.StatusAccepted, map[string]any{"id": body.SyncID})
}

func (a *app) getSync(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	began, ok := a.began[r.PathValue("namespace")+"/"+r.PathValue("id")]
	a.mu.Unlock()
	switch {
	case !ok:
		answer(w, http.StatusNotFound, map[string]any{"error": "no such sync was asked for"})
	case time.Since(began) < a.work:
		answer(w, http.StatusOK, map[string]any{"status": "running"})
	default:
		answer(w, http.StatusOK, map[string]any{"status": "done"})
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone
}
