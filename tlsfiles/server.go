package tlsfiles

import (
	"crypto/tls"
	"log/slog"
	"time"
)

// Server names the files of a listener.
type Server struct {
	CertFile     string // the certificate, followed by those between it and its authority
	KeyFile      string
	ClientCAFile string // authorities, from one of which every client must show a certificate; "": none is asked for
}

// Config reads the files. It fails with an [*Error]; of a certificate that is not valid at present log is told.
//
// Files that change are taken over at the next handshake. As long as they cannot be used, or do not belong together since
// only some of them have been written, the earlier ones stay in force, and log is told why, once.
func (s Server) Config(log *slog.Logger) (*tls.Config, error) {
	files := group{{fieldCert, s.CertFile}, {fieldKey, s.KeyFile}}
	if s.ClientCAFile != "" {
		files = append(files, file{fieldClientCA, s.ClientCAFile})
	}
	current, err := keep(files, log, func(contents [][]byte) (*tls.Config, error) { return s.config(log, files, contents) })
	if err != nil {
		return nil, err
	}
	config := current.value.Clone()
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return current.get() }
	return config, nil
}

func (s Server) config(log *slog.Logger, files group, contents [][]byte) (*tls.Config, error) {
	pair, err := files.certificate(contents[0], contents[1])
	if err != nil {
		return nil, err
	}
	config := &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, Certificates: []tls.Certificate{*pair},
	}
	if s.ClientCAFile != "" {
		if config.ClientCAs, err = files[2].authorities(contents[2]); err != nil {
			return nil, err
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	now, leaf := time.Now(), pair.Leaf
	if now.After(leaf.NotAfter) || now.Before(leaf.NotBefore) {
		log.Warn("the certificate is not valid now: clients will refuse it", slog.String("cert_file", s.CertFile),
			slog.Time("not_before", leaf.NotBefore), slog.Time("not_after", leaf.NotAfter))
	}
	return config, nil
}
