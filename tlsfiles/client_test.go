package tlsfiles_test

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"kayra/tlsfiles"
	"kayra/tlsfiles/tlstest"
)

// demanding is a listener that wants certificates of an authority.
func demanding(t *testing.T, server, clients *tlstest.Authority) string {
	t.Helper()
	return listener(t, &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{server.Certificate(tlstest.Leaf{Name: "server"})},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients.Pool(),
	})
}

func TestClientCertificateThatChanges(t *testing.T) {
	t.Parallel()
	ca, stranger, dir := tlstest.New(t, "ca"), tlstest.New(t, "stranger"), t.TempDir()
	address := demanding(t, ca, ca)
	files := tlsfiles.Client{CAFile: tlstest.Write(t, dir, "ca.pem", ca.PEM())}
	files.CertFile, files.KeyFile = stranger.Issue(tlstest.Leaf{}).Write(t, dir, "client")
	told, l := logger()
	kept, err := files.Config(l)
	if err != nil {
		t.Fatal(err)
	}
	strict, err := files.Config(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range []*tls.Config{kept, strict} {
		if _, err := meet(t, address, config); tlsfiles.ReasonOf(err) != tlsfiles.Unproven {
			t.Errorf("a stranger's certificate: %v", err)
		}
	}
	ca.Issue(tlstest.Leaf{}).Write(t, dir, "client")
	for _, config := range []*tls.Config{kept, strict} {
		named(t, address, config, "server")
	}
	if err := os.Remove(files.KeyFile); err != nil {
		t.Fatal(err)
	}
	named(t, address, kept, "server")
	if text := told.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, "key_file: read") {
		t.Errorf("logged: %s", text)
	}
	_, err = meet(t, address, strict)
	if file, ok := errors.AsType[*tlsfiles.Error](err); !ok || file.Field != "key_file" || tlsfiles.ReasonOf(err) != tlsfiles.Unknown {
		t.Errorf("without a log: %v", err)
	}
}

func TestClientFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := tlstest.Write(t, dir, "text", []byte("hunter2"))
	cert, key := tlstest.New(t, "ca").Issue(tlstest.Leaf{}).Write(t, dir, "client")
	for want, files := range map[string]tlsfiles.Client{
		`ca_file: "` + text + `" holds no PEM certificate`:                     {CAFile: text},
		`ca_file: read "/none/ca.pem": no such file or directory`:              {CAFile: "/none/ca.pem"},
		"cert_file: cert_file and key_file belong together: give both or none": {CertFile: cert},
		`key_file: "` + text + `" holds no PEM private key`:                    {CertFile: cert, KeyFile: text},
		`cert_file: "` + text + `" holds no PEM certificate`:                   {CertFile: text, KeyFile: key},
	} {
		if _, err := files.Config(nil); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestCAThatChanges(t *testing.T) {
	t.Parallel()
	one, two, dir := tlstest.New(t, "one"), tlstest.New(t, "two"), t.TempDir()
	path := tlstest.Write(t, dir, "ca.pem", one.PEM())
	ca, err := tlsfiles.OpenCA(path)
	if err != nil {
		t.Fatal(err)
	}
	first, err := ca.Pool()
	if again, _ := ca.Pool(); err != nil || first != again || !first.Equal(one.Pool()) {
		t.Errorf("the first: %v, the same again: %t", err, first == again)
	}
	tlstest.Write(t, dir, "ca.pem", two.PEM())
	if second, err := ca.Pool(); err != nil || !second.Equal(two.Pool()) {
		t.Errorf("the second: %v", err)
	}
	tlstest.Write(t, dir, "ca.pem", nil)
	for range 2 {
		if _, err := ca.Pool(); err == nil {
			t.Error("an empty file is accepted")
		}
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	ca := tlstest.New(t, "ca")
	start := func(config *tls.Config) string {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		if config == nil {
			s.Start()
		} else {
			s.TLS = config
			s.StartTLS()
		}
		t.Cleanup(s.Close)
		return strings.Replace(s.URL, "http://", "https://", 1)
	}
	with := func(l tlstest.Leaf) *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{ca.Certificate(l)}, MinVersion: tls.VersionTLS12}
	}
	good := start(with(tlstest.Leaf{}))
	for name, c := range map[string]struct {
		url     string
		trusted *tlstest.Authority
		want    tlsfiles.Reason
	}{
		"good":      {good, ca, tlsfiles.Unknown},
		"untrusted": {good, tlstest.New(t, "other"), tlsfiles.Untrusted},
		"elsewhere": {start(with(tlstest.Leaf{Host: "127.0.0.2"})), ca, tlsfiles.OtherHost},
		"plain":     {start(nil), ca, tlsfiles.NotTLS},
		"away":      {"https://127.0.0.1:1", ca, tlsfiles.Unknown},
	} {
		transport := &http.Transport{TLSClientConfig: trusting(c.trusted), ForceAttemptHTTP2: true}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := transport.RoundTrip(request)
		if err == nil {
			_ = res.Body.Close()
		}
		if got := tlsfiles.ReasonOf(err); got != c.want {
			t.Errorf("%s: %d for %v, want %d", name, got, err, c.want)
		}
		transport.CloseIdleConnections()
	}
}
