package server_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kayra/server"
	"kayra/server/auth"
	"kayra/server/auth/oidctest"
	"kayra/store"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
	"kayra/tlsfiles/tlstest"
)

// listen has the lab's server serve on a listener of its own, over TLS and with that HTTP/2 if there is an authority. It
// returns its URL, a client, and what ends it and waits for the end.
func (l *lab) listen(t *testing.T, ca *tlstest.Authority) (string, *http.Client, func()) {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	l.must(err)
	url, transport := "http://"+listener.Addr().String(), &http.Transport{}
	if ca != nil {
		url = "https://" + listener.Addr().String()
		transport.TLSClientConfig = &tls.Config{RootCAs: ca.Pool(), MinVersion: tls.VersionTLS12}
		transport.ForceAttemptHTTP2 = true
		listener = tls.NewListener(narrow{listener}, listenTLS(t, ca))
	} else {
		listener = narrow{listener}
	}
	t.Cleanup(transport.CloseIdleConnections)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- l.server.Serve(ctx, listener) }()
	end := sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	return url, &http.Client{Transport: transport}, end
}

// narrow has connections with little room for what is on its way.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(4 << 10)
	}
	return c, err
}

// protocol is a test over HTTP/2 if there is an authority, and otherwise over HTTP/1.1.
type protocol struct {
	*testing.T

	ca *tlstest.Authority
}

// over runs a test over HTTP/1.1 and HTTP/2.
func over(t *testing.T, test func(protocol)) {
	t.Helper()
	for name, ca := range map[string]*tlstest.Authority{"HTTP/1.1": nil, "HTTP/2": tlstest.New(t, "ca")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(protocol{t, ca})
		})
	}
}

// A stream outlasts all that bounds requests, and gives signs of life.
func TestAStreamOutlastsRequests(t *testing.T) {
	t.Parallel()
	over(t, func(p protocol) {
		t, ca := p.T, p.ca
		l := newLab(t, openLocal(t), func(o *server.Options) { o.KeepAlive = 20 * time.Millisecond })
		const brief = time.Second // enough for a handshake on a busy machine
		l.server.Hurry(time.Minute, brief)
		l.server.HurryAnswers(brief, time.Minute)
		l.server.LookOften(10 * time.Millisecond)
		url, client, _ := l.listen(t, ca)
		w := watchWith(t, client, url+spaces+watchTrue)
		if h2 := w.res.ProtoMajor == 2; h2 != (ca != nil) {
			t.Errorf("%s is spoken", w.res.Proto)
		}
		w.want("synced")
		for began := time.Now(); time.Since(began) < brief*3/2; {
			if e := w.next(); e.comment != "keep-alive" || e.kind != "" || e.data != "" {
				t.Fatalf("%+v", e)
			}
		}
		l.want(http.StatusCreated, "POST", spaces, `{"name":"sre"}`)
		w.until("added")
	})
}

// What ends the server ends its streams, at once, and as streams end.
func TestStopEndsStreams(t *testing.T) {
	t.Parallel()
	over(t, func(p protocol) {
		t, ca := p.T, p.ca
		l := newLab(t, openLocal(t), func(o *server.Options) { o.DrainTimeout = time.Hour })
		url, client, end := l.listen(t, ca)
		w := watchWith(t, client, url+spaces+watchTrue)
		w.want("synced")
		end()
		w.ends()
		if w.err != nil {
			t.Errorf("the stream broke: %v", w.err)
		}
	})
}

