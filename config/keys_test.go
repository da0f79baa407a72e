package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/config"

	"go.yaml.in/yaml/v3"
)

// setting is a key with a value other than its default.
type setting struct {
	key  string
	text string // as a variable or a flag has it
	get  func(*config.Config) any
	want any
}

func every() []setting {
	type c = config.Config
	return []setting{
		{"domain", "corp.example.org", func(c *c) any { return c.Domain }, "corp.example.org"},
		{"platform", "2", func(c *c) any { return c.Platform }, "2"},
		{"region", "007", func(c *c) any { return c.Region }, "007"},
		{"log.level", "debug", func(c *c) any { return c.Log.Level }, "debug"},
		{"log.format", "json", func(c *c) any { return c.Log.Format }, "json"},
		{"server.listen", ":0", func(c *c) any { return c.Server.Listen }, ":0"},
		{"server.tls.cert_file", "cert", func(c *c) any { return c.Server.TLS.CertFile }, "cert"},
		{"server.tls.key_file", "key", func(c *c) any { return c.Server.TLS.KeyFile }, "key"},
		{"server.tls.client_ca_file", "ca", func(c *c) any { return c.Server.TLS.ClientCAFile }, "ca"},
		{"server.rate_limit", "50", func(c *c) any { return c.Server.RateLimit }, 50},
		{"server.audit_log", "-", func(c *c) any { return c.Server.AuditLog }, "-"},
		{"database.backend", "etcd", func(c *c) any { return c.Database.Backend }, "etcd"},
		{"database.local.path", "/var/lib/Kayra.db", func(c *c) any { return c.Database.Local.Path }, "/var/lib/Kayra.db"},
		{"database.local.poll_interval", "1s", func(c *c) any { return c.Database.Local.PollInterval }, time.Second},
		{"database.etcd.endpoints", "a:1, https://[::1]:2", func(c *c) any { return c.Database.Etcd.Endpoints }, []string{"a:1", "https://[::1]:2"}},
		{"database.etcd.prefix", "/team/kayra", func(c *c) any { return c.Database.Etcd.Prefix }, "/team/kayra"},
		{"database.etcd.username", "Ann", func(c *c) any { return c.Database.Etcd.Username }, "Ann"},
		{"database.etcd.password_file", "pw", func(c *c) any { return c.Database.Etcd.PasswordFile }, "pw"},
		{"database.etcd.ca_file", "ca", func(c *c) any { return c.Database.Etcd.CAFile }, "ca"},
		{"database.etcd.cert_file", "cert", func(c *c) any { return c.Database.Etcd.CertFile }, "cert"},
		{"database.etcd.key_file", "key", func(c *c) any { return c.Database.Etcd.KeyFile }, "key"},
		{"database.etcd.lease_ttl", "5s", func(c *c) any { return c.Database.Etcd.LeaseTTL }, 5 * time.Second},
		{"auth.oidc.issuer", "https://login/Realm/", func(c *c) any { return c.Auth.OIDC.Issuer }, "https://login/Realm/"},
		{"auth.oidc.audience", "kayra", func(c *c) any { return c.Auth.OIDC.Audience }, "kayra"},
		{"auth.oidc.user_claim", "email", func(c *c) any { return c.Auth.OIDC.UserClaim }, "email"},
		{"auth.oidc.groups_claim", "Roles", func(c *c) any { return c.Auth.OIDC.GroupsClaim }, "Roles"},
		{"auth.oidc.ca_file", "ca", func(c *c) any { return c.Auth.OIDC.CAFile }, "ca"},
		{"auth.sysadmins.users", "Ann,bob", func(c *c) any { return c.Auth.Sysadmins.Users }, []string{"Ann", "bob"}},
		{"auth.sysadmins.groups", "Ops", func(c *c) any { return c.Auth.Sysadmins.Groups }, []string{"Ops"}},
		{"reconciler.listen", "[::1]:9", func(c *c) any { return c.Reconciler.Listen }, "[::1]:9"},
		{"reconciler.tls.cert_file", "cert", func(c *c) any { return c.Reconciler.TLS.CertFile }, "cert"},
		{"reconciler.tls.key_file", "key", func(c *c) any { return c.Reconciler.TLS.KeyFile }, "key"},
		{"reconciler.tls.client_ca_file", "ca", func(c *c) any { return c.Reconciler.TLS.ClientCAFile }, "ca"},
		{"reconciler.server.url", "https://kayra/base", func(c *c) any { return c.Reconciler.Server.URL }, "https://kayra/base"},
		{"reconciler.server.ca_file", "r", func(c *c) any { return c.Reconciler.Server.CAFile }, "r"},
		{"reconciler.server.cert_file", "r", func(c *c) any { return c.Reconciler.Server.CertFile }, "r"},
		{"reconciler.server.key_file", "r", func(c *c) any { return c.Reconciler.Server.KeyFile }, "r"},
		{"reconciler.server.token", "13", func(c *c) any { text, _ := c.Reconciler.Server.Token.Literal(); return text }, "13"},
		{"reconciler.max_concurrent_reconciles", "7", func(c *c) any { return c.Reconciler.MaxConcurrentReconciles }, 7},
		{"reconciler.default_mode", "My.Mode", func(c *c) any { return c.Reconciler.DefaultMode }, "My.Mode"},
		{"reconciler.gateway_url", "https://gw/base", func(c *c) any { return c.Reconciler.GatewayURL }, "https://gw/base"},
		{"reconciler.gateway.timeout", "3s", func(c *c) any { return c.Reconciler.Gateway.Timeout }, 3 * time.Second},
		{"reconciler.gateway.tls.ca_file", "ca", func(c *c) any { return c.Reconciler.Gateway.TLS.CAFile }, "ca"},
		{"reconciler.gateway.tls.cert_file", "cert", func(c *c) any { return c.Reconciler.Gateway.TLS.CertFile }, "cert"},
		{"reconciler.gateway.tls.key_file", "key", func(c *c) any { return c.Reconciler.Gateway.TLS.KeyFile }, "key"},
		{"reconciler.gateway.tls.insecure_skip_verify", "true", func(c *c) any { return c.Reconciler.Gateway.TLS.InsecureSkipVerify }, true},
		{"reconciler.output_hosts", "a,b:80", func(c *c) any { return c.Reconciler.OutputHosts }, []string{"a", "b:80"}},
		{"reconciler.drain_timeout", "0s", func(c *c) any { return c.Reconciler.DrainTimeout }, time.Duration(0)},
		{"reconciler.async_ack_timeout", "300ms", func(c *c) any { return c.Reconciler.AsyncAckTimeout }, 300 * time.Millisecond},
		{"reconciler.wait_poll_interval", "200ms", func(c *c) any { return c.Reconciler.WaitPollInterval }, 200 * time.Millisecond},
		{"client.server", "https://kayra:1", func(c *c) any { return c.Client.Server }, "https://kayra:1"},
		{"client.token", "12", func(c *c) any { text, _ := c.Client.Token.Literal(); return text }, "12"},
		{"client.ca_file", "ca", func(c *c) any { return c.Client.CAFile }, "ca"},
		{"client.cert_file", "cert", func(c *c) any { return c.Client.CertFile }, "cert"},
		{"client.key_file", "key", func(c *c) any { return c.Client.KeyFile }, "key"},
		{"client.timeout", "1m", func(c *c) any { return c.Client.Timeout }, time.Minute},
		{"client.theme", "contrast", func(c *c) any { return c.Client.Theme }, "contrast"},
		{"notification.interval", "1h0m0s", func(c *c) any { return c.Notification.Interval }, time.Hour},
		{"notification.smtp.host", "mail", func(c *c) any { return c.Notification.SMTP.Host }, "mail"},
		{"notification.smtp.port", "2525", func(c *c) any { return c.Notification.SMTP.Port }, 2525},
		{"notification.smtp.from", "Kayra <k@corp>", func(c *c) any { return c.Notification.SMTP.From }, "Kayra <k@corp>"},
		{"notification.smtp.username", "Kayra", func(c *c) any { return c.Notification.SMTP.Username }, "Kayra"},
		{"notification.smtp.password", "12", func(c *c) any { text, _ := c.Notification.SMTP.Password.Literal(); return text }, "12"},
		{"notification.smtp.tls", "implicit", func(c *c) any { return c.Notification.SMTP.TLS }, "implicit"},
		{"notification.smtp.ca_file", "ca", func(c *c) any { return c.Notification.SMTP.CAFile }, "ca"},
	}
}

