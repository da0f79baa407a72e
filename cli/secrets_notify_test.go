package cli_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/emersion/go-smtp"

	"kayra/server/notify/smtptest"
	"kayra/tlsfiles/tlstest"
)

// teams have a secret in every place that a channel has for one, and none of them can be told of anything, each for a
// reason of its own. One that can be is at the end.
func (f *fortress) teams() string {
	app, host := f.app.URL, strings.TrimPrefix(f.app.URL, "http://")
	f.env = append(f.env, "IN_SLACK="+app+"/echo/"+f.plant("slack webhook from the environment"),
		"IN_HOST_OF_WEBHOOK=https://"+f.plant("host of a webhook")+".invalid/")
	f.plant("webhook from a file")
	file := tlstest.Write(f.t, f.dir, "webhook", []byte(app+"/redirect?k="+f.at["webhook from a file"]+"\n"))
	var b strings.Builder
	for team, channels := range map[string]string{
		"echoed":    fmt.Sprintf(`slack_webhook: {env: IN_SLACK}, webhook: "http://u:%s@%s/echo/?k=%s#%s"`, f.plant("userinfo of a webhook"), host, f.plant("query of a webhook"), f.plant("fragment of a webhook")),
		"moved":     fmt.Sprintf("webhook: {file: %q}", file),
		"malformed": fmt.Sprintf(`slack_webhook: "%s/malformed?k=%s"`, app, f.plant("query of a slack webhook")),
		"dead":      fmt.Sprintf(`slack_webhook: "http://127.0.0.1:1/%s"`, f.plant("path of a dead webhook")),
		"nowhere":   "webhook: {env: IN_HOST_OF_WEBHOOK}",
		"plain":     fmt.Sprintf(`webhook: "https://%s/%s"`, host, f.plant("path of a plain webhook")),
		"mailed":    "email: [ann@example.com]",
		"told":      fmt.Sprintf(`webhook: "%s/login?k=%s"`, app, f.plant("query of a webhook that works")),
	} {
		fmt.Fprintf(&b, "    %s: {%s}\n", team, channels)
	}
	return b.String()
}

// smtp has a mail server that refuses the password, and throws it back at whoever sends it.
func (f *fortress) smtp() string {
	ca := tlstest.New(f.t, "mail")
	password := f.plant("password of SMTP")
	server := smtptest.Start(f.t, smtptest.Options{
		TLS:      &tls.Config{Certificates: []tls.Certificate{ca.Certificate(tlstest.Leaf{})}, MinVersion: tls.VersionTLS12},
		Username: "kayra", Password: password,
		Refuse: func(command string) error {
			if command != "AUTH" {
				return nil
			}
			return &smtp.SMTPError{Code: 535, Message: "not " + password + ", " + f.at["answer of a mail server"]}
		},
	})
	f.plant("answer of a mail server")
	roots := tlstest.Write(f.t, f.dir, "mail-ca.pem", ca.PEM())
	f.env = append(f.env, "IN_SMTP="+password)
	return fmt.Sprintf("{host: %q, port: %d, from: kayra@example.com, username: kayra, password: {env: IN_SMTP}, ca_file: %q}", server.Host, server.Port, roots)
}

// tell has every team told of something.
func (f *fortress) tell(server string) {
	want := map[string][]string{
		"echoed": {"it answered 500", "it answered 500"}, "moved": {"it answered 307, a redirect, and none is followed: configure the address that it leads to"},
		"malformed": {"what it answered is not of the protocol"}, "dead": {"connection refused"}, "nowhere": {"its host name cannot be resolved"},
		"plain": {"it does not speak TLS"}, "mailed": {"it answered 535: it does not take the username and the password"}, "told": {},
	}
	var all sync.WaitGroup
	for team, errors := range want {
		all.Go(func() {
			status, text := f.ask("POST", server+"/notify", fmt.Sprintf(
				`{"team": %q, "event": "degraded", "api": "fine.example.com", "message": "m", "at": "2026-11-30T03:08:41Z"}`, team), f.root)
			var answer struct{ Failed []struct{ Error string } }
			if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusOK || len(answer.Failed) != len(errors) {
				f.t.Errorf("team %s: %d %s", team, status, text)
				return
			}
			for i, want := range errors {
				if got := answer.Failed[i].Error; got != want {
					f.t.Errorf("team %s: got %q, want %q", team, got, want)
				}
			}
		})
	}
	all.Wait()
}
