package reconciler

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"kayra/reconciler/katalog"
)

// Handler serves what a reconciler tells of itself: /-/healthz, which answers 200 while the process runs; /-/readyz,
// which answers 200 while it works (the first list is in, the watch runs, its lease is held) and otherwise 503;
// /-/metrics; and to those whom Options.Authenticate lets pass all under /katalog, which package katalog describes.
func (c *Controller) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /-/healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /-/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !c.ready() {
			answer(w, http.StatusServiceUnavailable, "not ready: the store is not being followed, or its lease is not held")
			return
		}
		answer(w, http.StatusOK, "ready")
	})
	mux.Handle("GET /-/metrics", promhttp.HandlerFor(c.opts.Registry, promhttp.HandlerOpts{}))
	guarded := http.Handler(http.HandlerFunc(refuseAll))
	if c.opts.Authenticate != nil {
		guarded = c.opts.Authenticate(katalog.Handler(insight{c}))
	}
	mux.Handle("/katalog", guarded)
	mux.Handle("/katalog/", guarded)
	return mux
}

func refuseAll(w http.ResponseWriter, r *http.Request) {
	katalog.Refuse(w, r, http.StatusForbidden, "nobody may ask: this reconciler was started without a way to tell who does")
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}
