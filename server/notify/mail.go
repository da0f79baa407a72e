package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"

	"github.com/wneessen/go-mail"

	"kayra/tlsfiles"
)

// Encryption is how a connection to a mail server is kept secret.
type Encryption string

// The ways that there are. A password crosses none that is not encrypted.
const (
	StartTLS Encryption = "starttls" // the connection begins in the clear; what does not go on with TLS is given up
	Implicit Encryption = "implicit" // TLS from the first byte
	Clear    Encryption = "none"     // for a relay that asks for no password
)

// SMTP is the server that mail is handed to.
type SMTP struct {
	Host       string
	Port       int    // 0: 587, with Implicit 465, with Clear 25
	From       string // an address, with or without a name
	Username   string // "": nobody logs in
	Password   Secret
	Encryption Encryption   // "": StartTLS
	CA         *tlsfiles.CA // whose certificate is trusted; nil: the system's authorities
}

// mailer sends mail.
type mailer struct{ smtp SMTP }

// to sends one mail to all the addresses together. A server that refuses one of them gets it for none. What it has begun
// ends with ctx.
func (m mailer) to(addresses []string) func(context.Context, *message) error {
	return func(ctx context.Context, msg *message) error {
		letter, err := m.letter(addresses, msg)
		if err != nil {
			return permanent("the sender's address or one of the team's is none")
		}
		client, err := m.client(ctx)
		if err != nil {
			return err
		}
		session, err := client.DialToSMTPClientWithContext(ctx)
		if err != nil {
			return refused(ctx, err)
		}
		if err := client.SendWithSMTPClient(session, letter); err != nil && !letter.IsDelivered() {
			return refused(ctx, err)
		}
		_ = client.CloseWithSMTPClient(session) // the mail is the server's by now
		return nil
	}
}

// letter writes the mail. Every header is encoded, so that no text can become another header.
func (m mailer) letter(addresses []string, msg *message) (*mail.Msg, error) {
	letter := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := letter.From(m.smtp.From); err != nil {
		return nil, err //nolint:wrapcheck // replaced
	}
	if err := letter.To(addresses...); err != nil {
		return nil, err //nolint:wrapcheck // replaced
	}
	letter.Subject(msg.subject)
	letter.SetDate()
	letter.SetMessageIDWithValue(msg.id + "@" + m.smtp.Host)
	letter.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: nobody is away from the office to us
	letter.SetBodyString(mail.TypeTextPlain, msg.text)
	return letter, nil
}

func (m mailer) client(ctx context.Context) (*mail.Client, error) {
	config, err := m.smtp.tls()
	if err != nil {
		return nil, unanswered(err)
	}
	options := []mail.Option{
		mail.WithPort(m.smtp.port()), mail.WithTimeout(tryTimeout), mail.WithTLSConfig(config), mail.WithTLSPolicy(mail.TLSMandatory),
		mail.WithDialContextFunc(func(dialing context.Context, _, address string) (net.Conn, error) {
			return dial(ctx, dialing, address, m.smtp.Encryption == Implicit, config)
		}),
	}
	switch m.smtp.Encryption {
	case Implicit:
		options = append(options, mail.WithSSL())
	case Clear:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	case StartTLS:
	}
	if m.smtp.Username != "" {
		password, err := m.smtp.Password()
		if err != nil {
			return nil, transient(err.Error()) // names a variable or a file
		}
		options = append(options, mail.WithUsername(m.smtp.Username), mail.WithPassword(password),
			mail.WithOpportunisticSMTPAuth(mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthSCRAMSHA1, mail.SMTPAuthPlain, mail.SMTPAuthLogin, mail.SMTPAuthCramMD5))
	}
	client, err := mail.NewClient(m.smtp.Host, options...)
	if err != nil {
		return nil, permanent("the settings of SMTP are not usable")
	}
	return client, nil
}

// port is the one that is set, or the usual one.
func (s SMTP) port() int {
	const submission, submissions, relay = 587, 465, 25
	switch {
	case s.Port != 0:
		return s.Port
	case s.Encryption == Implicit:
		return submissions
	case s.Encryption == Clear:
		return relay
	}
	return submission
}

// tls trusts what the file of authorities holds now.
func (s SMTP) tls() (*tls.Config, error) {
	var roots *x509.CertPool
	if s.CA != nil {
		var err error
		if roots, err = s.CA.Pool(); err != nil {
			return nil, err //nolint:wrapcheck // says it all
		}
	}
	return &tls.Config{ServerName: s.Host, RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}
