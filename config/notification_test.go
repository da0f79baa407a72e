package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTeams(t *testing.T) {
	t.Parallel()
	c, warnings := load(t, `notification:
  teams:
    SRE.a "x"/é:
      slack_webhook: https://hooks.example.com/T0/B0/hunter2?a=b#c
      webhook: {env: HOOK}
      email: [team@example.com, "ü@example.com"]
    b: {webhook: {file: /etc/hook}}
    silent: {}
  smtp: {host: "::1", from: "Käyra <kayra@example.com>", username: u, password: {file: /f}}
`)
	if len(warnings) > 0 {
		t.Error(warnings)
	}
	team, ok := c.Notification.Teams[`SRE.a "x"/é`]
	if literal, _ := team.SlackWebhook.Literal(); !ok || literal != "https://hooks.example.com/T0/B0/hunter2?a=b#c" {
		t.Errorf("teams %v", c.Notification.Teams)
	}
	lookup := func(name string) (string, bool) { return "https://" + name, name == "HOOK" }
	if text, err := team.Webhook.Reveal(lookup); text != "https://HOOK" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if !slices.Equal(team.Email, []string{"team@example.com", "ü@example.com"}) {
		t.Errorf("e-mail %q", team.Email)
	}
	if b := c.Notification.Teams["b"]; b.Webhook.IsZero() || !b.SlackWebhook.IsZero() || b.Email != nil {
		t.Errorf("b is %+v", b)
	}
	shown, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(shown), "hunter2") {
		t.Errorf("a webhook shows:\n%s", shown)
	}
	for _, want := range []string{"slack_webhook: '********' # file ", "env: HOOK", "file: /etc/hook", "email: [team@example.com"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if got := c.Source(`notification.teams."SRE.a \"x\"/é".webhook`); !strings.HasSuffix(got, ":5") {
		t.Errorf("the webhook is in %s", got)
	}
}

func TestRefusedNotifications(t *testing.T) {
	t.Parallel()
	const (
		hook    = "use a URL such as https://hooks.example.com/T0/B0/KEY"
		secret  = "use text in quotes, {env: NAME} or {file: PATH}"
		address = "use an e-mail address such as team@example.com"
	)
	for content, want := range map[string]string{
		"interval: 0s":                           `F:1: notification.interval: "0s" is not allowed: use a duration with its unit, such as 500ms, 30s or 5m, and at least 1s`,
		"every: 1h":                              "F:1: notification.every: unknown key: use interval, smtp or teams",
		"teams: [hunter2]":                       "F:1: notification.teams: a list is not allowed: use a mapping of teams to {slack_webhook, webhook, email}",
		"teams: {'': {}}":                        `F:1: notification.teams."": "" is not allowed as a team's name: use the owner of its registrations`,
		"teams: {a: hunter2}":                    "F:1: notification.teams.a: this text is not allowed: use a mapping of email, slack_webhook or webhook",
		"teams: {a: {'https://hunter2': x}}":     "F:1: notification.teams.a: an unknown key: use email, slack_webhook or webhook",
		"teams: {a: {slack: hunter2}}":           "F:1: notification.teams.a: an unknown key: use email, slack_webhook or webhook",
		"teams: {a: {slack_webhok: hunter2}}":    "F:1: notification.teams.a.slack_webhok: unknown key: did you mean slack_webhook?",
		"teams: {a: {webhook: hunter2}}":         "F:1: notification.teams.a.webhook: this text is not allowed: " + hook,
		"teams: {a: {webhook: ''}}":              "F:1: notification.teams.a.webhook: this text is not allowed: " + hook,
		"teams: {a: {webhook: 'ftp://hunter2'}}": "F:1: notification.teams.a.webhook: this text is not allowed: " + hook,
		"teams: {a: {webhook: 5}}":               "F:1: notification.teams.a.webhook: a number is not allowed: " + secret,
		"teams: {a: {webhook: [hunter2]}}":       "F:1: notification.teams.a.webhook: a list is not allowed: " + secret,
		"teams: {a: {webhook: {url: hunter2}}}":  "F:1: notification.teams.a.webhook: a mapping of other keys, or of several, is not allowed: " + secret,
		"teams: {a: {email: x@y}}":               `F:1: notification.teams.a.email: "********@y" is not allowed: use a list, each of it an e-mail address such as team@example.com`,
		"teams: {a: {email: [x]}}":               `F:1: notification.teams.a.email[0]: "x" is not allowed: ` + address,
		`teams: {a: {email: ["X <x@y>"]}}`:       `F:1: notification.teams.a.email[0]: "********@y>" is not allowed: ` + address,
		`teams: {a: {email: ["x@y\r\nBcc: z"]}}`: `F:1: notification.teams.a.email[0]: "********@y\r\nBcc: z" is not allowed: ` + address,
		"teams: {a: {email: [x@y]}}":             "F:1: notification.teams.a.email: needs a server that takes the mail: set notification.smtp.host",
		"smtp: {host: 'smtp://h'}":               `F:1: notification.smtp.host: "smtp://h" is not allowed: use a host name or an address, without scheme and port`,
		"smtp: {host: h}":                        "F:1: notification.smtp.from: is empty: mail needs a sender, such as kayra@example.com",
		"smtp: {from: kayra}":                    `F:1: notification.smtp.from: "kayra" is not allowed: use an e-mail address such as kayra@example.com or "Kayra <kayra@example.com>"`,
		"smtp: {port: 65536}":                    "F:1: notification.smtp.port: 65536 (a number) is not allowed: use a whole number from 0 to 65535",
		"smtp: {tls: maybe}":                     `F:1: notification.smtp.tls: "maybe" is not allowed: use starttls, implicit or none`,
		"smtp: {username: u}":                    "F:1: notification.smtp.username: username without password, or the other way round, is not allowed: use both or neither",
		"smtp: {password: hunter2}":              "F:1: notification.smtp.username: username without password, or the other way round, is not allowed: use both or neither",
		"smtp: {username: u, password: hunter2, tls: none}": `F:1: notification.smtp.tls: "none" is not allowed together with a password, ` +
			"which would cross the network in the clear: use starttls or implicit",
	} {
		t.Run(content, func(t *testing.T) {
			t.Parallel()
			if got, _, _ := strings.Cut(reject(t, fmt.Sprintf("notification: {%s}", content)), "\n"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