func variable(key string) string {
	return "KAYRA_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// document writes the settings as a file would have them.
func document(t *testing.T, all []setting) string {
	t.Helper()
	root := map[string]any{}
	for _, s := range all {
		at, path := root, strings.Split(s.key, ".")
		for _, name := range path[:len(path)-1] {
			if at[name] == nil {
				at[name] = map[string]any{}
			}
			at = at[name].(map[string]any)
		}
		at[path[len(path)-1]] = s.want
		if d, ok := s.want.(time.Duration); ok {
			at[path[len(path)-1]] = d.String()
		}
	}
	content, err := yaml.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestEveryKeyFromEverySource(t *testing.T) {
	t.Parallel()
	all := every()
	var env []string
	flags, names := map[string]string{}, map[string]string{}
	for _, s := range all {
		env = append(env, variable(s.key)+"="+s.text)
		flags[s.key], names[s.key] = s.text, "x-"+s.key
	}
	empty := write(t, "")
	for from, o := range map[string]config.Options{
		"file ":   {Path: write(t, document(t, all))},
		"env ":    {Path: empty, Env: env},
		"flag --": {Path: empty, Flags: flags, FlagNames: names},
	} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			c, warnings, err := config.Load(o)
			if err != nil || len(warnings) > 0 {
				t.Fatalf("Load: %v, warnings %v", err, warnings)
			}
			for _, s := range all {
				if got := s.get(c); !reflect.DeepEqual(got, s.want) {
					t.Errorf("%s = %v, want %v", s.key, got, s.want)
				}
				if got := c.Source(s.key); !strings.HasPrefix(got, from) {
					t.Errorf("source of %s is %q, want %s…", s.key, got, from)
				}
			}
		})
	}
}

