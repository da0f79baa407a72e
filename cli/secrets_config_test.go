package cli_test

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fortress is a deployment with a secret in every place that can hold one.
type fortress struct {
	*plants

	t      *testing.T
	dir    string
	app    *hostileApp
	config string   // path of kayra.yaml
	env    []string // of every process
	root   string   // the token of a sysadmin

	tls, reconcilerTLS, clientTLS, oidc string            // what stands in the configuration under these
	trust                               *tls.Config       // of requests; nil: they are made in the clear
	jwts                                map[string]string // tokens of the issuer, and whether they are good
}

// modeOf has, for each registration, the pipeline that it is synced by: all of them fail but the one that is fine.
func (f *fortress) modes() map[string]string {
	app, host := f.app.URL, strings.TrimPrefix(f.app.URL, "http://")
	login := fmt.Sprintf(`- {method: post, endpoint: "%s/login", outputs: {Token: .token, URL: .url, Elsewhere: .elsewhere}}`, app)
	return map[string]string{
		"fine": fmt.Sprintf(`- {method: get, endpoint: "%s/login?key=%s", headers: {X-Key: %q}, outputs: {Token: .token}}`,
			app, f.plant("query of a step that succeeds"), f.plant("header of a step that succeeds")),
		"places": fmt.Sprintf(`- method: post
        endpoint: 'http://us:%s@%s/echo/{{ env "IN_PATH" }}?literal=%s&env={{ env "IN_QUERY" }}&file={{ file %q }}'
        headers:
          X-Literal: %q
          X-Typed: {type: Bearer, value: %q}
          X-Env: {value: {env: IN_HEADER}}
          Authorization: {type: Bearer, value: {file: %q}}
          X-Template: 'Key {{ env "IN_TEMPLATE" }} {{ file %q }}'
        data: {password: %q, nested: [{key: API_TOKEN, value: %q}], env: '{{ env "IN_DATA" }}', file: '{{ file %q }}'}`,
			f.plant("userinfo"), host, f.plant("query"), f.file(f.t, f.dir, "file in a query"),
			f.plant("header"), f.plant("typed header"), f.file(f.t, f.dir, "file in a header"), f.file(f.t, f.dir, "file in a template"),
			f.plant("data"), f.plant("nested data"), f.file(f.t, f.dir, "file in data")),
		"outputs": login + `
      - method: put
        endpoint: "` + app + `/echo/{{ .Previous.Outputs.Token }}?t={{ .Previous.Outputs.Token }}"
        headers: {Authorization: "Bearer {{ .Previous.Outputs.Token }}"}
        data: {token: "{{ .Previous.Outputs.Token }}"}`,
		"whole":     login + "\n      - {method: get, endpoint: \"{{ .Previous.Outputs.URL }}\"}",
		"elsewhere": login + "\n      - {method: get, endpoint: \"{{ .Previous.Outputs.Elsewhere }}\"}",
		"gone":      login + "\n      - {method: get, endpoint: \"" + app + "/echo/{{ .Previous.Outputs.Token }}/{{ .Previous.Outputs.Gone }}\"}",
		"redirect":  fmt.Sprintf(`- {method: post, endpoint: "%s/redirect", headers: {Authorization: %q}, data: {k: '{{ env "IN_DATA" }}'}}`, app, f.plant("header before a redirect")),
		"refused":   fmt.Sprintf(`- {method: get, endpoint: "http://us:%s@127.0.0.1:1/%s?k=%s#%s"}`, f.plant("userinfo of a dead host"), "x", f.plant("query of a dead host"), f.plant("fragment")),
		"nowhere":   `- {method: get, endpoint: 'http://{{ env "IN_HOST" }}.invalid/'}`,
		"plain":     fmt.Sprintf(`- {method: get, endpoint: "https://us:%s@%s/"}`, f.plant("userinfo of a plain host"), host),
		"malformed": fmt.Sprintf(`- {method: get, endpoint: "%s/malformed"}`, app),
		"broken":    `- {method: get, endpoint: "` + app + `/echo/x", headers: {X-Broken: {value: {env: IN_TWO_LINES}}}}`,
		"missing":   `- {method: get, endpoint: '` + app + `/echo/{{ env "IN_PATH" }}{{ env "NOT_SET" }}'}`,
		"awaited":   fmt.Sprintf(`- {method: get, endpoint: "%s/status?k=%s", timeout: 200ms, wait: [{key: .status, successes: [done]}]}`, app, f.plant("query of a wait")),
		"async":     login + "\n      - {method: post, async: true, endpoint: \"" + app + "/echo/{{ .Previous.Outputs.Token }}\"}\n      - {method: get, endpoint: \"" + app + "/echo/after\"}",
	}
}

