// Package tlsfiles makes TLS configurations of PEM files, for clients and for listeners, and says why a handshake failed.
//
// Files may be replaced while a process runs. They are looked at when a connection begins, by modification time, size and
// identity, so that it does not matter how they are replaced: written over, renamed over, or behind a symbolic link that
// is moved, as Kubernetes does with secrets that are mounted. Connections that are open already stay as they are.
package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
)

// The fields, as errors name them.
const (
	fieldCA       = "ca_file"
	fieldCert     = "cert_file"
	fieldKey      = "key_file"
	fieldClientCA = "client_ca_file"
)

// Error is a file that cannot be used. It names the field and the path, and shows nothing of the content.
type Error struct {
	Field   string // ca_file, cert_file, key_file or client_ca_file
	Problem string // what is wrong with it, with its path
}

// Error is the field and what is wrong with it.
func (e *Error) Error() string { return e.Field + ": " + e.Problem }

// Client names the files of a client. All may be empty.
type Client struct {
	CAFile   string // authorities that a server's certificate may come from; "": the system's
	CertFile string // shown to servers that ask for a certificate; together with KeyFile
	KeyFile  string
}

// Config reads the files. It fails with an [*Error].
//
// The CA file is not looked at again. A certificate that is replaced by files that cannot be used stays in force, and log
// is told of it; without a log the handshake fails, with an [*Error].
func (c Client) Config(log *slog.Logger) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		ca, err := OpenCA(c.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = ca.pool.value
	}
	if c.CertFile == "" && c.KeyFile == "" {
		return config, nil
	}
	if c.CertFile == "" || c.KeyFile == "" {
		return nil, &Error{fieldCert, "cert_file and key_file belong together: give both or none"}
	}
	files := group{{fieldCert, c.CertFile}, {fieldKey, c.KeyFile}}
	pair, err := keep(files, log, func(contents [][]byte) (*tls.Certificate, error) {
		return files.certificate(contents[0], contents[1])
	})
	if err != nil {
		return nil, err
	}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair.get() }
	return config, nil
}

// CA is a file of authorities.
type CA struct{ pool *kept[*x509.CertPool] }

// OpenCA reads the file. It fails with an [*Error].
func OpenCA(path string) (*CA, error) {
	files := group{{fieldCA, path}}
	pool, err := keep(files, nil, func(contents [][]byte) (*x509.CertPool, error) { return files[0].authorities(contents[0]) })
	if err != nil {
		return nil, err
	}
	return &CA{pool}, nil
}

// Pool gives the authorities that are in the file now, the same pool for as long as it has not changed. It fails with an
// [*Error].
func (c *CA) Pool() (*x509.CertPool, error) { return c.pool.get() }
