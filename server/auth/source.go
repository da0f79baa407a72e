package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

const (
	maxDocument  = 1 << 20  // bytes
	maxHeader    = 64 << 10 // bytes
	maxRedirects = 3
	dialTimeout  = 5 * time.Second
)

// source is where an issuer publishes its keys.
type source struct {
	issuer string
	roots  func() (*x509.CertPool, error) // nil: the system's
}

func newClient(roots *x509.CertPool) *http.Client {
	return &http.Client{
		Transport: &answers{&http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
			TLSHandshakeTimeout: dialTimeout,
			TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
			DisableKeepAlives:   true, // the next request is minutes away

			MaxResponseHeaderBytes: maxHeader,
		}},
		CheckRedirect: checkRedirect,
	}
}

// fetch reads the discovery document, each time since an issuer may move its keys or change its algorithms, and the keys.
func (s *source) fetch(ctx context.Context) (*keySet, error) {
	var roots *x509.CertPool
	if s.roots != nil {
		var err error
		if roots, err = s.roots(); err != nil {
			return nil, fmt.Errorf("read the issuer's authorities: %w", err)
		}
	}
	client := newClient(roots)
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, client), s.issuer)
	if err != nil {
		return nil, fmt.Errorf("read discovery document: %w", err)
	}
	var doc struct {
		Keys       string                    `json:"jwks_uri"`
		Algorithms []jose.SignatureAlgorithm `json:"id_token_signing_alg_values_supported"`
	}
	if err := provider.Claims(&doc); err != nil {
		return nil, fmt.Errorf("read discovery document: %w", err)
	}
	data, err := s.get(ctx, client, doc.Keys)
	if err != nil {
		return nil, fmt.Errorf("read key set: %w", err)
	}
	set := &keySet{algorithms: accepted(doc.Algorithms)}
	if set.keys, err = parseKeySet(data); err != nil {
		return nil, fmt.Errorf("read key set %q: %w", doc.Keys, err)
	}
	return set, nil
}

// accepted are the algorithms that are asymmetric. RS256 is the one that every issuer has (OpenID Connect Discovery,
// section 3).
func accepted(listed []jose.SignatureAlgorithm) []jose.SignatureAlgorithm {
	never := func(a jose.SignatureAlgorithm) bool { return !slices.Contains(algorithms(), a) }
	if listed = slices.DeleteFunc(listed, never); len(listed) == 0 {
		return []jose.SignatureAlgorithm{jose.RS256}
	}
	return listed
}

func (s *source) get(ctx context.Context, client *http.Client, from string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, fmt.Errorf("the discovery document's jwks_uri: %w", err)
	}
	issuer, err := url.Parse(s.issuer)
	if err != nil || issuer.Scheme == "https" && r.URL.Scheme != "https" {
		return nil, errors.New("the issuer is https, and its jwks_uri is not")
	}
	res, err := client.Do(r)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the URL
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("get %q: %w", from, err)
	}
	return data, nil
}

// checkRedirect follows an issuer some way, and never from https to http.
func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if via[0].URL.Scheme == "https" && r.URL.Scheme != "https" {
		return errors.New("a redirect from https to http")
	}
	return nil
}

// answers bounds what an issuer may answer, and makes an error of a refusal: its text could be anything.
type answers struct{ next http.RoundTripper }

// RoundTrip is for [http.Client].
func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := a.next.RoundTrip(r)
	if err != nil {
		return nil, err //nolint:wrapcheck // the client says what was asked
	}
	if res.StatusCode >= http.StatusBadRequest {
		_ = res.Body.Close()
		return nil, fmt.Errorf("the issuer answers with status %d", res.StatusCode)
	}
	res.Body = http.MaxBytesReader(nil, res.Body, maxDocument)
	return res, nil
}
