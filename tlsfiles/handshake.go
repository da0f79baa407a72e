package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
)

// Reason is why a client's TLS handshake failed.
type Reason int

// The reasons that there are.
const (
	Unknown   Reason = iota // not for a reason of TLS
	Untrusted               // the server's certificate is signed by an authority that is not trusted
	OtherHost               // it is for another host
	Expired                 // it is expired, or not valid yet
	Invalid                 // it is not valid for another reason
	Refused                 // the server refused the handshake
	Unproven                // it refused it since the client showed no certificate, or not one that the server takes
	NotTLS                  // what answers does not speak TLS
)

// ReasonOf finds out what an error of a request over HTTPS means.
func ReasonOf(err error) Reason {
	switch {
	case err == nil:
		return Unknown
	case is[x509.UnknownAuthorityError](err), is[x509.SystemRootsError](err):
		return Untrusted
	case is[x509.HostnameError](err):
		return OtherHost
	case is[x509.CertificateInvalidError](err), is[*tls.CertificateVerificationError](err):
		if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
			return Expired
		}
		return Invalid
	case is[tls.RecordHeaderError](err), errors.Is(err, http.ErrSchemeMismatch):
		return NotTLS
	}
	return refusal(err)
}

// refusal looks for an alert, which has no type of its own.
func refusal(err error) Reason {
	at, ok := errors.AsType[*net.OpError](err)
	switch {
	case ok && at.Op == "remote error" && strings.Contains(at.Err.Error(), "certificate"):
		return Unproven
	case ok && at.Op == "remote error", is[tls.AlertError](err):
		return Refused
	case strings.Contains(err.Error(), "http2: client conn could not be established"):
		return Refused // when a server closes a connection as its handshake ends
	}
	return Unknown
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
