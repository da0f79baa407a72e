package pipeline_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"kayra/reconciler/pipeline"
	"kayra/tlsfiles/tlstest"
)

func newTLSApp(t *testing.T, config *tls.Config) *app {
	t.Helper()
	a := &app{}
	a.Server = httptest.NewUnstartedServer(a.record(func(http.ResponseWriter, *http.Request) {}))
	a.TLS = config
	a.Config.ErrorLog = log.New(io.Discard, "", 0)
	a.EnableHTTP2 = true
	a.StartTLS()
	t.Cleanup(a.Close)
	return a
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ca, stranger := tlstest.New(t, "ca"), tlstest.New(t, "stranger")
	dir := t.TempDir()
	caFile := tlstest.Write(t, dir, "ca.pem", ca.PEM())
	strangerFile := tlstest.Write(t, dir, "stranger.pem", stranger.PEM())
	certFile, keyFile := ca.Issue(tlstest.Leaf{Name: "client"}).Write(t, dir, "client")
	certificate := ca.Certificate(tlstest.Leaf{})
	good := newTLSApp(t, &tls.Config{Certificates: []tls.Certificate{certificate}})
	elsewhere := newTLSApp(t, &tls.Config{Certificates: []tls.Certificate{ca.Certificate(tlstest.Leaf{Host: "127.0.0.2"})}})
	expired := newTLSApp(t, &tls.Config{Certificates: []tls.Certificate{ca.Certificate(tlstest.Leaf{Until: time.Now().Add(-time.Hour)})}})
	mutual := newTLSApp(t, &tls.Config{
		Certificates: []tls.Certificate{certificate}, ClientCAs: ca.Pool(), ClientAuth: tls.RequireAndVerifyClientCert,
	})
	old := newTLSApp(t, &tls.Config{
		Certificates: []tls.Certificate{certificate}, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10,
	})
	plain := newApp(t, says(200, ""))
	for name, c := range map[string]struct {
		endpoint string
		tls      pipeline.TLS
		says     string
	}{
		"trusted":            {good.URL, pipeline.TLS{CAFile: caFile}, ""},
		"insecure":           {good.URL, pipeline.TLS{InsecureSkipVerify: true}, ""},
		"system roots":       {good.URL, pipeline.TLS{}, "signed by an authority that is not trusted"},
		"other root":         {good.URL, pipeline.TLS{CAFile: strangerFile}, "signed by an authority that is not trusted"},
		"other host":         {elsewhere.URL, pipeline.TLS{CAFile: caFile}, "its certificate is for another host"},
		"expired":            {expired.URL, pipeline.TLS{CAFile: caFile}, "its certificate is not valid"},
		"client certificate": {mutual.URL, pipeline.TLS{CAFile: caFile, CertFile: certFile, KeyFile: keyFile}, ""},
		"none presented":     {mutual.URL, pipeline.TLS{CAFile: caFile}, "refused the TLS handshake"},
		"TLS 1.1":            {old.URL, pipeline.TLS{CAFile: caFile}, "refused the TLS handshake"},
		"TLS to plain":       {strings.Replace(plain.URL, "http:", "https:", 1), pipeline.TLS{CAFile: caFile}, "it does not speak TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := get(c.endpoint)
			step.TLS = c.tls
			_, err := run(t, quick(), step)
			if c.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantRefusal(t, err, c.says)
		})
	}
}

// wantRefusal allows for a connection that the server resets before its reason is read.
func wantRefusal(t *testing.T, err error, says string) {
	t.Helper()
	wantFailure(t, err, 0, pipeline.StepFailed, "failed: ")
	if failure := failureOf(t, err); !strings.Contains(failure.Message, says) &&
		(says != "refused the TLS handshake" || !strings.Contains(failure.Message, "connection reset")) {
		t.Errorf("%q does not say %q", failure.Message, says)
	}
}

// A CA file and a client certificate that are replaced are picked up without a restart.
func TestRotatedTLSFiles(t *testing.T) {
	t.Parallel()
	ca, stranger := tlstest.New(t, "ca"), tlstest.New(t, "stranger")
	a := newTLSApp(t, &tls.Config{
		Certificates: []tls.Certificate{ca.Certificate(tlstest.Leaf{})}, ClientCAs: ca.Pool(), ClientAuth: tls.RequireAndVerifyClientCert,
	})
	dir := t.TempDir()
	step := get(a.URL)
	step.TLS.CAFile = tlstest.Write(t, dir, "ca.pem", stranger.PEM())
	step.TLS.CertFile, step.TLS.KeyFile = stranger.Issue(tlstest.Leaf{}).Write(t, dir, "client")
	p := parse(t, quick(), step)
	wantFailure(t, p.Run(t.Context(), "m", input(nil)), 0, pipeline.StepFailed, "not trusted")
	tlstest.Write(t, dir, "ca.pem", append(ca.PEM(), '\n'))
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(step.TLS.CAFile, later, later); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, p.Run(t.Context(), "m", input(nil)), "refused the TLS handshake")
	ca.Issue(tlstest.Leaf{}).Write(t, dir, "client")
	if err := p.Run(t.Context(), "m", input(nil)); err != nil {
		t.Error(err)
	}
	if err := os.Remove(step.TLS.CAFile); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, p.Run(t.Context(), "m", input(nil)), 0, pipeline.StepFailed, "ca_file: read", "no such file")
}
