package notify_test

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"kayra/notice"
	"kayra/server/notify"
	"kayra/server/notify/smtptest"
	"kayra/tlsfiles"
	"kayra/tlsfiles/tlstest"
)

// post has a mail server, and a notifier with a configuration that it takes. Both can be changed.
func post(t *testing.T, server func(*smtptest.Options), client func(*notify.SMTP)) (*smtptest.Server, *notify.Notifier) {
	t.Helper()
	authority, ca := trust(t)
	so := smtptest.Options{
		TLS:      &tls.Config{Certificates: []tls.Certificate{authority.Certificate(tlstest.Leaf{})}, MinVersion: tls.VersionTLS12},
		Username: "kayra", Password: password,
	}
	if server != nil {
		server(&so)
	}
	s := smtptest.Start(t, so)
	return s, mailTo(t, s.Host, s.Port, ca, client)
}

func mailTo(t *testing.T, host string, port int, ca *tlsfiles.CA, client func(*notify.SMTP)) *notify.Notifier {
	t.Helper()
	co := notify.SMTP{
		Host: host, Port: port, From: "Käyra <kayra@example.com>", Username: "kayra", Password: secret(password),
		Encryption: notify.StartTLS, CA: ca,
	}
	if client != nil {
		client(&co)
	}
	return notifier(t, notify.Team{Email: []string{"ann@example.com", "bob@example.com"}}, func(o *notify.Options) { o.SMTP = co })
}

func open(s *smtptest.Options) { s.TLS, s.Username, s.Password = nil, "", "" }

func TestMail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server func(*smtptest.Options)
		client func(*notify.SMTP)
		tls    bool
		user   string
	}{
		"STARTTLS and a password": {nil, nil, true, "kayra"},
		"STARTTLS by default":     {nil, func(c *notify.SMTP) { c.Encryption = "" }, true, "kayra"},
		"STARTTLS alone":          {nil, func(c *notify.SMTP) { c.Username, c.Password = "", nil }, true, ""},
		"implicit TLS": {
			func(s *smtptest.Options) { s.Implicit = true }, func(c *notify.SMTP) { c.Encryption = notify.Implicit }, true, "kayra",
		},
		"in the clear": {open, func(c *notify.SMTP) { c.Username, c.Password, c.Encryption = "", nil, notify.Clear }, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, n := post(t, c.server, c.client)
			e := event()
			e.Message = "Zwölf Läufe sind gescheitert.\n.\nQUIT"
			delivered(t, n.Deliver(t.Context(), e, nil), notice.Email)
			got := s.Mails()
			if len(got) != 1 || got[0].TLS != c.tls || got[0].User != c.user || got[0].From != "kayra@example.com" ||
				!cmp.Equal(got[0].To, []string{"ann@example.com", "bob@example.com"}) {
				t.Fatalf("%+v", got)
			}
			if strings.Contains(s.Said(), password) || strings.Contains(s.Said(), base64.StdEncoding.EncodeToString([]byte("\x00kayra\x00"+password))) {
				t.Error("the password crossed the network in the clear")
			}
			read(t, got[0].Data, "[sandbox/eu-west-1] compute.example.com is degraded", "Zwölf Läufe sind gescheitert.\n.\nQUIT\n")
		})
	}
}

