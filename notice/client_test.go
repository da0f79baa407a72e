package notice_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kayra/notice"
)

const token = "s3cr3t-token"

func event() notice.Request {
	return notice.Request{
		Event:    notice.Event{Team: "sre-a", Kind: notice.Degraded, API: "compute.example.com", Message: "m", At: time.Unix(1, 0).UTC()},
		Channels: []notice.Channel{notice.Email},
	}
}

// send has the event sent to what answers so.
func send(t *testing.T, ctx context.Context, answer http.HandlerFunc) (notice.Answer, error) { //nolint:revive // ctx is what is tested
	t.Helper()
	srv := httptest.NewServer(answer)
	t.Cleanup(srv.Close)
	return sendTo(t, ctx, srv.URL)
}

func sendTo(t *testing.T, ctx context.Context, url string) (notice.Answer, error) { //nolint:revive // as above
	t.Helper()
	c, err := notice.NewClient(notice.Options{
		URL: strings.Replace(url, "://", "://us:s3cr3t-userinfo@", 1), Token: func() (string, error) { return token, nil }, UserAgent: "kayra/v0",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.Send(ctx, event())
}

func TestSend(t *testing.T) {
	t.Parallel()
	a, err := send(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
		var got notice.Request
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || fmt.Sprint(got) != fmt.Sprint(event()) {
			t.Errorf("%+v, %v", got, err)
		}
		if r.Method+r.URL.Path+r.Header.Get("Authorization")+r.UserAgent() != "POST/notifyBearer "+token+"kayra/v0" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		_, _ = io.WriteString(w, `{"delivered": ["webhook"], "failed": [{"channel": "email", "error": "it answered 550"}]}`)
	})
	if err != nil || len(a.Delivered) != 1 || len(a.Failed) != 1 || a.Failed[0].Channel != notice.Email {
		t.Errorf("%+v, %v", a, err)
	}
}

// An error says whether somebody may have been told, and shows nothing that is secret or that was answered.
func TestSendFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		certain bool // that nobody was told
		want    string
	}{
		"refused": {
			func(w http.ResponseWriter, _ *http.Request) { problem(w, http.StatusForbidden, "you may not") }, true,
			"the server answered 403: you may not",
		},
		"an echo": {
			func(w http.ResponseWriter, r *http.Request) {
				problem(w, http.StatusBadRequest, r.Header.Get("Authorization"))
			}, true,
			"the server answered 400",
		},
		"a long one": {func(w http.ResponseWriter, _ *http.Request) {
			problem(w, http.StatusBadRequest, strings.Repeat("s3cr3t", 300))
		}, true, "answered 400"},
		"no problem": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "s3cr3t", http.StatusNotFound) }, true, "answered 404"},
		"a failure":  {func(w http.ResponseWriter, _ *http.Request) { problem(w, http.StatusServiceUnavailable, "later") }, false, "answered 503: later"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) { redirect(t, w, r) }, true, "answered 307"},
		"no JSON":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "s3cr3t") }, false, "not one of Kayra's"},
		"too much": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"x":"`+strings.Repeat("s3cr3t", 20000))
		}, false, "degraded of"},
		"no HTTP":    {func(w http.ResponseWriter, _ *http.Request) { raw(w, "HTTP/1.1 s3cr3t\r\n\r\n") }, false, "is not HTTP"},
		"hanging up": {func(w http.ResponseWriter, _ *http.Request) { raw(w, "") }, false, "without an answer"},
		"a half one": {func(w http.ResponseWriter, _ *http.Request) { raw(w, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{") }, false, "degraded of"},
		"nobody":     {nil, true, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var err error
			if c.answer == nil {
				_, err = sendTo(t, t.Context(), "http://127.0.0.1:1")
			} else {
				_, err = send(t, t.Context(), c.answer)
			}
			if err == nil || errors.Is(err, notice.ErrUndelivered) != c.certain || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("%v", err)
			}
		})
	}
}

func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"detail": detail})
}

// redirect sends to another port of the same host, to which Go would take the token along.
func redirect(t *testing.T, w http.ResponseWriter, r *http.Request) {
	t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the redirect was followed: %v", r.Header) }))
	t.Cleanup(other.Close)
	http.Redirect(w, r, other.URL+"/s3cr3t", http.StatusTemporaryRedirect)
}

func raw(w http.ResponseWriter, text string) {
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = rw.WriteString(text)
	_ = rw.Flush()
	_ = c.Close()
}

func TestSendIsGivenUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := send(t, ctx, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, notice.ErrUndelivered) {
		t.Error(err)
	}
}

// A server that is not trusted is sent nothing.
func TestSendToAnUntrustedServer(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	_, err := sendTo(t, t.Context(), srv.URL)
	if !errors.Is(err, notice.ErrUndelivered) || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	_, err = sendTo(t, t.Context(), strings.Replace(plain.URL, "http", "https", 1))
	if !errors.Is(err, notice.ErrUndelivered) || !strings.Contains(err.Error(), "does not speak TLS") {
		t.Error(err)
	}
}

func TestNewClientRefuses(t *testing.T) {
	t.Parallel()
	secret := func() (string, error) { return token, nil }
	for _, o := range []notice.Options{{URL: "kayra.example.com", Token: secret}, {URL: "ftp://u:s3cr3t@h", Token: secret}, {URL: "http://", Token: secret}, {URL: "http://h"}} {
		if _, err := notice.NewClient(o); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", o.URL, err)
		}
	}
	c, err := notice.NewClient(notice.Options{URL: "http://127.0.0.1:1", Token: func() (string, error) { return "", errors.New("there is no file") }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), event()); !errors.Is(err, notice.ErrUndelivered) || !strings.Contains(err.Error(), "there is no file") {
		t.Error(err)
	}
}
