package reconciler_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
	"kayra/store/etcd/etcdtest"
)

// gateway is a client of the one that serves so, and counts what it is asked.
func gateway(t *testing.T, timeout time.Duration, serve http.HandlerFunc) (*reconciler.HTTPGateway, *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	ended := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		serve(w, r.WithContext(until(r.Context(), ended)))
	}))
	t.Cleanup(func() { close(ended); srv.CloseClientConnections(); srv.Close() })
	p, err := pipeline.Parse(nil, pipeline.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, p.Close(context.Background())) })
	g, err := reconciler.NewHTTPGateway(p, reconciler.GatewayOptions{URL: srv.URL, Timeout: timeout})
	must(t, err)
	return g, &asked
}

// until is ctx that also ends with the channel.
func until(ctx context.Context, ended <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}()
	return ctx
}

// zipped is a body that grows a thousandfold.
func zipped(t *testing.T, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.CopyN(z, spaces{}, int64(size))
	must(t, err)
	must(t, z.Close())
	return b.Bytes()
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// hostile are ways to serve a document that shall not have an end, each with what is said of it.
func hostile(t *testing.T) map[string]struct {
	serve http.HandlerFunc
	says  string
} {
	t.Helper()
	type way = struct {
		serve http.HandlerFunc
		says  string
	}
	bomb := zipped(t, 64<<20)
	return map[string]way{
		"endless": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.Copy(w, spaces{}) }, "answered with more than 1 MiB"},
		"a gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		}, "answered with more than 1 MiB"},
		"gzip that is none": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, document)
		}, "failed: "},
		"less than announced": {raw("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n{}"), "failed: "},
		"an absurd length":    {raw("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}"), "failed: "},
		"a negative length":   {raw("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}"), "failed: "},
		"two lengths":         {raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}}"), "failed: "},
		"a broken chunk":      {raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}"), "failed: "},
		"endless headers": {
			raw("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 1000) + "\r\n"),
			"failed: ",
		},
		"a redirect to itself": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, "redirected more than 10 times"},
		"a redirect to a file": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		}, "failed: "},
		"not HTTP": {raw("\x00\x01\x02\r\n\r\n"), "failed: "},
	}
}

// raw answers with bytes.
func raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		hijacker, _ := w.(http.Hijacker)
		conn, _, err := hijacker.Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, answer)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.CloseWrite()
		}
		_, _ = bufio.NewReader(conn).ReadByte() // until the other side is done with it
	}
}

func TestHostileGateways(t *testing.T) {
	t.Parallel()
	for name, way := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := gateway(t, patience, way.serve)
			got, err := g.Document(t.Context(), compute)
			if err == nil {
				t.Fatalf("taken, %d bytes", len(got))
			}
			if !strings.Contains(err.Error(), way.says) || len(err.Error()) > 400 || strings.Contains(err.Error(), "XXXX") {
				t.Errorf("%q does not say %q", err, way.says)
			}
		})
	}
}

// A body that comes byte by byte, or not at all, ends with the time for a fetch.
func TestSlowGateways(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"no answer": "", "half a body": document[:50]} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := gateway(t, 100*time.Millisecond, func(w http.ResponseWriter, r *http.Request) {
				if first != "" {
					_, _ = io.WriteString(w, first)
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})
			_, err := g.Document(t.Context(), compute)
			if err == nil || !strings.Contains(err.Error(), "timed out after 100ms") {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("a byte at a time", func(t *testing.T) {
		t.Parallel()
		g, _ := gateway(t, 100*time.Millisecond, func(w http.ResponseWriter, r *http.Request) {
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				<-tick.C
			}
		})
		_, err := g.Document(t.Context(), compute)
		if err == nil || !strings.Contains(err.Error(), "timed out after 100ms") {
			t.Errorf("got %v", err)
		}
	})
}

// What a document refers to is never asked for, wherever it says it is.
func TestReferencesAreNotFollowed(t *testing.T) {
	t.Parallel()
	g, asked := gateway(t, patience, func(w http.ResponseWriter, r *http.Request) {
		self := "http://" + r.Host + "/other.json"
		_, _ = fmt.Fprintf(w, `{"openapi": "3.1.0", "$schema": %[1]q, "$ref": %[1]q, "servers": [{"url": %[1]q}],
			"jsonSchemaDialect": %[1]q, "externalDocs": {"url": %[1]q}, "components": {"schemas": {"a": {"$ref": %[1]q}}},
			"paths": {"/apis/compute.example.com/v1/machines": {"$ref": %[1]q, "get": {"$ref": %[1]q}}}}`, self)
	})
	got, err := g.Document(t.Context(), compute)
	must(t, err)
	resources, err := reconciler.DeriveResources(compute, got)
	must(t, err)
	if len(resources) != 1 || asked.Load() != 1 {
		t.Errorf("%d requests, resources %v", asked.Load(), resources)
	}
}

// An answer without an end is read as far as a document may go, and no further.
func TestHostileGatewaysCostNoMemory(t *testing.T) { //nolint:paralleltest // it measures what is allocated
	if etcdtest.Racing {
		t.Skip("it is about memory, of which the race detector takes its own")
	}
	for name, way := range hostile(t) {
		g, asked := gateway(t, patience, way.serve)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = g.Document(t.Context(), compute)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 16*catalog.MaxDocument {
			t.Errorf("%s: %d bytes were allocated", name, got)
		}
		if asked.Load() > 12 {
			t.Errorf("%s: %d requests", name, asked.Load())
		}
	}
}