// read reads a mail as a mail program does, and looks for the text in it.
func read(t *testing.T, data, subject, text string) mail.Header {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	got, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || got != subject {
		t.Errorf("subject %q, want %q; %v", got, subject, err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil || !strings.Contains(strings.ReplaceAll(string(body), "\r\n", "\n"), text) {
		t.Errorf("%v; no %q in\n%s", err, text, body)
	}
	if m.Header.Get("Content-Type") != "text/plain; charset=UTF-8" || m.Header.Get("Auto-Submitted") != "auto-generated" || m.Header.Get("Message-Id") == "" {
		t.Errorf("header %v", m.Header)
	}
	return m.Header
}

// No text of an event becomes a header, or an address, or the end of the mail.
func TestNoHeaderIsInjected(t *testing.T) {
	t.Parallel()
	s, n := post(t, nil, nil)
	const evil = "x\r\nBcc: eve@example.com\r\n\r\n\u2028<b>ü"
	e := event()
	e.API, e.Message, e.SyncID, e.State, e.Reconciler = evil, evil+"\r\n.\r\nMAIL FROM:<eve@example.com>\r\n", evil, evil, evil
	delivered(t, n.Deliver(t.Context(), e, nil), notice.Email)
	got := s.Mails()
	if len(got) != 1 || len(got[0].To) != 2 {
		t.Fatalf("%+v", got)
	}
	header := read(t, got[0].Data, "[sandbox/eu-west-1] x  Bcc: eve@example.com     <b>ü is degraded", "MAIL FROM:<eve@example.com>")
	if len(header) != 9 || header.Get("Bcc") != "" {
		t.Errorf("headers %v", header)
	}
	for line := range strings.Lines(got[0].Data) {
		if len(line) > 80 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

func TestMailRefused(t *testing.T) {
	t.Parallel()
	refuse := func(command string, code int) func(*smtptest.Options) {
		return func(s *smtptest.Options) {
			s.Refuse = func(said string) error {
				if said == command {
					return &smtp.SMTPError{Code: code, Message: "s3cr3t of the server, to 127.0.0.1"}
				}
				return nil
			}
		}
	}
	for name, c := range map[string]struct {
		server func(*smtptest.Options)
		client func(*notify.SMTP)
		why    string
	}{
		"no STARTTLS, but a password": {
			func(s *smtptest.Options) { s.TLS = nil }, nil, "it offers no STARTTLS, and nothing is sent in the clear",
		},
		"no STARTTLS": {
			open, func(c *notify.SMTP) { c.Username, c.Password = "", nil }, "it offers no STARTTLS, and nothing is sent in the clear",
		},
		"a password in the clear, offered": {open, nil, "it offers no STARTTLS, and nothing is sent in the clear"},
		"a wrong password": {
			nil, func(c *notify.SMTP) { c.Password = secret("s3cr3t but wrong") },
			"it answered 535: it does not take the username and the password",
		},
		"no way to log in":         {func(s *smtptest.Options) { s.Username = "" }, nil, "it offers no way to log in that is known here"},
		"an address is refused":    {refuse("RCPT bob@example.com", 550), nil, "it answered 550, and does not take the mail"},
		"the sender is refused":    {refuse("MAIL", 553), nil, "it answered 553, and does not take the mail"},
		"the content is refused":   {refuse("DATA", 554), nil, "it answered 554, and does not take the mail"},
		"an address is greylisted": {refuse("RCPT ann@example.com", 451), nil, "it answered 451, and cannot take the mail now"},
		"another authority":        {nil, func(c *notify.SMTP) { c.CA = nil }, "its certificate is signed by an authority that is not trusted"},
		"another host":             {nil, func(c *notify.SMTP) { c.Host = "localhost" }, "its certificate is for another host"},
		"TLS where STARTTLS is":    {nil, func(c *notify.SMTP) { c.Encryption = notify.Implicit }, "it does not speak TLS"},
		"nobody there":             {nil, func(c *notify.SMTP) { c.Port = 1 }, "connection refused"},
		"no such host":             {nil, func(c *notify.SMTP) { c.Host = "s3cr3t.invalid" }, "its host name cannot be resolved"},
		"no password to be had": {
			nil, func(c *notify.SMTP) {
				c.Password = func() (string, error) { return "", errors.New("variable SMTP is not set") }
			},
			"variable SMTP is not set",
		},
		"no sender": {nil, func(c *notify.SMTP) { c.From = "s3cr3t" }, "the sender's address or one of the team's is none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, n := post(t, c.server, c.client)
			if why := failed(t, n.Deliver(t.Context(), event(), nil)); why != c.why {
				t.Errorf("got %q, want %q", why, c.why)
			}
			if len(s.Mails()) != 0 {
				t.Errorf("%+v", s.Mails())
			}
			if said := s.Said(); strings.Contains(said, "AUTH") || strings.Contains(said, "s3cr3t") {
				t.Errorf("said in the clear: %q", said)
			}
		})
	}
	if _, err := notify.New(notify.Options{SMTP: notify.SMTP{Username: "kayra", Encryption: notify.Clear}}); err == nil {
		t.Error("a password may cross the network in the clear")
	}
}

func TestMailIsTriedAgain(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	s, n := post(t, func(s *smtptest.Options) {
		s.Refuse = func(said string) error {
			if said == "MAIL" && tries.Add(1) < 3 {
				return &smtp.SMTPError{Code: 451, Message: "later"}
			}
			return nil
		}
	}, nil)
	delivered(t, n.Deliver(t.Context(), event(), nil), notice.Email)
	if tries.Load() != 3 || len(s.Mails()) != 1 {
		t.Errorf("%d tries, %d mails", tries.Load(), len(s.Mails()))
	}
}

// hostile is a server that speaks as it is told to each client, line by line, and then says no more.
func hostile(t *testing.T, lines func(w io.Writer, r *bufio.Reader)) (host string, port int) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			lines(c, bufio.NewReader(c))
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-ended
	})
	address, _ := l.Addr().(*net.TCPAddr)
	return address.IP.String(), address.Port
}

