package etcdtest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"path/filepath"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"kayra/tlsfiles/tlstest"
)

// Whom a guarded server lets in.
const (
	User     = "kayra" // may read and write below Granted and what Prefix gives
	Password = "etcd-hunter2"
	Granted  = "/granted"

	root = "root"
)

// Guarded has the server take only those clients that show a certificate of the authority, and the password of User. The
// tokens that it gives for the password are valid for less than two seconds.
func Guarded(ca *tlstest.Authority) Option {
	return func(o *options) { o.tls, o.guard = true, ca }
}

// guardFiles has the configuration name files that it writes for it.
func (s *Server) guardFiles(cfg *embed.Config) {
	t := s.options.guard.Test()
	dir := filepath.Dir(s.dir)
	info := &cfg.ClientTLSInfo
	info.CertFile, info.KeyFile = s.options.guard.Issue(tlstest.Leaf{Name: "etcd"}).Write(t, dir, "etcd")
	info.TrustedCAFile = tlstest.Write(t, dir, "ca.pem", s.options.guard.PEM())
	info.ClientCertAuth, cfg.ClientAutoTLS = true, false
	cfg.AuthToken = "jwt,sign-method=ES256,ttl=2s,priv-key=" + info.KeyFile
}

// admin is a client that may do everything.
func (s *Server) admin() (*clientv3.Client, error) {
	c := clientv3.Config{Endpoints: s.Endpoints(), Logger: zap.NewNop()}
	if ca := s.options.guard; ca != nil {
		c.TLS = &tls.Config{RootCAs: ca.Pool(), Certificates: []tls.Certificate{ca.Certificate(tlstest.Leaf{Name: "test"})}, MinVersion: tls.VersionTLS12}
		if s.guarded {
			c.Username, c.Password = root, Password
		}
	}
	client, err := clientv3.New(c)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return client, nil
}

// guard creates the users and has the server ask for them.
func (s *Server) guard(ctx context.Context) (err error) {
	client, err := s.admin()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	for _, name := range []string{root, User} {
		_, err1 := client.RoleAdd(ctx, name)
		_, err2 := client.UserAdd(ctx, name, Password)
		_, err3 := client.UserGrantRole(ctx, name, name)
		if err := errors.Join(err1, err2, err3); err != nil {
			return fmt.Errorf("add user %s: %w", name, err)
		}
	}
	for _, keys := range []string{Granted + "/", "/Test"} {
		all := clientv3.PermissionType(clientv3.PermReadWrite)
		if _, err := client.RoleGrantPermission(ctx, User, keys, clientv3.GetPrefixRangeEnd(keys), all); err != nil {
			return fmt.Errorf("grant %s: %w", keys, err)
		}
	}
	if _, err := client.AuthEnable(ctx); err != nil {
		return fmt.Errorf("enable authentication: %w", err)
	}
	s.guarded = true
	return nil
}
