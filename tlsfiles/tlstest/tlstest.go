// Package tlstest makes authorities and certificates for tests.
package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Test is what ends when something cannot be made: a testing.TB, or a script.
type Test interface {
	Fatalf(format string, args ...any)
}

// Authority signs certificates.
type Authority struct {
	test Test
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// New makes an authority, which nobody trusts yet.
func New(t Test, name string) *Authority {
	a := &Authority{test: t}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotAfter: time.Now().Add(time.Hour),
	}
	a.cert, a.key = a.sign(template)
	return a
}

// Test is what the authority was made for.
func (a *Authority) Test() Test { return a.test }

// PEM is the authority's own certificate.
func (a *Authority) PEM() []byte { return block("CERTIFICATE", a.cert.Raw) }

// Pool is the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// Leaf says what a certificate is for. The zero value is valid for an hour, for servers on 127.0.0.1 and for clients.
type Leaf struct {
	Name  string    // its common name; etcd takes that of a client for the name of a user
	Host  string    // an address or a name, "" for 127.0.0.1
	Until time.Time // when it expires
}

// Pair is a certificate with its key, as PEM.
type Pair struct{ Cert, Key []byte }

// Issue signs a certificate.
func (a *Authority) Issue(l Leaf) Pair {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: l.Name}, NotAfter: l.Until, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if l.Until.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	if ip := net.ParseIP(l.Host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else if l.Host != "" {
		template.DNSNames = []string{l.Host}
	} else {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	cert, key := a.sign(template)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.test.Fatalf("encode key: %v", err)
	}
	return Pair{block("CERTIFICATE", cert.Raw), block("PRIVATE KEY", der)}
}

// Certificate is the pair as package tls takes it.
func (a *Authority) Certificate(l Leaf) tls.Certificate {
	p := a.Issue(l)
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		a.test.Fatalf("read pair: %v", err)
	}
	return pair
}

func (a *Authority) sign(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.test.Fatalf("make key: %v", err)
	}
	template.NotBefore = time.Now().Add(-2 * time.Hour)
	if template.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62)); err != nil {
		a.test.Fatalf("make serial number: %v", err)
	}
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		a.test.Fatalf("sign certificate: %v", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.test.Fatalf("read certificate: %v", err)
	}
	return cert, key
}

// Write writes a file, over what is there, and gives its path.
func Write(t Test, dir, name string, content []byte) string {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatalf("write: %v", err)
	}
	return path
}

// Write writes the pair as NAME.crt and NAME.key, and gives their paths.
func (p Pair) Write(t Test, dir, name string) (cert, key string) {
	return Write(t, dir, name+".crt", p.Cert), Write(t, dir, name+".key", p.Key)
}

func block(kind string, content []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
}
