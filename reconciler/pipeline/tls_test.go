package pipeline_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kayra/reconciler/pipeline"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	return issue(t, nil, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
}

func issue(t *testing.T, by *authority, template *x509.Certificate) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	template.NotBefore = time.Now().Add(-2 * time.Hour)
	a := &authority{template, key}
	if by == nil {
		by = a
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, &key.PublicKey, by.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *authority) certPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

func (a *authority) keyPEM(t *testing.T) []byte {
	t.Helper()
	der, err := x509.MarshalECPrivateKey(a.key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
}

func (a *authority) serverFor(t *testing.T, ip string, expires time.Time) tls.Certificate {
	t.Helper()
	leaf := issue(t, a, &x509.Certificate{SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.ParseIP(ip)}, NotAfter: expires})
	return tls.Certificate{Certificate: [][]byte{leaf.cert.Raw}, PrivateKey: leaf.key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

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

func write(t *testing.T, path string, content []byte) string {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ca, stranger := newAuthority(t), newAuthority(t)
	dir := t.TempDir()
	caFile := write(t, filepath.Join(dir, "ca.pem"), ca.certPEM())
	strangerFile := write(t, filepath.Join(dir, "stranger.pem"), stranger.certPEM())
	client := issue(t, ca, &x509.Certificate{SerialNumber: big.NewInt(3), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	certFile := write(t, filepath.Join(dir, "client.pem"), client.certPEM())
	keyFile := write(t, filepath.Join(dir, "client.key"), client.keyPEM(t))
	good := newTLSApp(t, &tls.Config{Certificates: []tls.Certificate{ca.serverFor(t, "127.0.0.1", time.Time{})}})
	elsewhere := newTLSApp(t, &tls.Config{Certificates: []tls.Certificate{ca.serverFor(t, "127.0.0.2", time.Time{})}})
	expired := newTLSApp(t, &tls.Config{Certificates: []tls.Certificate{ca.serverFor(t, "127.0.0.1", time.Now().Add(-time.Hour))}})
	mutual := newTLSApp(t, &tls.Config{
		Certificates: []tls.Certificate{ca.serverFor(t, "127.0.0.1", time.Time{})}, ClientCAs: ca.pool(), ClientAuth: tls.RequireAndVerifyClientCert,
	})
	old := newTLSApp(t, &tls.Config{
		Certificates: []tls.Certificate{ca.serverFor(t, "127.0.0.1", time.Time{})}, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10,
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
	ca, stranger := newAuthority(t), newAuthority(t)
	a := newTLSApp(t, &tls.Config{
		Certificates: []tls.Certificate{ca.serverFor(t, "127.0.0.1", time.Time{})}, ClientCAs: ca.pool(), ClientAuth: tls.RequireAndVerifyClientCert,
	})
	dir := t.TempDir()
	leaf := &x509.Certificate{SerialNumber: big.NewInt(3), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	wrong, right := issue(t, stranger, leaf), issue(t, ca, &x509.Certificate{SerialNumber: big.NewInt(4), ExtKeyUsage: leaf.ExtKeyUsage})
	step := get(a.URL)
	step.TLS = pipeline.TLS{
		CAFile:   write(t, filepath.Join(dir, "ca.pem"), stranger.certPEM()),
		CertFile: write(t, filepath.Join(dir, "client.pem"), wrong.certPEM()),
		KeyFile:  write(t, filepath.Join(dir, "client.key"), wrong.keyPEM(t)),
	}
	p := parse(t, quick(), step)
	wantFailure(t, p.Run(t.Context(), "m", input(nil)), 0, pipeline.StepFailed, "not trusted")
	write(t, step.TLS.CAFile, append(ca.certPEM(), '\n'))
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(step.TLS.CAFile, later, later); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, p.Run(t.Context(), "m", input(nil)), "refused the TLS handshake")
	write(t, step.TLS.CertFile, right.certPEM())
	write(t, step.TLS.KeyFile, right.keyPEM(t))
	if err := p.Run(t.Context(), "m", input(nil)); err != nil {
		t.Error(err)
	}
	if err := os.Remove(step.TLS.CAFile); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, p.Run(t.Context(), "m", input(nil)), 0, pipeline.StepFailed, "ca_file: read", "no such file")
}
