package config

import (
	"cmp"
	"strings"
)

const (
	onePair   = "cert_file without key_file, or the other way round, is not allowed: use both or neither"
	needsPair = "client_ca_file without cert_file and key_file is not allowed: clients are asked for a certificate over TLS only"

	needsAudience = "an issuer without an audience is not allowed, since a token for any of its clients would be accepted: set auth.oidc.audience"
	needsIssuer   = "an audience without an issuer is not allowed: set auth.oidc.issuer, or leave both empty"
)

// checkTogether looks at the keys that depend on each other.
func (l *loader) checkTogether() {
	etcd, oidc := l.config.Database.Etcd, l.config.Auth.OIDC
	if l.config.Database.Backend == "etcd" && len(etcd.Endpoints) == 0 {
		l.reportKey("database.etcd.endpoints", "is empty: backend etcd needs at least one, such as http://127.0.0.1:2379")
	}
	if (etcd.Username == "") != (etcd.PasswordFile == "") {
		l.reportKey("database.etcd.username", "username without password_file, or the other way round, is not allowed: use both or neither")
	}
	switch {
	case oidc.Issuer != "" && oidc.Audience == "":
		l.reportKey("auth.oidc.issuer", needsAudience)
	case oidc.Issuer == "" && oidc.Audience != "":
		l.reportKey("auth.oidc.audience", needsIssuer)
	}
	l.checkPairs()
	l.checkNotification()
}

// checkPairs looks at the certificates, each of which needs its key.
func (l *loader) checkPairs() {
	etcd, gateway, client := l.config.Database.Etcd, l.config.Reconciler.Gateway.TLS, l.config.Client
	serve := l.config.Reconciler.Server
	l.checkPair("database.etcd", etcd.CertFile, etcd.KeyFile)
	l.checkPair("reconciler.gateway.tls", gateway.CertFile, gateway.KeyFile)
	l.checkPair("reconciler.server", serve.CertFile, serve.KeyFile)
	l.checkPair("client", client.CertFile, client.KeyFile)
	l.checkListener("server.tls", l.config.Server.TLS)
	l.checkListener("reconciler.tls", l.config.Reconciler.TLS)
}

func (l *loader) checkListener(at string, t ListenerTLS) {
	l.checkPair(at, t.CertFile, t.KeyFile)
	if t.ClientCAFile != "" && cmp.Or(t.CertFile, t.KeyFile) == "" {
		l.reportKey(at+".client_ca_file", needsPair)
	}
}

func (l *loader) checkPair(at, cert, key string) {
	if (cert == "") != (key == "") {
		l.reportKey(at+".cert_file", onePair)
	}
}

// reportKey reports a key at the place of the nearest thing that was given.
func (l *loader) reportKey(name, text string) {
	v := value{key: name, line: nearestLine(l.lines, name)}
	if source, ok := l.sources[name]; ok && !strings.HasPrefix(source, "file ") {
		v.from = source
	}
	l.report(v, text)
}
