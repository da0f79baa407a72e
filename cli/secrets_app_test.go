package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
)

// hostileApp is an app, and the gateway before it, that throws back at its callers whatever they sent, and adds secrets of its own.
type hostileApp struct {
	*httptest.Server

	plants *plants
	mu     sync.Mutex
	asked  map[string]int // path -> requests
}

func newHostileApp(t *testing.T, p *plants) *hostileApp {
	t.Helper()
	a := &hostileApp{plants: p, asked: map[string]int{}}
	answer, location, header := p.plant("answer body"), p.plant("redirect location"), p.plant("answer header")
	output, status := p.plant("output"), p.plant("awaited value")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis/{api}/-/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		switch r.PathValue("api") {
		case "broken.example.com":
			a.echo(w, r, answer, header)
		case "moved.example.com":
			http.Redirect(w, r, "http://u:"+location+"@127.0.0.1:1/"+location+"?t="+location, http.StatusFound)
		case "garbled.example.com":
			_, _ = fmt.Fprintf(w, `{"openapi": "3.0.3", "paths": {%q: `, answer)
		default:
			_, _ = io.WriteString(w, `{"openapi": "3.0.3", "paths": {}}`)
		}
	})
	mux.HandleFunc("/login", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"token": %q, "url": %q, "elsewhere": "http://127.0.0.2:1/%s"}`, output, a.URL+"/echo/"+output+"?k="+output, output)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://u:"+location+"@127.0.0.1:1/"+location+"?t="+location, http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("POST /notify", func(w http.ResponseWriter, r *http.Request) {
		switch a.requests("/notify") % 4 {
		case 0:
			a.echo(w, r, answer, header)
		case 1:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"detail": "not %s"}`, r.Header.Get("Authorization"))
		case 2:
			malformed(w, answer)
		default:
			http.Redirect(w, r, "http://u:"+location+"@127.0.0.1:1/"+location+"?t="+location, http.StatusTemporaryRedirect)
		}
	})
	mux.HandleFunc("/status", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, `{"status": %q}`, status) })
	mux.HandleFunc("/malformed", func(w http.ResponseWriter, _ *http.Request) { malformed(w, answer) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.echo(w, r, answer, header) })
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.asked[r.URL.Path]++
		a.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

// echo fails with all that it was sent.
func (a *hostileApp) echo(w http.ResponseWriter, r *http.Request, answer, header string) {
	dump, _ := httputil.DumpRequest(r, true)
	w.Header().Set("X-Secret", header)
	w.Header().Set("Set-Cookie", "session="+header)
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = fmt.Fprintf(w, `{"error": %q, "request": %q}`, answer, dump)
}

// malformed answers with what is no HTTP, which errors of net/http quote.
func malformed(w http.ResponseWriter, text string) {
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = rw.WriteString("HTTP/1.1 " + text + "\r\n" + text + "\r\n\r\n")
	_ = rw.Flush()
	_ = c.Close()
}

// requests counts those whose path begins so.
func (a *hostileApp) requests(prefix string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for path, count := range a.asked {
		if strings.HasPrefix(path, prefix) {
			n += count
		}
	}
	return n
}
