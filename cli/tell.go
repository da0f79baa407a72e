package cli

import (
	"errors"
	"fmt"
	"log/slog"

	"kayra/notice"
	"kayra/server/auth"
	"kayra/tlsfiles"
)

// newServe makes a client of the REST API, which has teams told of what happens; nil where it is not said which API that
// is. The token is looked at now, so that one which is missing is known at the start, and again at each request.
func (r *reconcile) newServe(env lookup) (*notice.Client, error) {
	const key = "reconciler.server"
	c := r.config.Reconciler.Server
	if c.URL == "" || c.Token.IsZero() {
		if len(r.config.Notification.Teams) > 0 {
			r.log.Warn("no team is told of anything: notification.teams has some, but reconciler.server.url and reconciler.server.token do not both say how kayra serve is reached")
		}
		return nil, nil //nolint:nilnil // there is none
	}
	token, err := c.Token.Reveal(env)
	if err == nil && !auth.IsToken(token) {
		err = errors.New("it is no token: a token is one line, without spaces, and of visible ASCII characters only")
	}
	if err != nil {
		return nil, wrongKey(r.config, key+".token", err)
	}
	if auth.IsExposed(c.URL) {
		r.log.Warn("the token of reconciler.server crosses the network unencrypted: use https", slog.String("key", key+".url"))
	}
	files, err := tlsfiles.Client{CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile}.Config(r.log.With(slog.String("at", key)))
	if file, ok := errors.AsType[*tlsfiles.Error](err); ok {
		return nil, wrongKey(r.config, key+"."+file.Field, errors.New(file.Problem))
	}
	client, err := notice.NewClient(notice.Options{
		URL: c.URL, Token: func() (string, error) { return c.Token.Reveal(env) }, TLS: files, UserAgent: "kayra/" + readBuild().Version,
	})
	if err != nil {
		return nil, fmt.Errorf("reach %s.url: %w", key, err)
	}
	return client, nil
}