// A client that does not read is cut off.
func TestASlowReaderIsCut(t *testing.T) {
	t.Parallel()
	over(t, func(p protocol) {
		t, ca := p.T, p.ca
		l := newLab(t, openLocal(t))
		l.server.HurryAnswers(time.Minute, 300*time.Millisecond)
		text := strings.Repeat("x", 1<<10)
		for name := range strings.SplitSeq("abcdefghij", "") {
			l.want(http.StatusCreated, "POST", regs, map[string]any{"name": name + ".example.com", "description": text})
		}
		url, client, _ := l.listen(t, ca)
		if tr, ok := client.Transport.(*http.Transport); ok {
			tr.ReadBufferSize = 1 << 10
			tr.DialContext = func(ctx context.Context, network, at string) (net.Conn, error) {
				c, err := (&net.Dialer{}).DialContext(ctx, network, at)
				if tcp, is := c.(*net.TCPConn); is {
					_ = tcp.SetReadBuffer(4 << 10)
				}
				return c, err
			}
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+regs+watchTrue, nil)
		l.must(err)
		r.Header.Set("Authorization", "Bearer "+rootToken)
		res, err := client.Do(r)
		l.must(err)
		defer func() { _ = res.Body.Close() }()
		l.metrics(`kayra_watch_streams{resource="apiregistrations"} 1`)
		for i, began := 0, time.Now(); !strings.Contains(l.metrics(), `kayra_watch_streams_cut_total{cause="slow"} 1`); i++ {
			description := strings.Repeat(string(rune('a'+i%26)), 4<<10)
			for name := range strings.SplitSeq("abcdefghij", "") {
				l.want(http.StatusOK, "PUT", regs+"/"+name+".example.com", map[string]any{"description": description})
			}
			if time.Since(began) > patience {
				t.Fatalf("%d times 40 KiB wait for somebody who does not read", i)
			}
		}
		l.metrics(`kayra_watch_streams{resource="apiregistrations"} 0`)
		if _, err := io.Copy(io.Discard, res.Body); err == nil {
			t.Error("the stream ended as if it were whole")
		}
	})
}

// Access that is taken away ends a stream.
func TestRevokedAccessEndsStreams(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		l.server.LookOften(10 * time.Millisecond)
		l.world("sre")
		l.want(http.StatusCreated, "POST", roles, `{"name":"r","rules":[{"apis":["*"],"resources":["subscriptions"],"verbs":["list"]}]}`)
		l.want(http.StatusCreated, "POST", bindings, `{"name":"b","role":"r","namespace":"sre","subjects":[{"kind":"group","name":"tenants"}]}`)
		path := spaces + "/sre/subscriptions"
		l.eventually(func() bool { return l.call("GET", path, nil, "Authorization", asAnn).status == http.StatusOK })
		w, root := l.watch(path+watchTrue, "Authorization", asAnn), l.watch(path+watchTrue)
		w.want("added namespace=sre", "synced")
		l.want(http.StatusForbidden, "GET", base+"/subscriptions"+watchTrue, nil, "Authorization", asAnn)
		l.want(http.StatusNoContent, "DELETE", bindings+"/b", nil)
		w.ends()
		l.want(http.StatusForbidden, "GET", path+watchTrue, nil, "Authorization", asAnn)
		root.want("added namespace=sre", "synced")
		l.metrics(`kayra_watch_streams_cut_total{cause="access"} 1`, `kayra_watch_streams{resource="namespaces/subscriptions"} 1`)
	})
}

