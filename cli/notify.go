package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"kayra/config"
	"kayra/server/auth"
	"kayra/server/notify"
	"kayra/tlsfiles"
)

// newNotifier makes what tells the teams. All secrets are looked at once, so that one which is missing is known at the
// start, and again whenever they are needed, so that they may be replaced.
func (s *serve) newNotifier(env lookup) (*notify.Notifier, error) {
	c := s.config.Notification
	teams := make(map[string]notify.Team, len(c.Teams))
	for _, name := range slices.Sorted(maps.Keys(c.Teams)) {
		team, key := c.Teams[name], config.KeyOf("notification.teams", name)
		slack, err := s.webhook(team.SlackWebhook, key+".slack_webhook", env)
		if err != nil {
			return nil, err
		}
		plain, err := s.webhook(team.Webhook, key+".webhook", env)
		if err != nil {
			return nil, err
		}
		teams[name] = notify.Team{SlackWebhook: slack, Webhook: plain, Email: team.Email}
	}
	smtp, err := s.smtp(env)
	if err != nil {
		return nil, err
	}
	n, err := notify.New(notify.Options{
		Teams: teams, SMTP: smtp, Platform: s.config.Platform, Region: s.config.Region, Version: readBuild().Version, Registry: s.registry,
	})
	if err != nil {
		return nil, fmt.Errorf("start notifications: %w", err)
	}
	return n, nil
}

// webhook is nil for one that is not set.
func (s *serve) webhook(url config.Secret, key string, env lookup) (notify.Secret, error) {
	if url.IsZero() {
		return nil, nil //nolint:nilnil // is one that is not set
	}
	text, err := url.Reveal(env)
	if err == nil {
		err = notify.CheckURL(text)
	}
	if err != nil {
		return nil, wrongKey(s.config, key, err)
	}
	if auth.IsExposed(text) {
		s.log.Warn("what a team is told crosses the network unencrypted, and so does the webhook's address: use https", slog.String("key", key))
	}
	return func() (string, error) { return url.Reveal(env) }, nil
}

func (s *serve) smtp(env lookup) (notify.SMTP, error) {
	c := s.config.Notification.SMTP
	out := notify.SMTP{Host: c.Host, Port: c.Port, From: c.From, Username: c.Username, Encryption: notify.Encryption(c.TLS)}
	if !c.Password.IsZero() {
		if _, err := c.Password.Reveal(env); err != nil {
			return out, wrongKey(s.config, "notification.smtp.password", err)
		}
		out.Password = func() (string, error) { return c.Password.Reveal(env) }
	}
	if c.CAFile == "" {
		return out, nil
	}
	var err error
	out.CA, err = tlsfiles.OpenCA(c.CAFile)
	if file, ok := errors.AsType[*tlsfiles.Error](err); ok {
		return out, wrongKey(s.config, "notification.smtp."+file.Field, errors.New(file.Problem))
	}
	return out, err //nolint:wrapcheck // is always the above
}
