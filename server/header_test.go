package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"kayra/server"
)

func TestHeadersOutOfProportion(t *testing.T) {
	t.Parallel()
	at := listening(t, 0, 0)
	lines := func(n, size int) string {
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, "X-%d: %s\r\n", i, strings.Repeat("x", size))
		}
		return all.String()
	}
	for header, status := range map[string]int{
		lines(150, 10):                    http.StatusOK,
		lines(3, 10<<10):                  http.StatusOK,
		lines(201, 1):                     http.StatusBadRequest,
		lines(1, 33<<10):                  http.StatusBadRequest,
		lines(4, 15<<10):                  http.StatusBadRequest,
		lines(4, 100<<10):                 http.StatusBadRequest,
		strings.Repeat("X-A: b\r\n", 201): http.StatusBadRequest,
	} {
		c := connect(t, at)
		send(t, c, "GET /-/healthz HTTP/1.1\r\nHost: x\r\n"+header+"\r\n")
		res := receive(t, c)
		if res.status != status {
			t.Errorf("%d bytes: status %d, want %d", len(header), res.status, status)
		}
		if status == http.StatusBadRequest {
			problem(t, res)
		}
	}
	c := connect(t, at)
	send(t, c, "GET /apis?"+strings.Repeat("x", 40<<10)+" HTTP/1.1\r\nHost: x\r\n\r\n")
	if res := receive(t, c); res.status != http.StatusBadRequest {
		t.Errorf("a long query: status %d", res.status)
	}
}

func problem(t *testing.T, a answer) {
	t.Helper()
	var p struct{ Detail string }
	if err := json.Unmarshal(a.raw, &p); err != nil || !strings.Contains(p.Detail, "header") {
		t.Errorf("problem %+v, %v", p, err)
	}
	if a.header.Get("Content-Type") != "application/problem+json" || a.header.Get("X-Request-Id") == "" {
		t.Errorf("%v", a.header)
	}
}

// A client that does not get its header across holds its connection for no longer than the server has patience.
func TestSlowHeader(t *testing.T) {
	t.Parallel()
	c := connect(t, listening(t, 50*time.Millisecond, time.Hour))
	send(t, c, "GET /-/healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	closed(t, c)
}

// The same holds for a body.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	c := connect(t, listening(t, time.Hour, 50*time.Millisecond))
	send(t, c, "POST "+spaces+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+rootToken+"\r\nContent-Length: 100\r\n\r\n{\"name\":")
	closed(t, c)
}

// A client that takes its time within the bounds is served.
func TestPatience(t *testing.T) {
	t.Parallel()
	c := connect(t, listening(t, 0, 0))
	for _, part := range []string{
		"POST " + spaces + " HTTP/1.1\r\nHo", "st: x\r\nAuthorization: Bearer " + rootToken + "\r\nContent-Length: 14\r\n", "\r\n{\"name\"", ":\"sre\"}",
	} {
		send(t, c, part)
	}
	if res := receive(t, c); res.status != http.StatusCreated {
		t.Errorf("status %d", res.status)
	}
}

// listening is the address of a server on a listener of its own; 0: its own patience.
func listening(t *testing.T, header, request time.Duration) string {
	t.Helper()
	l := newLab(t, openLocal(t))
	srv, err := server.New(server.Options{Repository: l.repository, Authenticator: tokens(t), Sysadmins: sysadmins(), Policy: l.policy})
	l.must(err)
	if header > 0 {
		srv.Hurry(header, request)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	l.must(err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

func connect(t *testing.T, at string) net.Conn {
	t.Helper()
	var dialer net.Dialer
	c, err := dialer.DialContext(t.Context(), "tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, c net.Conn) answer {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{status: res.StatusCode, header: res.Header, raw: raw}
}

// closed waits until the server closes the connection, whatever it says before that.
func closed(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(c); err != nil || strings.Contains(string(said), " 201 ") {
		t.Errorf("the server said %q, %v", said, err)
	}
}