// A token that has expired ends a stream.
func TestAnExpiredTokenEndsStreams(t *testing.T) {
	t.Parallel()
	key := oidctest.NewKey(t, "one", jose.ES256)
	issuer := oidctest.Start(t, key)
	var ahead atomic.Int64
	oidc, err := auth.NewOIDC(auth.OIDCOptions{
		Issuer: issuer.URL, Audience: oidctest.Audience, Timeout: time.Minute,
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(oidc.Close)
	l := newLab(t, openLocal(t), func(o *server.Options) { o.Authenticator = auth.NewChain(tokens(t), oidc) })
	l.server.LookOften(10 * time.Millisecond)
	admin := map[string]any{"groups": "sysadmin", "exp": time.Now().Add(time.Hour).Unix()}
	w := l.watch(spaces+watchTrue, "Authorization", "Bearer "+issuer.Token(key, admin))
	w.want("synced")
	l.want(http.StatusCreated, "POST", spaces, `{"name":"a"}`)
	w.want("added name=a")
	ahead.Store(int64(2 * time.Hour))
	w.ends()
}

// While it is not known what is in the store, no stream begins, those of roles end, and others go on when it is.
func TestStreamsOverASilentNetwork(t *testing.T) {
	t.Parallel()
	const most = 2 * time.Second
	srv := cluster.Server(t)
	proxy := etcdtest.NewProxy(t, srv)
	options := etcd.Options{Endpoints: srv.Endpoints(), Prefix: srv.Prefix(t), RequestTimeout: time.Minute}
	here := newLab(t, dial(t, options))
	options.Endpoints = proxy.Endpoints()
	options.WatchProgress, options.WatchSilence, options.RequestTimeout = 100*time.Millisecond, 3*time.Second, time.Second
	cut := dial(t, options)
	hub := startHub(t, here.repository)
	policy := startPolicy(t, cut, most, hub)
	here.must(policy.Wait(t.Context()))
	there := newLab(t, cut, func(o *server.Options) { o.Policy, o.Watch = policy, hub })
	there.server.LookOften(50 * time.Millisecond)
	here.want(http.StatusCreated, "POST", roles, `{"name":"r","rules":[{"apis":["*"],"resources":["namespaces"],"verbs":["list"]}]}`)
	here.want(http.StatusCreated, "POST", bindings, `{"name":"b","role":"r","subjects":[{"kind":"user","name":"ann"}]}`)
	there.eventually(func() bool { return there.call("GET", spaces, nil, "Authorization", asAnn).status == http.StatusOK })
	ann, root := there.watch(spaces+watchTrue, "Authorization", asAnn), there.watch(spaces+watchTrue)
	ann.want("synced")
	root.want("synced")

	proxy.Pause()
	here.want(http.StatusCreated, "POST", spaces, `{"name":"sre"}`)
	ann.ends()
	a := there.want(http.StatusServiceUnavailable, "GET", spaces+watchTrue, nil)
	if detail, _ := a.body["detail"].(string); !strings.HasPrefix(detail, "no stream can begin now: ") || a.header.Get("Retry-After") == "" {
		t.Errorf("%v: %s", a.header, a.raw)
	}
	proxy.Resume()
	root.want("added name=sre")
}

// A stream is opened for those who ask for one as they should.
func TestHowToWatch(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world("sre")
	for _, bad := range []string{"x", "-1", "1.5", "0x1", "9223372036854775808", "1, 2", " 1 2"} {
		a := l.want(http.StatusBadRequest, "GET", spaces+watchTrue, nil, "Last-Event-ID", bad)
		if detail, _ := a.body["detail"].(string); !strings.Contains(detail, "Last-Event-ID") || strings.Contains(detail, "watch") {
			t.Errorf("%q: %s", bad, a.raw)
		}
	}
	l.want(http.StatusBadRequest, "GET", spaces+watchTrue, `{}`)
	l.want(http.StatusOK, "GET", spaces+"?watch=false&limit=1", nil, "Last-Event-ID", "x")
	if a := l.want(http.StatusOK, "HEAD", spaces+watchTrue, nil); a.header.Get("Content-Type") != "text/event-stream" || len(a.raw) > 0 {
		t.Errorf("HEAD: %v %q", a.header, a.raw)
	}
	l.want(http.StatusNotFound, "GET", spaces+"/nobody/subscriptions"+watchTrue, nil)
	l.want(http.StatusNotFound, "GET", regs+"/no.example.com/status"+watchTrue, nil)
	l.want(http.StatusUnauthorized, "GET", spaces+watchTrue, nil, "Authorization", "")
	l.want(http.StatusForbidden, "GET", regs+watchTrue, nil, "Authorization", asAnn)
	l.watch(base+"/subscriptions"+watchTrue+"&api="+compute+"&state=init&synced=false").want("added namespace=sre", "synced")
	l.watch(base + "/subscriptions" + watchTrue + "&state=error").want("synced")

	unfed, err := server.New(server.Options{Repository: l.repository, Authenticator: tokens(t), Sysadmins: sysadmins(), Policy: l.policy})
	l.must(err)
	l.handler = unfed.Handler()
	if a := l.handle(t, "GET", spaces+watchTrue, ""); a.Code != http.StatusServiceUnavailable {
		t.Errorf("a server that is fed by nobody: %d", a.Code)
	}
}

// A stream goes on at another server, and at one that was started since.
func TestWatchOnEveryServer(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) func() store.Store{"local": openFile, "etcd": openPrefix} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handle := open(t)
			here, there := newLab(t, handle()), newLab(t, handle())
			here.world("a", "b")
			here.succeed("a", "b")
			w := there.watch(regs + "/" + compute + "/status" + watchTrue)
			w.want("added namespace=a", "added namespace=b", "synced")
			here.want(http.StatusOK, "PUT", regs+"/"+compute+"/sync", `{}`)
			w.want("modified namespace=a synced=false", "modified namespace=b synced=false", "synced sync_id="+here.syncID())
			here.succeed("a")
			for _, at := range []*lab{here, newLab(t, handle())} {
				rest := at.resume(w, regs+"/"+compute+"/status"+watchTrue)
				rest.want("modified namespace=a synced=true", "synced sync_id="+here.syncID())
			}
		})
	}
}