func TestNoKeyIsForgotten(t *testing.T) {
	t.Parallel()
	c, _ := load(t, "")
	var keys []string
	for _, s := range every() {
		keys = append(keys, s.key)
	}
	for _, s := range c.Settings() {
		part := slices.Contains([]string{"auth.tokens", "reconciler.mode", "reconciler.operator", "reconciler.gateway.headers", "notification.teams"}, s.Key)
		if !part && !slices.Contains(keys, s.Key) {
			t.Errorf("%s is not tested from every source", s.Key)
		}
		if s.Source != "default" {
			t.Errorf("source of %s is %q", s.Key, s.Source)
		}
	}
	if len(c.Settings()) != len(keys)+5 {
		t.Errorf("%d settings, want %d", len(c.Settings()), len(keys)+5)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, _ := load(t, "domain:\n") // null counts as left out
	want := map[string]any{
		"domain": "example.com", "log.level": "info", "log.format": "text", "server.listen": "127.0.0.1:8080",
		"database.backend": "local", "database.local.path": "kayra.db", "database.local.poll_interval": 20 * time.Millisecond,
		"database.etcd.prefix": "/kayra", "database.etcd.lease_ttl": 15 * time.Second,
		"auth.oidc.user_claim": "sub", "auth.oidc.groups_claim": "groups",
		"auth.sysadmins.groups": []string{"sysadmin"}, "reconciler.listen": "127.0.0.1:8081",
		"reconciler.max_concurrent_reconciles": 30, "reconciler.gateway.timeout": 10 * time.Second,
		"reconciler.drain_timeout": 30 * time.Second, "reconciler.async_ack_timeout": 2 * time.Second,
		"reconciler.wait_poll_interval": 5 * time.Second, "client.server": "http://localhost:8080", "client.timeout": 30 * time.Second, "client.theme": "auto",
		"notification.interval": 15 * time.Minute, "notification.smtp.tls": "starttls",
	}
	for _, s := range every() {
		got := s.get(c)
		if v, ok := want[s.key]; ok && !reflect.DeepEqual(got, v) {
			t.Errorf("%s = %v, want %v", s.key, got, v)
		} else if !ok && !reflect.ValueOf(got).IsZero() && reflect.ValueOf(got).Len() > 0 {
			t.Errorf("%s = %v, want nothing", s.key, got)
		}
	}
	if !c.Client.Token.IsZero() || !c.Reconciler.Server.Token.IsZero() || !c.Notification.SMTP.Password.IsZero() {
		t.Error("a secret out of nothing")
	}
	if c.Auth.Tokens != nil || c.Reconciler.Mode != nil || c.Reconciler.Operator != nil || c.Notification.Teams != nil {
		t.Error("a token or a mode out of nothing")
	}
}
