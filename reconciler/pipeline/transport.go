package pipeline

import (
	"errors"
	"io"
	"net"
	"syscall"

	"kayra/tlsfiles"
)

// explainTransport says why a request got no answer. It names kinds of failures and never prints the error itself, which
// may hold the URL with its userinfo and query, a redirect's address, or a host that is a secret.
func explainTransport(err error) string {
	if known, ok := errors.AsType[plainError](err); ok {
		return known.Error()
	}
	if file, ok := errors.AsType[*tlsfiles.Error](err); ok {
		return file.Error()
	}
	if redirect, ok := errors.AsType[redirectError](err); ok {
		return redirect.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		return "the proxy cannot be reached: " + explainTransport(op.Err)
	}
	if why := explainTLS(err); why != "" {
		return why
	}
	return explainNetwork(err)
}

func explainTLS(err error) string {
	switch tlsfiles.ReasonOf(err) {
	case tlsfiles.Untrusted:
		return "its certificate is signed by an authority that is not trusted (tls.ca_file names one)"
	case tlsfiles.OtherHost:
		return "its certificate is for another host"
	case tlsfiles.Expired, tlsfiles.Invalid:
		return "its certificate is not valid"
	case tlsfiles.Refused, tlsfiles.Unproven:
		return "it refused the TLS handshake (it may want a client certificate: tls.cert_file)"
	case tlsfiles.NotTLS:
		return "it does not speak TLS: the endpoint may have to begin with http://"
	case tlsfiles.Unknown:
	}
	return ""
}

func explainNetwork(err error) string {
	switch {
	case is[*net.DNSError](err):
		return "its host name cannot be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "its host is unreachable"
	case isTimeout(err):
		return "timed out while connecting"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer ended early"
	case errors.Is(err, io.EOF):
		return errUnanswered.Error()
	}
	return "the request could not be carried out or its answer is not HTTP"
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isTimeout(err error) bool {
	at, ok := errors.AsType[net.Error](err)
	return ok && at.Timeout()
}
