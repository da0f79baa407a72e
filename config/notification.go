package config

import (
	"maps"
	"net/mail"
	"slices"
	"strings"
	"time"
)

// Notification says how teams are told of what happens to their APIs.
type Notification struct {
	Interval time.Duration   // within which an event of a registration is told once
	Teams    map[string]Team `mapstructure:"-"` // by the owner of their registrations; case and dots as written
	SMTP     SMTP
}

// Team says how a team is reached. What is zero or empty is not used.
type Team struct {
	SlackWebhook Secret // URL of an incoming webhook
	Webhook      Secret // URL
	Email        []string
}

// SMTP configures the server that mail is handed to.
type SMTP struct {
	Host     string // "": none
	Port     int    // 0: the usual one
	From     string // an address, with or without a name; given together with Host
	Username string // given together with Password; may be empty
	Password Secret
	TLS      string // starttls, implicit or none
	CAFile   string `mapstructure:"ca_file"` // verifies the server; "": the system's authorities
}

// KeyOf is the dotted key of what stands in a mapping under a name, which may be any text.
func KeyOf(above, name string) string { return join(above, name) }

func notificationSettings() []key {
	const shortest = time.Second
	return []key{
		durationKey("notification.interval", 15*time.Minute, shortest),
		textKey("notification.smtp.host", "", orEmpty(host())),
		numberKey("notification.smtp.port", 0, 0, 65535),
		textKey("notification.smtp.from", "", orEmpty(sender())),
		textKey("notification.smtp.username", "", anyText()),
		secretKey("notification.smtp.password"),
		textKey("notification.smtp.tls", "starttls", oneOf("starttls", "implicit", "none")),
		textKey("notification.smtp.ca_file", "", anyText()),
	}
}

func (d *decoder) teams(v value) map[string]Team {
	v.private = true
	teams := map[string]Team{}
	d.members(v, "a mapping of teams to {slack_webhook, webhook, email}", func(name string, child value) {
		if name == "" {
			d.report(child, `"" is not allowed as a team's name: use the owner of its registrations`)
		}
		teams[name] = d.team(child)
	})
	return teams
}

func (d *decoder) team(v value) Team {
	var t Team
	d.object(v, fields{
		"slack_webhook": func(v value) { t.SlackWebhook = d.webhook(v) },
		"webhook":       func(v value) { t.Webhook = d.webhook(v) },
		"email":         func(v value) { t.Email = d.texts(v.public(), recipient()) },
	})
	return t
}

// webhook reads a URL that is a secret: whoever knows it can post there.
func (d *decoder) webhook(v value) Secret {
	s := d.secret(v, fromEnv, fromFile)
	url := webhookURL()
	if text, ok := s.Literal(); ok && v.node.ShortTag() == tagStr && !url.ok(text) {
		d.report(v, "this text is not allowed: use "+url.use)
	}
	return s
}

// checkNotification looks at what mail needs.
func (l *loader) checkNotification() {
	n, smtp := l.config.Notification, l.config.Notification.SMTP
	for _, name := range slices.Sorted(maps.Keys(n.Teams)) {
		if len(n.Teams[name].Email) > 0 && smtp.Host == "" {
			l.reportKey(join("notification.teams", name)+".email", "needs a server that takes the mail: set notification.smtp.host")
		}
	}
	switch {
	case smtp.Host != "" && smtp.From == "":
		l.reportKey("notification.smtp.from", "is empty: mail needs a sender, such as kayra@example.com")
	case (smtp.Username == "") != smtp.Password.IsZero():
		l.reportKey("notification.smtp.username", "username without password, or the other way round, is not allowed: use both or neither")
	case smtp.Username != "" && smtp.TLS == "none":
		l.reportKey("notification.smtp.tls", `"none" is not allowed together with a password, which would cross the network in the clear: use starttls or implicit`)
	}
}

func webhookURL() rule {
	base := baseURL()
	return rule{"a URL such as https://hooks.example.com/T0/B0/KEY", func(text string) bool {
		plain, _, _ := strings.Cut(text, "#")
		plain, _, _ = strings.Cut(plain, "?")
		return base.ok(plain)
	}}
}

func host() rule { return rule{"a host name or an address, without scheme and port", isHost} }

func sender() rule {
	return rule{`an e-mail address such as kayra@example.com or "Kayra <kayra@example.com>"`, isAddress}
}

func recipient() rule {
	return rule{"an e-mail address such as team@example.com", func(text string) bool {
		return isAddress(text) && !strings.ContainsAny(text, "<> ")
	}}
}

func isAddress(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && !strings.ContainsFunc(text, isControl) && strings.Contains(address.Address, "@")
}
