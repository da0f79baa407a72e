package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"

	"github.com/wneessen/go-mail"
)

// maxConversation is how many bytes a mail server may send in one connection.
const maxConversation = 1 << 20

// dial connects. The connection ends with ctx, since a client leaves one open with which it has failed; dialing bounds the
// connecting alone.
func dial(ctx, dialing context.Context, address string, implicit bool, config *tls.Config) (net.Conn, error) {
	raw, err := (&net.Dialer{}).DialContext(dialing, "tcp", address)
	if err != nil {
		return nil, err //nolint:wrapcheck // explained before anyone sees it
	}
	context.AfterFunc(ctx, func() { _ = raw.Close() })
	conn := &bounded{Conn: raw, left: maxConversation}
	if !implicit {
		return conn, nil
	}
	secured := tls.Client(conn, config)
	return secured, secured.HandshakeContext(dialing) //nolint:wrapcheck // explained before anyone sees it
}

// bounded is a connection over which not more than so many bytes come.
type bounded struct {
	net.Conn

	left int
}

// Read implements [net.Conn].
func (b *bounded) Read(to []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the server sends too much")
	}
	n, err := b.Conn.Read(to[:min(len(to), b.left)])
	b.left -= n
	return n, err //nolint:wrapcheck // stands in for it
}

// refused is the failure of a conversation with a mail server. Of what the server has said it shows the code alone.
func refused(ctx context.Context, err error) error {
	code := 0
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		code = answer.Code
	}
	if sending, ok := errors.AsType[*mail.SendError](err); ok {
		code = sending.ErrorCode()
	}
	const temporary, permanently, beyond, notYou = 400, 500, 600, 535
	switch {
	case code == notYou:
		return permanent("it answered 535: it does not take the username and the password")
	case code >= permanently && code < beyond:
		return permanent(fmt.Sprintf("it answered %d, and does not take the mail", code))
	case code >= temporary && code < permanently:
		return transient(fmt.Sprintf("it answered %d, and cannot take the mail now", code))
	case ctx.Err() != nil:
		return unanswered(ctx.Err())
	case strings.Contains(err.Error(), "does not support STARTTLS"):
		return permanent("it offers no STARTTLS, and nothing is sent in the clear")
	case errors.Is(err, mail.ErrNoSupportedAuthDiscovered), strings.Contains(err.Error(), "does not support SMTP AUTH"):
		return permanent("it offers no way to log in that is known here")
	}
	return unanswered(err)
}