// documents are registrations whose document cannot be had.
func documents() []string { return []string{"broken", "moved", "garbled"} }

// build writes the configuration. database is the value of that key.
func (f *fortress) build(database string) {
	f.root = f.plant("token in the file")
	f.env = append(f.env,
		"KAYRA_CONFIG="+f.config, "TOKEN_OF_ENV="+f.plant("token in the environment"), "GORACE=atexit_sleep_ms=0", "PATH="+os.Getenv("PATH"), "HOME="+f.dir,
		"IN_PATH="+f.plant("path"), "IN_QUERY="+f.plant("query from the environment"), "IN_HEADER="+f.plant("header from the environment"),
		"IN_TEMPLATE="+f.plant("template"), "IN_DATA="+f.plant("data from the environment"), "IN_HOST="+f.plant("host"),
		"IN_TWO_LINES="+f.plant("first line")+"\n"+f.plant("second line"), "IN_GATEWAY="+f.plant("gateway header from the environment"))
	host := strings.TrimPrefix(f.app.URL, "http://")
	var modes strings.Builder
	for name, steps := range f.modes() {
		fmt.Fprintf(&modes, "    %s:\n      %s\n", name, steps)
	}
	text := fmt.Sprintf(`platform: sandbox
region: eu-west-1
log: {level: debug}
server: {listen: "127.0.0.1:0", audit_log: %q, tls: {%s}}
database: %s
auth:
  oidc: {%s}
  tokens:
    - {user: root, groups: [sysadmin], token: %q}
    - {user: env, groups: [a], token: {env: TOKEN_OF_ENV}}
    - {user: file, groups: [b], token: {file: %q}}
    - {user: digest, groups: [sysadmin], token: {sha256: %s}}
reconciler:
  listen: "127.0.0.1:0"
  tls: {%s}
  server: {url: "http://us:%s@%s", token: %q}
  gateway_url: "http://gate:%s@%s"
  gateway:
    headers:
      X-Literal: %q
      Authorization: {type: Bearer, value: {env: IN_GATEWAY}}
      X-File: {value: {file: %q}}
  wait_poll_interval: 20ms
  mode:
%s
client: {token: %q, %s}
notification:
  smtp: %s
  teams:
%s`, filepath.Join(f.dir, "audit.log"), f.tls, database, f.oidc, f.root, f.file(f.t, f.dir, "token in a file of its own"), f.digest("token that logs in"), f.reconcilerTLS,
		f.plant("userinfo of the reconciler's server"), host, f.plant("token of a reconciler"), f.plant("gateway userinfo"), host,
		f.plant("gateway header"), f.file(f.t, f.dir, "gateway header from a file"), modes.String(), f.root, f.clientTLS, f.smtp(), f.teams())
	if err := os.WriteFile(f.config, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// digest is that of the secret of a place, which is not to be seen either.
func (f *fortress) digest(place string) string {
	digest := sha256.Sum256([]byte(f.plant(place)))
	text := hex.EncodeToString(digest[:])
	f.note("digest of the "+place, text)
	return text
}
