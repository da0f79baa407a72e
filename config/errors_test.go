package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kayra/config"
)

// reject loads a file that must be refused, and gives the error without the path.
func reject(t *testing.T, content string, env ...string) string {
	t.Helper()
	path := write(t, content)
	c, warnings, err := config.Load(config.Options{Path: path, Env: env})
	if err == nil {
		t.Fatal("accepted")
	}
	if _, ok := errors.AsType[*config.Error](err); !ok || c != nil || warnings != nil {
		t.Fatalf("a %T with %v, %v", err, c, warnings)
	}
	return strings.ReplaceAll(err.Error(), path, "F")
}

func TestRefusedKeys(t *testing.T) {
	t.Parallel()
	const addr = "use an address HOST:PORT such as 127.0.0.1:8080 or :8080"
	const url = "use a URL such as https://gateway.example.com, without query and fragment"
	const dur = "use a duration with its unit, such as 500ms, 30s or 5m"
	const label = "use a DNS label such as eu-west-1: at most 63 of a-z, 0-9 and inner dashes"
	const issuer = "use a URL such as https://login.example.com, without user, query and fragment"
	const pair = "cert_file without key_file, or the other way round, is not allowed: use both or neither"
	const alone = "client_ca_file without cert_file and key_file is not allowed: clients are asked for a certificate over TLS only"
	const etcd = "use HOST:PORT, http://HOST:PORT or https://HOST:PORT (username and password_file are keys of their own)"
	for content, want := range map[string]string{
		"domian: x":    "F:1: domian: unknown key: did you mean domain?",
		"Domain: x":    "F:1: Domain: unknown key: did you mean domain?",
		"zzzzzzz: x":   "F:1: zzzzzzz: unknown key: use auth, client, database, domain, log, notification, platform, reconciler, region or server",
		"a.b c: x":     `F:1: "a.b c": unknown key: use auth, client, database, domain, log, notification, platform, reconciler, region or server`,
		"log.level: x": `F:1: "log.level": unknown key: use auth, client, database, domain, log, notification, platform, reconciler, region or server`,
		"\n\ndatabase:\n  etcd:\n    lease-ttl: 5s": "F:5: database.etcd.lease-ttl: unknown key: did you mean lease_ttl?",
		"operator: {}":                       "F:1: operator: unknown key: use auth, client, database, domain, log, notification, platform, reconciler, region or server",
		"- a":                                "F:1: a list is not allowed: use a mapping of auth, client, database, domain, log, notification, platform, reconciler, region or server",
		"log: [a]":                           "F:1: log: a list is not allowed: use a mapping of format or level",
		"log: info":                          `F:1: log: "info" is not allowed: use a mapping of format or level`,
		"domain: [a]":                        "F:1: domain: a list is not allowed: use a DNS name such as example.com, in lower case",
		"domain: a..b":                       `F:1: domain: "a..b" is not allowed: use a DNS name such as example.com, in lower case`,
		"domain: ''":                         `F:1: domain: "" is not allowed: use a DNS name such as example.com, in lower case`,
		"platform: 5":                        "F:1: platform: 5 (a number) is not allowed: use text, with quotes around it",
		"platform: true":                     "F:1: platform: true (a boolean) is not allowed: use text, with quotes around it",
		"region: EU":                         `F:1: region: "EU" is not allowed: ` + label,
		"region: -a":                         `F:1: region: "-a" is not allowed: ` + label,
		"region: " + strings.Repeat("a", 64): `F:1: region: "` + strings.Repeat("a", 64) + `" is not allowed: ` + label,
		"region: " + strings.Repeat("é", 99): `F:1: region: "` + strings.Repeat("é", 80) + `…" is not allowed: ` + label,

		"log: {level: loud}":                            `F:1: log.level: "loud" is not allowed: use debug, info, warn or error`,
		"log: {format: yaml}":                           `F:1: log.format: "yaml" is not allowed: use text or json`,
		"server: {listen: 8080}":                        "F:1: server.listen: 8080 (a number) is not allowed: " + addr,
		"server: {listen: localhost}":                   `F:1: server.listen: "localhost" is not allowed: ` + addr,
		"server: {listen: ':65536'}":                    `F:1: server.listen: ":65536" is not allowed: ` + addr,
		"server: {listen: ':http'}":                     `F:1: server.listen: ":http" is not allowed: ` + addr,
		"server: {listen: 'a b:1'}":                     `F:1: server.listen: "a b:1" is not allowed: ` + addr,
		"server: {listen: ''}":                          `F:1: server.listen: "" is not allowed: ` + addr,
		"reconciler: {listen: 'http://a:1'}":            `F:1: reconciler.listen: "http://a:1" is not allowed: ` + addr,
		"server: {tls: {cert_file: a}}":                 "F:1: server.tls.cert_file: " + pair,
		"server: {tls:\n {key_file: a}}":                "F:1: server.tls.cert_file: " + pair,
		"server:\n tls: {client_ca_file: a}":            "F:2: server.tls.client_ca_file: " + alone,
		"reconciler: {server: {url: a}}":                "F:1: reconciler.server.url: \"a\" is not allowed: use a URL such as https://gateway.example.com, without query and fragment",
		"reconciler: {server: {token: 3}}":              "F:1: reconciler.server.token: a number is not allowed: use text in quotes, {env: NAME} or {file: PATH}",
		"reconciler: {server: {token: {sha256: a}}}":    "F:1: reconciler.server.token: a mapping of other keys, or of several, is not allowed: use text in quotes, {env: NAME} or {file: PATH}",
		"reconciler: {operator: [a]}":                   "F:1: reconciler.operator: a list is not allowed: use a mapping, as operator of an API registration",
		"reconciler: {operator: 3}":                     "F:1: reconciler.operator: 3 (a number) is not allowed: use a mapping, as operator of an API registration",
		"reconciler: {operator: {resync: .nan}}":        "F:1: reconciler.operator.resync: .nan (a number) is not allowed: use a number that JSON can express",
		"reconciler: {operator: {retry: {a: 1, a: 2}}}": "F:1: reconciler.operator.retry.a: is given twice, first in line 1",
		"reconciler: {tls: {cert_file: a}}":             "F:1: reconciler.tls.cert_file: " + pair,
		"reconciler: {tls: {client_ca_file: a}}":        "F:1: reconciler.tls.client_ca_file: " + alone,
		"reconciler: {server: {key_file: a}}":           "F:1: reconciler.server.cert_file: " + pair,
		"client: {key_file: a}":                         "F:1: client.cert_file: " + pair,
		"server: {tls: {ca_file: a}}":                   "F:1: server.tls.ca_file: unknown key: use cert_file, client_ca_file or key_file",
		"server: {rate_limit: -1}":                      "F:1: server.rate_limit: -1 (a number) is not allowed: use a whole number from 0 to 1000000",
		"server: {rate_limit: 0.5}":                     "F:1: server.rate_limit: 0.5 (a number) is not allowed: use a whole number from 0 to 1000000",
		"server: {audit_log: true}":                     "F:1: server.audit_log: true (a boolean) is not allowed: use text, with quotes around it",
		"auth: {oidc: {issuer: 'https://a'}}":           "F:1: auth.oidc.issuer: an issuer without an audience is not allowed, since a token for any of its clients would be accepted: set auth.oidc.audience",
		"auth: {oidc: {audience: a}}":                   "F:1: auth.oidc.audience: an audience without an issuer is not allowed: set auth.oidc.issuer, or leave both empty",
		"auth: {oidc: {issuer: a}}":                     `F:1: auth.oidc.issuer: "a" is not allowed: ` + issuer,
		"auth: {oidc: {issuer: 'ldap://a'}}":            `F:1: auth.oidc.issuer: "ldap://a" is not allowed: ` + issuer,
		"auth: {oidc: {issuer: 'https://a?b=c'}}":       `F:1: auth.oidc.issuer: "https://a?b=********" is not allowed: ` + issuer,
		"auth: {oidc: {issuer: 'https://a#'}}":          `F:1: auth.oidc.issuer: "https://a#********" is not allowed: ` + issuer,
		"auth: {oidc: {issuer: 'https://u:hunter2@a'}}": `F:1: auth.oidc.issuer: "********@a" is not allowed: ` + issuer,
		"auth: {oidc: {user_claim: ''}}":                `F:1: auth.oidc.user_claim: "" is not allowed: use the name of a claim`,
		"auth: {oidc: {groups_claim: ''}}":              `F:1: auth.oidc.groups_claim: "" is not allowed: use the name of a claim`,
		"auth: {oidc: {user-claim: a}}":                 "F:1: auth.oidc.user-claim: unknown key: did you mean user_claim?",

		"database: {backend: mysql}":                              `F:1: database.backend: "mysql" is not allowed: use local or etcd`,
		"database: {backend: etcd}":                               "F:1: database.etcd.endpoints: is empty: backend etcd needs at least one, such as http://127.0.0.1:2379",
		"database: {local: {path: ''}}":                           `F:1: database.local.path: "" is not allowed: use the path of a file`,
		"database: {local: {poll_interval: 20}}":                  "F:1: database.local.poll_interval: 20 (a number) is not allowed: " + dur + ", and at least 1ms",
		"database: {local: {poll_interval: 1us}}":                 `F:1: database.local.poll_interval: "1us" is not allowed: ` + dur + ", and at least 1ms",
		"database: {etcd: {lease_ttl: 500ms}}":                    `F:1: database.etcd.lease_ttl: "500ms" is not allowed: ` + dur + ", and at least 1s",
		"database: {etcd: {prefix: kayra}}":                       `F:1: database.etcd.prefix: "kayra" is not allowed: use a prefix such as /kayra: parts of letters, digits, dots, dashes and underscores, each after a slash`,
		"database: {etcd: {prefix: /a/}}":                         `F:1: database.etcd.prefix: "/a/" is not allowed: use a prefix such as /kayra: parts of letters, digits, dots, dashes and underscores, each after a slash`,
		"database: {etcd: {endpoints: 'a:1'}}":                    `F:1: database.etcd.endpoints: "a:1" is not allowed: use a list, each of it ` + etcd[len("use "):],
		"database: {etcd: {endpoints: [a:1,\n b]}}":               `F:2: database.etcd.endpoints[1]: "b" is not allowed: ` + etcd,
		"database: {etcd: {endpoints: [ftp://a:1]}}":              `F:1: database.etcd.endpoints[0]: "ftp://a:1" is not allowed: ` + etcd,
		"database: {etcd: {endpoints: ['http://u:hunter2@b:1']}}": `F:1: database.etcd.endpoints[0]: "********@b:1" is not allowed: ` + etcd,
		"database: {etcd: {endpoints: ['a:hunter2@b']}}":          `F:1: database.etcd.endpoints[0]: "********@b" is not allowed: ` + etcd,
		"database: {etcd: {username: a}}":                         "F:1: database.etcd.username: username without password_file, or the other way round, is not allowed: use both or neither",
		"database: {etcd: {key_file: a}}":                         "F:1: database.etcd.cert_file: " + pair,

		"reconciler: {max_concurrent_reconciles: 0}":                      "F:1: reconciler.max_concurrent_reconciles: 0 (a number) is not allowed: use a whole number from 1 to 10000",
		"reconciler: {max_concurrent_reconciles: 1.5}":                    "F:1: reconciler.max_concurrent_reconciles: 1.5 (a number) is not allowed: use a whole number from 1 to 10000",
		"reconciler: {max_concurrent_reconciles: '3'}":                    `F:1: reconciler.max_concurrent_reconciles: "3" is not allowed: use a whole number from 1 to 10000`,
		"reconciler: {max_concurrent_reconciles: 99999999999999999999}":   "F:1: reconciler.max_concurrent_reconciles: 99999999999999999999 (a number) is not allowed: use a whole number from 1 to 10000",
		"reconciler: {gateway_url: gw}":                                   `F:1: reconciler.gateway_url: "gw" is not allowed: ` + url,
		"reconciler: {gateway_url: 'https://u:hunter2@gw?token=hunter2'}": `F:1: reconciler.gateway_url: "********@gw?token=********" is not allowed: ` + url,
		"reconciler: {gateway_url: 'https://u:hun/ter2@gw'}":              `F:1: reconciler.gateway_url: "********@gw" is not allowed: ` + url,
		"reconciler: {gateway: {timeout: 0s}}":                            `F:1: reconciler.gateway.timeout: "0s" is not allowed: ` + dur + ", and more than 0",
		"reconciler: {gateway: {tls: {cert_file: a}}}":                    "F:1: reconciler.gateway.tls.cert_file: " + pair,
		"reconciler: {gateway: {tls: {insecure_skip_verify: yes}}}":       `F:1: reconciler.gateway.tls.insecure_skip_verify: "yes" is not allowed: use true or false`,
		"reconciler: {output_hosts: ['https://a']}":                       `F:1: reconciler.output_hosts[0]: "https://a" is not allowed: use HOST or HOST:PORT, without scheme and path`,
		"reconciler: {drain_timeout: -1s}":                                `F:1: reconciler.drain_timeout: "-1s" is not allowed: ` + dur,
		"reconciler: {drain_timeout: soon}":                               `F:1: reconciler.drain_timeout: "soon" is not allowed: ` + dur,
		"reconciler: {async_ack_timeout: 5}":                              "F:1: reconciler.async_ack_timeout: 5 (a number) is not allowed: " + dur + ", and more than 0",
		"client: {server: 'localhost:8080'}":                              `F:1: client.server: "localhost:8080" is not allowed: ` + url,
		"client: {theme: pink}":                                           `F:1: client.theme: "pink" is not allowed: use auto, dark, light, mono or contrast`,
		"client: {timeout: 0s}":                                           `F:1: client.timeout: "0s" is not allowed: ` + dur + ", and more than 0",
		"client: {token: 5}":                                              "F:1: client.token: a number is not allowed: use text in quotes, {env: NAME} or {file: PATH}",
		"client: {token: {sha256: a}}":                                    "F:1: client.token: a mapping of other keys, or of several, is not allowed: use text in quotes, {env: NAME} or {file: PATH}",
	} {
		t.Run(content, func(t *testing.T) {
			t.Parallel()
			want, _, _ := strings.Cut(want, "\n")
			if got, _, _ := strings.Cut(reject(t, content), "\n"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// What is empty is as good as left out.
func TestEmptyMappings(t *testing.T) {
	t.Parallel()
	load(t, `
reconciler: {server: {url: "", token: {}}, operator: {}, mode: {}, gateway: {headers: {}, tls: {}}}
notification: {teams: {}, smtp: {host: "", from: "", username: "", password: ""}}
`)
	load(t, "notification: {}")
}

func TestRefusedSyntax(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"domain: a\nlog: x: y\n":           "F:2: not valid YAML: mapping values are not allowed in this context",
		"log:\n\tlevel: info\n":            "F:2: not valid YAML: found character that cannot start any token",
		"domain: a\nlog: {level: info\n\n": "F:2: not valid YAML: did not find expected ',' or '}'",
		"log:\n  level: x\n format: y\n":   "F:3: not valid YAML: did not find expected key",
		"a: \"\\q\"":                       "F:1: not valid YAML: found unknown escape character",
		"a: 1\nb: \"x\x01\"":               "F:2: not valid YAML: only UTF-8 without control characters is allowed",
		"a: 1\nb: \xff":                    "F:2: not valid YAML: only UTF-8 without control characters is allowed",
		"a: 1\nclient: {token: *hunter2}":  "F:2: not valid YAML: text that begins with * must be in quotes, unless it is an alias of an anchor",
		"domain: a\n---\ndomain: b":        "F:2: a second document is not allowed: use one",
		"domain: a\n---\n[":                "F:3: not valid YAML: did not find expected node content",
		"domain: a\nlog: {}\ndomain: b":    "F:3: domain: is given twice, first in line 1",
		"log: {level: info, level: warn}":  "F:1: log.level: is given twice, first in line 1",
		"5: a":                             "F:1: 5 (a number) is not allowed as a key: use text, in quotes if need be",
		"log: {true: a}":                   "F:1: log: true (a boolean) is not allowed as a key: use text, in quotes if need be",
		"log: {? [a] : b}":                 "F:1: log: a list is not allowed as a key: use text, in quotes if need be",
		"log: {null: a}":                   "F:1: log: null is not allowed as a key: use text, in quotes if need be",
		"domain: !!binary aGk=":            "F:1: domain: this tag is not allowed: use text, numbers, true, false, null, lists and mappings",
		"log: !hunter2 {}":                 "F:1: log: this tag is not allowed: use text, numbers, true, false, null, lists and mappings",
		"log: &a [*a]":                     "F:1: too much: at most 64 levels and 100000 values are allowed",
		"log: {<<: info}":                  `F:1: log.<<: "info" is not allowed: use an alias of a mapping`,
	} {
		t.Run(content, func(t *testing.T) {
			t.Parallel()
			if got, _, _ := strings.Cut(reject(t, content), "\n"); strings.ReplaceAll(got, `"<<"`, "<<") != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestAliasesDoNotExplode(t *testing.T) {
	t.Parallel()
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	if got := reject(t, bomb.String()); !strings.Contains(got, "too much") || strings.Contains(got, "\n") {
		t.Errorf("%.300s", got)
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	got := reject(t, `domian: x
log: {level: loud, format: []}
reconciler:
  mode:
    trigger:
      - {method: get, endpoint: http://a}
      - method: get
        timeout: 30
server: {listen: x}
log: {}
`, "KAYRA_REGION=EU", "KAYRA_CLIENT_TIMEOUT=30", "KAYRA_RECONCILER_MAX_CONCURRENT_RECONCILES=many", "KAYRA_RECONCILER_OUTPUT_HOSTS=a,,b")
	want := []string{
		"env KAYRA_REGION: region: ", "env KAYRA_RECONCILER_MAX_CONCURRENT_RECONCILES: reconciler.max_concurrent_reconciles: \"many\"",
		`env KAYRA_RECONCILER_OUTPUT_HOSTS: reconciler.output_hosts[1]: ""`, `env KAYRA_CLIENT_TIMEOUT: client.timeout: "30" is`,
		"F:1: domian: ", "F:2: log.level: ", "F:2: log.format: ", "F:7: reconciler.mode.trigger[1]: endpoint is missing",
		"F:8: reconciler.mode.trigger[1].timeout: 30 (a number) is not allowed: use a duration", "F:9: server.listen: ", "F:10: log: is given twice",
	}
	lines := strings.Split(got, "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), got)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("line %d is\n%s\nwant\n%s", i, line, want[i])
		}
	}
}

func TestMistakeInFlag(t *testing.T) {
	t.Parallel()
	_, _, err := config.Load(config.Options{
		Path: write(t, ""), Flags: map[string]string{"server.listen": "x", "database.backend": "etcd"},
		FlagNames: map[string]string{"server.listen": "listen", "database.backend": "backend"},
	})
	if err == nil || !strings.HasPrefix(err.Error(), `flag --listen: server.listen: "x" is not allowed: use an address`) {
		t.Errorf("%v", err)
	}
}
