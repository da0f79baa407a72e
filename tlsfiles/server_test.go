package tlsfiles_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kayra/tlsfiles"
	"kayra/tlsfiles/tlstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listener accepts connections, makes their handshakes, and writes "ok" on those that it takes.
func listener(t *testing.T, config *tls.Config) string {
	t.Helper()
	var lc net.ListenConfig
	plain, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := tls.NewListener(plain, config)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "ok") // with the handshake
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-ended
	})
	return l.Addr().String()
}

// meet makes a connection, and gives the server's certificate if the server takes it.
func meet(t *testing.T, address string, config *tls.Config) (*x509.Certificate, error) {
	t.Helper()
	dialer := &tls.Dialer{Config: config}
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // read to its end
	if _, err := io.ReadAll(conn); err != nil {
		return nil, err
	}
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

// named wants a connection to be taken by the server with a certificate of the name.
func named(t *testing.T, address string, config *tls.Config, name string) {
	t.Helper()
	cert, err := meet(t, address, config)
	if err != nil {
		t.Fatalf("the handshake failed: %v", err)
	}
	if cert.Subject.CommonName != name {
		t.Fatalf("the server shows %q, want %q", cert.Subject.CommonName, name)
	}
}

// journal is a log that is read while others write to it.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// since gives what was logged after the first n bytes.
func (j *journal) since(n int) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()[n:]
}

func (j *journal) String() string { return j.since(0) }

func logger() (*journal, *slog.Logger) {
	j := &journal{}
	return j, slog.New(slog.NewTextHandler(j, nil))
}

func serve(t *testing.T, files tlsfiles.Server) (address string, log *journal) {
	t.Helper()
	log, l := logger()
	config, err := files.Config(l)
	if err != nil {
		t.Fatal(err)
	}
	return listener(t, config), log
}

func trusting(a *tlstest.Authority) *tls.Config {
	return &tls.Config{RootCAs: a.Pool(), MinVersion: tls.VersionTLS12}
}

// However files are replaced, the next handshake has the new ones.
func TestServerFilesThatChange(t *testing.T) {
	t.Parallel()
	ca := tlstest.New(t, "ca")
	old, fresh := padded(ca.Issue(tlstest.Leaf{Name: "old"})), padded(ca.Issue(tlstest.Leaf{Name: "new"}))
	for how, replace := range map[string]func(t *testing.T, dir string){
		"written over": func(t *testing.T, dir string) {
			t.Helper()
			fresh.Write(t, dir, "tls")
		},
		"renamed over": func(t *testing.T, dir string) {
			t.Helper()
			cert, key := fresh.Write(t, dir, "fresh")
			rename(t, cert, filepath.Join(dir, "tls.crt"))
			rename(t, key, filepath.Join(dir, "tls.key"))
		},
		"linked over": func(t *testing.T, dir string) {
			t.Helper()
			cert, key := fresh.Write(t, dir, "fresh")
			for from, to := range map[string]string{cert: "tls.crt", key: "tls.key"} {
				link := filepath.Join(dir, "link")
				if err := errors.Join(os.Link(from, link), os.Rename(link, filepath.Join(dir, to))); err != nil {
					t.Fatal(err)
				}
			}
		},
		"with the old times": func(t *testing.T, dir string) {
			t.Helper()
			cert, key := fresh.Write(t, dir, "fresh")
			for from, to := range map[string]string{cert: "tls.crt", key: "tls.key"} {
				info, err := os.Stat(filepath.Join(dir, to))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(from, info.ModTime(), info.ModTime()); err != nil {
					t.Fatal(err)
				}
				rename(t, from, filepath.Join(dir, to))
			}
		},
		"away and back": func(t *testing.T, dir string) {
			t.Helper()
			if err := errors.Join(os.Remove(filepath.Join(dir, "tls.crt")), os.Remove(filepath.Join(dir, "tls.key"))); err != nil {
				t.Fatal(err)
			}
			fresh.Write(t, dir, "tls")
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cert, key := old.Write(t, dir, "tls")
			past := time.Now().Add(-time.Hour) // so that they are not looked at again for being young
			if err := errors.Join(os.Chtimes(cert, past, past), os.Chtimes(key, past, past)); err != nil {
				t.Fatal(err)
			}
			address, log := serve(t, tlsfiles.Server{CertFile: cert, KeyFile: key})
			named(t, address, trusting(ca), "old")
			replace(t, dir)
			named(t, address, trusting(ca), "new")
			if text := log.String(); strings.Contains(text, "WARN") || strings.Count(text, "are in force") != 1 {
				t.Errorf("logged: %s", text)
			}
		})
	}
}

