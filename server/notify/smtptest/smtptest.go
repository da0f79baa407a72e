// Package smtptest has mail servers for tests.
package smtptest

import (
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Options say what a server does. The zero value takes all mail, in the clear.
type Options struct {
	TLS                *tls.Config // nil: STARTTLS is not offered
	Implicit           bool        // TLS is spoken from the first byte
	Username, Password string      // "": nobody has to log in, or can

	// Refuse has an answer instead of the usual one for what a client says: "AUTH", "MAIL", "RCPT" and an address, or "DATA".
	// A nil error is the usual answer.
	Refuse func(command string) error
}

// Mail is a mail that was taken.
type Mail struct {
	From string
	To   []string
	Data string // with its headers
	TLS  bool   // it came over TLS
	User string // who had logged in
}

// Server is a mail server on a port of its own. Its methods may be called from any number of goroutines.
type Server struct {
	Host string
	Port int

	options Options
	mu      sync.Mutex
	mails   []Mail
	said    []byte // by clients, as it came over the network
}

// Start runs a server until the end of the test.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("listen: %v", err)
	}
	s := &Server{options: o}
	host, port, _ := net.SplitHostPort(l.Addr().String())
	s.Host = host
	s.Port, _ = strconv.Atoi(port)
	srv := smtp.NewServer(smtp.BackendFunc(s.session))
	srv.Domain, srv.AllowInsecureAuth, srv.ErrorLog = "mail.example.com", true, log.New(io.Discard, "", 0)
	srv.EnableSMTPUTF8 = true
	l = tapped{l, s}
	if o.Implicit {
		l = tls.NewListener(l, o.TLS)
	} else {
		srv.TLSConfig = o.TLS
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	tb.Cleanup(func() {
		_ = srv.Close()
		_ = l.Close() // which the server may not know of yet
		if err := <-ended; err != nil && !errors.Is(err, smtp.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			tb.Errorf("mail server: %v", err)
		}
	})
	return s
}

// Mails are those that were taken, in their order.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail{}, s.mails...)
}

// Said is all that clients have sent, as anyone on the way could read it.
func (s *Server) Said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.said)
}

func (s *Server) session(c *smtp.Conn) (smtp.Session, error) {
	_, secured := c.TLSConnectionState()
	return &session{server: s, secured: secured}, nil
}

func (s *Server) refuse(command string) error {
	if s.options.Refuse == nil {
		return nil
	}
	return s.options.Refuse(command)
}

// session is one connection.
type session struct {
	server  *Server
	secured bool
	mail    Mail
	user    string
}

// AuthMechanisms implements [smtp.AuthSession].
func (s *session) AuthMechanisms() []string {
	if s.server.options.Username == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth implements [smtp.AuthSession].
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if err := s.server.refuse("AUTH"); err != nil {
			return err
		}
		o := s.server.options
		if user != o.Username || subtle.ConstantTimeCompare([]byte(password), []byte(o.Password)) == 0 {
			return smtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

// Mail implements [smtp.Session].
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.mail.From = from
	return s.server.refuse("MAIL")
}

// Rcpt implements [smtp.Session].
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mail.To = append(s.mail.To, to)
	return s.server.refuse("RCPT " + to)
}

// Data implements [smtp.Session].
func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err == nil {
		err = s.server.refuse("DATA")
	}
	if err != nil {
		return err
	}
	s.mail.Data, s.mail.TLS, s.mail.User = strings.ReplaceAll(string(data), "\r\n", "\n"), s.secured, s.user
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, s.mail)
	return nil
}

// Reset implements [smtp.Session].
func (s *session) Reset() { s.mail = Mail{} }

// Logout implements [smtp.Session].
func (*session) Logout() error { return nil }

// tapped is a listener whose connections are listened to.
type tapped struct {
	net.Listener

	server *Server
}

// Accept implements [net.Listener].
func (t tapped) Accept() (net.Conn, error) {
	c, err := t.Listener.Accept()
	return tap{c, t.server}, err //nolint:wrapcheck // stands in for it
}

type tap struct {
	net.Conn

	server *Server
}

// Read implements [net.Conn].
func (t tap) Read(to []byte) (int, error) {
	n, err := t.Conn.Read(to)
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	t.server.said = append(t.server.said, to[:n]...)
	return n, err //nolint:wrapcheck // stands in for it
}