// A thousand streams cost little, and each is told of a change.
func TestAThousandStreams(t *testing.T) { //nolint:paralleltest // it counts goroutines
	const many, most = 1000, 40 << 10
	l := newLab(t, openLocal(t))
	l.world("a", "b")
	l.succeed("a", "b")
	before, heap := runtime.NumGoroutine(), memory()
	streams := l.crowd(many)
	goroutines, grown := runtime.NumGoroutine()-before, memory()-heap
	if goroutines > 3*many {
		t.Errorf("%d goroutines for %d streams", goroutines, many)
	}
	if each := grown / many; each > most && !etcdtest.Racing {
		t.Errorf("%d bytes for each stream", each)
	} else {
		t.Logf("%d bytes and %.1f goroutines for each stream", each, float64(goroutines)/many)
	}
	l.want(http.StatusOK, "PUT", regs+"/"+compute+"/sync", `{}`)
	want := l.syncID()
	for _, s := range streams {
		_, err := s.readTo(want)
		l.must(err)
	}
	for _, s := range streams {
		_ = s.Close()
	}
	l.metrics(`kayra_watch_streams{resource="apiregistrations/status"} 0`)
}

// bare is a stream on a connection that costs nothing.
type bare struct{ net.Conn }

// crowd opens so many streams of a status, and reads each up to where it is synced.
func (l *lab) crowd(many int) []bare {
	l.t.Helper()
	return crowdAt(l.t, l.url, regs+"/"+compute+"/status"+watchTrue, many)
}

func crowdAt(tb testing.TB, url, path string, many int) []bare {
	tb.Helper()
	streams := make([]bare, many)
	for i := range streams {
		c, err := (&net.Dialer{}).DialContext(tb.Context(), "tcp", strings.TrimPrefix(url, "http://"))
		if err == nil {
			tb.Cleanup(func() { _ = c.Close() })
			_, err = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+rootToken+"\r\n\r\n")
		}
		if err != nil {
			tb.Fatal(err)
		}
		streams[i] = bare{c}
	}
	for _, s := range streams {
		if _, err := s.readTo("event: synced"); err != nil {
			tb.Fatal(err)
		}
	}
	return streams
}

// readTo reads until the text has come.
func (b bare) readTo(text string) (string, error) {
	if err := b.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	var read strings.Builder
	part := make([]byte, 4<<10)
	for !strings.Contains(read.String(), text) {
		n, err := b.Read(part)
		if read.Write(part[:n]); err != nil {
			return "", err
		}
	}
	return read.String(), nil
}

func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
