package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
)

func (f file) authorities(content []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, &Error{f.field, fmt.Sprintf("%q holds no PEM certificate", f.path)}
	}
	return pool, nil
}

// certificate makes a pair of the first two files. The errors of package tls quote from the files.
func (g group) certificate(cert, key []byte) (*tls.Certificate, error) {
	if !holds(cert, func(b *pem.Block) bool { return b.Type == "CERTIFICATE" }) {
		return nil, &Error{g[0].field, fmt.Sprintf("%q holds no PEM certificate", g[0].path)}
	}
	if !holds(key, func(b *pem.Block) bool { return strings.HasSuffix(b.Type, "PRIVATE KEY") }) {
		return nil, &Error{g[1].field, fmt.Sprintf("%q holds no PEM private key", g[1].path)}
	}
	if holds(key, isEncrypted) {
		return nil, &Error{g[1].field, fmt.Sprintf("%q is encrypted: use a key without a passphrase", g[1].path)}
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, &Error{g[0].field, fmt.Sprintf("%q and %q are not a certificate and its key", g[0].path, g[1].path)}
	}
	return &pair, nil
}

func isEncrypted(b *pem.Block) bool {
	return b.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(b.Headers["Proc-Type"], "ENCRYPTED")
}

func holds(content []byte, wanted func(*pem.Block) bool) bool {
	for {
		var block *pem.Block
		if block, content = pem.Decode(content); block == nil {
			return false
		}
		if wanted(block) {
			return true
		}
	}
}
