package pipeline

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
)

// once sends a request at most once. net/http repeats one by itself if a kept connection breaks before the answer, for
// every method as soon as there is an Idempotency-Key; a step would then be carried out more often than its run says.
type once struct{ *http.Transport }

const errUnanswered = plainError("the connection was closed without an answer")

// sentKey is the context's key of the mark that a request has been sent.
type sentKey struct{}

// RoundTrip marks the request as sent when its headers are written.
func (o once) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := &atomic.Bool{}
	ctx := context.WithValue(req.Context(), sentKey{}, sent)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	return o.Transport.RoundTrip(req.WithContext(ctx)) //nolint:wrapcheck // net/http wants its own errors
}

// proxyOnce refuses a request that has been sent: the transport asks for the proxy before every try.
func proxyOnce(req *http.Request) (*url.URL, error) {
	if sent, ok := req.Context().Value(sentKey{}).(*atomic.Bool); ok && sent.Load() {
		return nil, errUnanswered
	}
	return http.ProxyFromEnvironment(req) //nolint:wrapcheck // net/http wants its own errors
}
