package notify

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"kayra/tlsfiles"
)

// unanswered is the failure of a request that got no answer, or of a connection that broke. It names kinds of failures and
// never shows the error itself, which may hold a URL, an address or what a server has sent.
func unanswered(err error) error {
	if file, ok := errors.AsType[*tlsfiles.Error](err); ok {
		return permanent(file.Error())
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		return transient("the proxy cannot be reached")
	}
	switch tlsfiles.ReasonOf(err) {
	case tlsfiles.Untrusted:
		return permanent("its certificate is signed by an authority that is not trusted")
	case tlsfiles.OtherHost:
		return permanent("its certificate is for another host")
	case tlsfiles.Expired, tlsfiles.Invalid:
		return permanent("its certificate is not valid")
	case tlsfiles.Refused, tlsfiles.Unproven:
		return permanent("it refused the TLS handshake")
	case tlsfiles.NotTLS:
		return permanent("it does not speak TLS")
	case tlsfiles.Unknown:
	}
	return transient(network(err))
}

func network(err error) string {
	_, unresolved := errors.AsType[*net.DNSError](err)
	late, isNet := errors.AsType[net.Error](err)
	switch {
	case unresolved:
		return "its host name cannot be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "its host is unreachable"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isNet && late.Timeout():
		return "it did not answer in time"
	case errors.Is(err, context.Canceled), errors.Is(err, net.ErrClosed):
		return "the request was given up before it answered"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection without an answer"
	}
	return "what it answered is not of the protocol"
}
