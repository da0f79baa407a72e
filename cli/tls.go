package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"

	"kayra/config"
	"kayra/server/client"
	"kayra/tlsfiles"
)

// listenTLS reads the files of a listener; key is that of its mapping. It is nil for a listener without TLS.
func (p *process) listenTLS(c config.ListenerTLS, key string) error {
	if c.CertFile == "" {
		return nil
	}
	var err error
	p.tls, err = tlsfiles.Server(c).Config(p.log.With(slog.String("at", key)))
	if file, ok := errors.AsType[*tlsfiles.Error](err); ok {
		return wrongKey(p.config, key+"."+file.Field, errors.New(file.Problem))
	}
	return wrongFile(key, err)
}

// wrongFile is the failure of an error of package tlsfiles, with the key that names the file in full.
func wrongFile(above string, err error) error {
	if err == nil {
		return nil
	}
	return &failure{code: codeUsage, message: above + "." + err.Error(), err: err}
}

// url is where the process can be reached at an address.
func (p *process) url(address string) string {
	if p.tls != nil {
		return "https://" + address
	}
	return "http://" + address
}

// secured has the listener speak TLS, if that is configured.
func (p *process) secured(l net.Listener) net.Listener {
	if p.tls != nil {
		return tls.NewListener(l, p.tls)
	}
	return l
}

// warnOfPlainTokens says that whoever is on the way can read the callers' tokens.
// key names the mapping that TLS is set by.
func (p *process) warnOfPlainTokens(ctx context.Context, address net.Addr, key string) {
	tcp, ok := address.(*net.TCPAddr)
	if p.tls != nil || !ok || tcp.IP.IsLoopback() || len(p.config.Auth.Tokens) == 0 && p.config.Auth.OIDC.Issuer == "" {
		return
	}
	p.log.LogAttrs(ctx, slog.LevelWarn, "tokens cross the network unencrypted: set TLS, or listen on a loopback address behind a proxy that speaks it",
		slog.String("address", address.String()), slog.String("key", key))
}

// files is what names the files of TLS: keys of the configuration, or of a context.
func (p *place) files() string {
	if p.context != "" {
		return "context " + p.context + ": client"
	}
	return "client"
}

// tlsHint says which key mends a handshake that failed, or "".
func tlsHint(err error) string {
	const names = " client.cert_file and client.key_file, KAYRA_CLIENT_CERT_FILE and KAYRA_CLIENT_KEY_FILE, or `kayra login` with --cert-file and --key-file name one"
	if errors.Is(err, client.ErrBroken) {
		return "it may want a client certificate:" + names
	}
	switch tlsfiles.ReasonOf(err) {
	case tlsfiles.Untrusted:
		return "client.ca_file, KAYRA_CLIENT_CA_FILE or `kayra login` with --ca-file names a file with the authority that signed it"
	case tlsfiles.OtherHost:
		return "use a name that the certificate is for in client.server, KAYRA_CLIENT_SERVER or --server"
	case tlsfiles.Unproven:
		return "show a certificate that it trusts:" + names
	case tlsfiles.Refused:
		return "it may want a client certificate:" + names
	case tlsfiles.Expired:
		return "the server needs a new certificate, unless the clock of this machine is wrong"
	case tlsfiles.Unknown, tlsfiles.Invalid, tlsfiles.NotTLS:
	}
	return ""
}
