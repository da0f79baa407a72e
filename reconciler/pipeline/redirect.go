package pipeline

import (
	"context"
	"fmt"
	"net/http"
)

const maxRedirects = 10

// redirectError is a redirect that is not followed. It does not name the address.
type redirectError string

func (e redirectError) Error() string { return string(e) }

// travelKey is the context's key of the headers that may follow a redirect to another site.
type travelKey struct{}

func withTravelling(ctx context.Context, header http.Header) context.Context {
	return context.WithValue(ctx, travelKey{}, header)
}

// followRedirect decides about each redirect. net/http on its own would keep Authorization for a subdomain and for another
// port, every other header for any host, and would send the body on to any host.
func followRedirect(next *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return redirectError(fmt.Sprintf("redirected more than %d times", maxRedirects))
	}
	next.Header.Del("Referer") // it would carry the query of the endpoint
	if !leftSite(next, via) {
		return nil
	}
	if next.Body != nil && next.Body != http.NoBody {
		return redirectError("redirected to another host, to which the body of the request is not sent")
	}
	travelling, _ := next.Context().Value(travelKey{}).(http.Header)
	next.Header = travelling.Clone()
	if next.Header == nil {
		next.Header = http.Header{}
	}
	return nil
}

// leftSite reports whether a redirect went to another site than the first. What comes back from there is not trusted
// again: that site chose where to go.
func leftSite(next *http.Request, via []*http.Request) bool {
	first := siteOf(via[0].URL)
	for _, r := range via[1:] {
		if siteOf(r.URL) != first {
			return true
		}
	}
	return siteOf(next.URL) != first
}