func TestHostileMailServer(t *testing.T) {
	t.Parallel()
	const silent, foreign = "it did not answer in time", "what it answered is not of the protocol"
	for name, c := range map[string]struct {
		why   string
		lines func(w io.Writer, r *bufio.Reader)
	}{
		"silent":        {silent, func(io.Writer, *bufio.Reader) {}},
		"no SMTP":       {foreign, func(w io.Writer, _ *bufio.Reader) { _, _ = fmt.Fprint(w, "HTTP/1.1 200 s3cr3t\r\n\r\n") }},
		"empty lines":   {foreign, func(w io.Writer, _ *bufio.Reader) { _, _ = fmt.Fprint(w, "\r\n\r\n\r\n") }},
		"strange codes": {foreign, func(w io.Writer, _ *bufio.Reader) { _, _ = fmt.Fprint(w, "999 s3cr3t\r\n") }},
		"an endless line": {foreign, func(w io.Writer, _ *bufio.Reader) {
			for range 200 {
				if _, err := fmt.Fprint(w, strings.Repeat("s3cr3t ", 10_000)); err != nil {
					return
				}
			}
		}},
		"silent after the greeting": {silent, func(w io.Writer, r *bufio.Reader) {
			_, _ = fmt.Fprint(w, "220 hello\r\n")
			_, _ = r.ReadString('\n')
		}},
		"empty errors": {foreign, func(w io.Writer, r *bufio.Reader) {
			_, _ = fmt.Fprint(w, "220 \r\n")
			_, _ = r.ReadString('\n')
			_, _ = fmt.Fprint(w, "250 \r\n")
			_, _ = r.ReadString('\n')
			_, _ = fmt.Fprint(w, "5\r\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, port := hostile(t, c.lines)
			n := notifier(t, notify.Team{Email: []string{"ann@example.com"}}, func(o *notify.Options) {
				o.SMTP = notify.SMTP{Host: host, Port: port, From: "kayra@example.com", Encryption: notify.Clear}
				o.Timeout = time.Minute
				if c.why == silent {
					o.Timeout = time.Second
				}
			})
			if why := failed(t, n.Deliver(t.Context(), event(), nil)); why != c.why {
				t.Errorf("got %q, want %q", why, c.why)
			}
		})
	}
}
