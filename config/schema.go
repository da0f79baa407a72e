package config

import (
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// key is one setting: a text, a number, a duration, a boolean, a secret or a list of texts. Each can also be set by a
// variable or a flag.
type key struct {
	name   string
	def    any
	allows string   // what it may be, for people to read
	env    []string // variables that set it besides its own
	read   func(d *decoder, v value) any
}

// part is a piece of the file with a structure of its own: read puts it where it belongs, and hide masks what is secret
// in a copy of it.
type part struct {
	name string
	kind yaml.Kind // a mapping or a list
	read func(d *decoder, v value, c *Config)
	hide func(n *yaml.Node)
}

func settings() []key {
	return slices.Concat(serverSettings(), reconcilerSettings(), notificationSettings())
}

func serverSettings() []key {
	return []key{
		textKey("domain", "example.com", dnsName()),
		textKey("platform", "", dnsLabel(), "INFRAPI_APP_PLATFORM"),
		textKey("region", "", dnsLabel(), "INFRAPI_APP_REGION"),
		textKey("log.level", "info", oneOf("debug", "info", "warn", "error"), "INFRAPI_APP_LOG_LEVEL"),
		textKey("log.format", "text", oneOf("text", "json")),

		textKey("server.listen", "127.0.0.1:8080", address(), "INFRAPI_APP_LISTEN_ADDRESS"),
		textKey("server.tls.cert_file", "", anyText()),
		textKey("server.tls.key_file", "", anyText()),
		textKey("server.tls.client_ca_file", "", anyText()),
		numberKey("server.rate_limit", 0, 0, 1_000_000),
		textKey("server.audit_log", "", anyText()),

		textKey("database.backend", "local", oneOf("local", "etcd")),
		textKey("database.local.path", "kayra.db", filled("the path of a file")),
		durationKey("database.local.poll_interval", 20*time.Millisecond, time.Millisecond),
		listKey("database.etcd.endpoints", nil, etcdEndpoint()),
		textKey("database.etcd.prefix", "/kayra", keyPrefix()),
		textKey("database.etcd.username", "", anyText()),
		textKey("database.etcd.password_file", "", anyText()),
		textKey("database.etcd.ca_file", "", anyText()),
		textKey("database.etcd.cert_file", "", anyText()),
		textKey("database.etcd.key_file", "", anyText()),
		durationKey("database.etcd.lease_ttl", 15*time.Second, time.Second),

		textKey("auth.oidc.issuer", "", orEmpty(issuer())),
		textKey("auth.oidc.audience", "", anyText()),
		textKey("auth.oidc.user_claim", "sub", filled("the name of a claim")),
		textKey("auth.oidc.groups_claim", "groups", filled("the name of a claim")),
		textKey("auth.oidc.ca_file", "", anyText()),
		listKey("auth.sysadmins.users", nil, filled("the name of a user")),
		listKey("auth.sysadmins.groups", []string{"sysadmin"}, filled("the name of a group")),
	}
}

func reconcilerSettings() []key {
	return []key{
		textKey("reconciler.listen", "127.0.0.1:8081", address()),
		textKey("reconciler.tls.cert_file", "", anyText()),
		textKey("reconciler.tls.key_file", "", anyText()),
		textKey("reconciler.tls.client_ca_file", "", anyText()),
		textKey("reconciler.server.url", "", orEmpty(baseURL())),
		secretKey("reconciler.server.token"),
		textKey("reconciler.server.ca_file", "", anyText()),
		textKey("reconciler.server.cert_file", "", anyText()),
		textKey("reconciler.server.key_file", "", anyText()),
		numberKey("reconciler.max_concurrent_reconciles", 30, 1, 10_000),
		textKey("reconciler.default_mode", "", anyText()),
		textKey("reconciler.gateway_url", "", orEmpty(baseURL())),
		durationKey("reconciler.gateway.timeout", 10*time.Second, time.Nanosecond),
		textKey("reconciler.gateway.tls.ca_file", "", anyText()),
		textKey("reconciler.gateway.tls.cert_file", "", anyText()),
		textKey("reconciler.gateway.tls.key_file", "", anyText()),
		boolKey("reconciler.gateway.tls.insecure_skip_verify", false),
		listKey("reconciler.output_hosts", nil, outputHost()),
		durationKey("reconciler.drain_timeout", 30*time.Second, 0),
		durationKey("reconciler.async_ack_timeout", 2*time.Second, time.Nanosecond),
		durationKey("reconciler.wait_poll_interval", 5*time.Second, time.Nanosecond),

		textKey("client.server", "http://localhost:8080", baseURL()),
		secretKey("client.token"),
		textKey("client.ca_file", "", anyText()),
		textKey("client.cert_file", "", anyText()),
		textKey("client.key_file", "", anyText()),
		durationKey("client.timeout", 30*time.Second, time.Nanosecond),
		textKey("client.theme", "auto", oneOf("auto", "dark", "light", "mono", "contrast")),
	}
}

func parts() []part {
	tokens := func(d *decoder, v value, c *Config) { c.Auth.Tokens = d.tokens(v) }
	headers := func(d *decoder, v value, c *Config) { c.Reconciler.Gateway.Headers = d.headers(v) }
	modes := func(d *decoder, v value, c *Config) { c.Reconciler.Mode = d.modes(v) }
	operator := func(d *decoder, v value, c *Config) { c.Reconciler.Operator = d.operator(v) }
	teams := func(d *decoder, v value, c *Config) { c.Notification.Teams = d.teams(v) }
	return []part{
		{"auth.tokens", yaml.SequenceNode, tokens, hideTokens},
		{"reconciler.gateway.headers", yaml.MappingNode, headers, hideHeaders},
		{"reconciler.operator", yaml.MappingNode, operator, func(*yaml.Node) {}},
		{"reconciler.mode", yaml.MappingNode, modes, hideModes},
		{"notification.teams", yaml.MappingNode, teams, hideTeams},
	}
}

func orEmpty(r rule) rule {
	return rule{r.use, func(text string) bool { return text == "" || r.ok(text) }}
}