// padded makes the files of all pairs equally long, as they happen to be.
func padded(p tlstest.Pair) tlstest.Pair {
	const length = 2048
	fill := func(content []byte) []byte {
		return append(content, bytes.Repeat([]byte("\n"), length-len(content))...)
	}
	return tlstest.Pair{Cert: fill(p.Cert), Key: fill(p.Key)}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// Files that were written, read and written again within a moment have the same size and, on many file systems, the same time.
func TestServerFilesThatChangeTwiceInAMoment(t *testing.T) {
	t.Parallel()
	ca, dir, now := tlstest.New(t, "ca"), t.TempDir(), time.Now().Add(time.Hour) // which is young for long enough
	write := func(name string) (cert, key string) {
		cert, key = padded(ca.Issue(tlstest.Leaf{Name: name})).Write(t, dir, "tls")
		if err := errors.Join(os.Chtimes(cert, now, now), os.Chtimes(key, now, now)); err != nil {
			t.Fatal(err)
		}
		return cert, key
	}
	cert, key := write("one")
	address, _ := serve(t, tlsfiles.Server{CertFile: cert, KeyFile: key})
	named(t, address, trusting(ca), "one")
	write("two")
	named(t, address, trusting(ca), "two")
}

// Kubernetes mounts a secret as links to ..data/NAME, and moves the link ..data to a new directory.
func TestMountedSecret(t *testing.T) {
	t.Parallel()
	ca, dir := tlstest.New(t, "ca"), t.TempDir()
	mount := func(name string) {
		version := filepath.Join(dir, "..2026_"+name)
		next := filepath.Join(dir, "..data_tmp")
		if err := errors.Join(os.Mkdir(version, 0o700), os.Symlink(filepath.Base(version), next), os.Rename(next, filepath.Join(dir, "..data"))); err != nil {
			t.Fatal(err)
		}
		ca.Issue(tlstest.Leaf{Name: name}).Write(t, version, "tls")
	}
	mount("one")
	files := tlsfiles.Server{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key")}
	for _, path := range []string{files.CertFile, files.KeyFile} {
		if err := os.Symlink(filepath.Join("..data", filepath.Base(path)), path); err != nil {
			t.Fatal(err)
		}
	}
	address, _ := serve(t, files)
	named(t, address, trusting(ca), "one")
	mount("two")
	named(t, address, trusting(ca), "two")
}

// Files that cannot be used leave the earlier ones in force, and are told of once for each reason.
func TestHalfWrittenFiles(t *testing.T) {
	t.Parallel()
	ca, dir := tlstest.New(t, "ca"), t.TempDir()
	first := ca.Issue(tlstest.Leaf{Name: "old"})
	cert, key := first.Write(t, dir, "tls")
	address, log := serve(t, tlsfiles.Server{CertFile: cert, KeyFile: key, ClientCAFile: tlstest.Write(t, dir, "ca.pem", ca.PEM())})
	client := trusting(ca)
	client.Certificates = []tls.Certificate{ca.Certificate(tlstest.Leaf{})}
	fresh := ca.Issue(tlstest.Leaf{Name: "new"})
	for _, step := range []struct {
		name, content, says string
	}{
		{"tls.crt", string(fresh.Cert), "are not a certificate and its key"},
		{"tls.crt", string(fresh.Cert[:len(fresh.Cert)/2]), "tls.crt\\\" holds no PEM certificate"},
		{"tls.crt", "", "tls.crt\\\" holds no PEM certificate"},
		{"ca.pem", "hunter2", "ca.pem\\\" holds no PEM certificate"},
		{"tls.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n", "is encrypted"},
		{"tls.key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "are not a certificate and its key"},
	} {
		before := len(log.String())
		tlstest.Write(t, dir, step.name, []byte(step.content))
		for range 3 {
			named(t, address, client, "old")
		}
		told := log.since(before)
		if strings.Count(told, "level=WARN") != 1 || !strings.Contains(told, step.says) || strings.Contains(told, "AAAA") || strings.Contains(told, "hunter2") {
			t.Errorf("%s: logged %q", step.name, told)
		}
		first.Write(t, dir, "tls")
		tlstest.Write(t, dir, "ca.pem", ca.PEM())
		named(t, address, client, "old")
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	named(t, address, client, "old")
	if text := log.String(); !strings.Contains(text, "no such file") {
		t.Errorf("logged: %s", text)
	}
	fresh.Write(t, dir, "tls")
	named(t, address, client, "new")
	if err := os.Remove(key); err != nil { // a state that comes back is told of again
		t.Fatal(err)
	}
	before := len(log.String())
	named(t, address, client, "new")
	if text := log.since(before); strings.Count(text, "no such file") != 1 {
		t.Errorf("logged: %s", text)
	}
}

// An authority that is taken away is not trusted any more, not even with a session that it has led to.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	ca, other, dir := tlstest.New(t, "ca"), tlstest.New(t, "other"), t.TempDir()
	cert, key := ca.Issue(tlstest.Leaf{Name: "server"}).Write(t, dir, "tls")
	path := tlstest.Write(t, dir, "ca.pem", ca.PEM())
	address, _ := serve(t, tlsfiles.Server{CertFile: cert, KeyFile: key, ClientCAFile: path})
	client := func(by *tlstest.Authority, until time.Time) *tls.Config {
		config := trusting(ca)
		pair := by.Certificate(tlstest.Leaf{Until: until})
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		config.ClientSessionCache = tls.NewLRUClientSessionCache(1)
		return config
	}
	mine, theirs := client(ca, time.Time{}), client(other, time.Time{})
	named(t, address, mine, "server")
	if session, ok := mine.ClientSessionCache.Get("127.0.0.1"); !ok || session == nil {
		t.Error("there is no session that could be resumed")
	}
	for who, config := range map[string]*tls.Config{"nobody": trusting(ca), "a stranger": theirs, "expired": client(ca, time.Now().Add(-time.Minute))} {
		if _, err := meet(t, address, config); tlsfiles.ReasonOf(err) != tlsfiles.Unproven {
			t.Errorf("%s: %v", who, err)
		}
	}
	tlstest.Write(t, dir, "ca.pem", other.PEM())
	named(t, address, theirs, "server")
	if _, err := meet(t, address, mine); tlsfiles.ReasonOf(err) != tlsfiles.Unproven {
		t.Errorf("after the authority is gone: %v", err)
	}
	tlstest.Write(t, dir, "ca.pem", append(other.PEM(), ca.PEM()...))
	named(t, address, theirs, "server")
	named(t, address, mine, "server")
}

func TestServerSpeaksHTTP2(t *testing.T) {
	t.Parallel()
	ca, dir := tlstest.New(t, "ca"), t.TempDir()
	cert, key := ca.Issue(tlstest.Leaf{}).Write(t, dir, "tls")
	address, _ := serve(t, tlsfiles.Server{CertFile: cert, KeyFile: key})
	for _, protocol := range []string{"h2", "http/1.1"} {
		config := trusting(ca)
		config.NextProtos = []string{protocol}
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if got := conn.(*tls.Conn).ConnectionState().NegotiatedProtocol; got != protocol {
			t.Errorf("negotiated %q, want %q", got, protocol)
		}
		_ = conn.Close()
	}
	old := trusting(ca)
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	if _, err := meet(t, address, old); tlsfiles.ReasonOf(err) != tlsfiles.Refused {
		t.Errorf("TLS 1.1: %v", err)
	}
}

func TestServerFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	ca, dir := tlstest.New(t, "ca"), t.TempDir()
	cert, key := ca.Issue(tlstest.Leaf{}).Write(t, dir, "tls")
	otherCert, otherKey := ca.Issue(tlstest.Leaf{}).Write(t, dir, "other")
	empty := tlstest.Write(t, dir, "empty", nil)
	_, log := logger()
	for _, c := range []struct {
		files tlsfiles.Server
		says  string
	}{
		{tlsfiles.Server{CertFile: dir + "/none", KeyFile: key}, `cert_file: read "` + dir + `/none": no such file or directory`},
		{tlsfiles.Server{CertFile: cert, KeyFile: dir}, `key_file: read "` + dir + `": is a directory`},
		{tlsfiles.Server{CertFile: cert, KeyFile: otherKey}, `cert_file: "` + cert + `" and "` + otherKey + `" are not a certificate and its key`},
		{tlsfiles.Server{CertFile: key, KeyFile: otherCert}, `cert_file: "` + key + `" holds no PEM certificate`},
		{tlsfiles.Server{CertFile: cert, KeyFile: otherCert}, `key_file: "` + otherCert + `" holds no PEM private key`},
		{tlsfiles.Server{CertFile: cert, KeyFile: key, ClientCAFile: empty}, `client_ca_file: "` + empty + `" holds no PEM certificate`},
		{tlsfiles.Server{CertFile: cert, KeyFile: key, ClientCAFile: empty + "x"}, `client_ca_file: read "` + empty + `x": no such file or directory`},
	} {
		_, err := c.files.Config(log)
		if _, ok := errors.AsType[*tlsfiles.Error](err); !ok || err.Error() != c.says {
			t.Errorf("got  %v\nwant %s", err, c.says)
		}
	}
}

func TestExpiredServerCertificate(t *testing.T) {
	t.Parallel()
	ca, dir := tlstest.New(t, "ca"), t.TempDir()
	cert, key := ca.Issue(tlstest.Leaf{Until: time.Now().Add(-time.Minute)}).Write(t, dir, "tls")
	address, log := serve(t, tlsfiles.Server{CertFile: cert, KeyFile: key})
	if text := log.String(); !strings.Contains(text, "not valid now") || !strings.Contains(text, cert) {
		t.Errorf("logged: %s", text)
	}
	if _, err := meet(t, address, trusting(ca)); tlsfiles.ReasonOf(err) != tlsfiles.Expired {
		t.Errorf("a client sees %v", err)
	}
}
