package pipeline_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/http/httpguts"

	"kayra/reconciler/pipeline"
)

// planted stands in for what an answer holds and no message may.
const planted = "qzqzq"

// FuzzAnswer has a step that takes outputs and waits be answered anything but a redirect, and a step behind it that uses
// them. The run ends; its failure is a short sentence of nothing that the answer holds.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		"", "{}", "null", `{"status":"done","id":"x"}`, `{"status":"failed"}`, `{"status":"` + planted + `"}`, `{"status":true,"id":1e999}`, `{"id":{"a":[1]}}`,
		`{"id":"\u0000\n\r","status":"done"}`, `{"id":"../..","status":"done"}`, `{"id":"http://x/","status":"done"}`, "\xff", "[[[[", `{"status":"done","id":"\ud800"}`,
		`{"status":"done","status":"failed"}`, `{"status":"done"}{}`, "\ufeff{}", strings.Repeat("[", 20_000), `{"id":12345678901234567890,"status":"done"}`,
	} {
		f.Add(200, "", body)
	}
	for _, after := range []string{"1", "0", "-1", "99999999999999999999", "Wed, 21 Oct 2015 07:28:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", planted} {
		f.Add(503, after, planted)
		f.Add(404, after, planted)
	}
	type answer struct {
		status      int
		after, body string
	}
	var now atomic.Pointer[answer]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			return
		}
		a := now.Load()
		w.Header().Set("Retry-After", a.after)
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	}))
	f.Cleanup(srv.Close)
	first := get(srv.URL)
	first.Outputs, first.Timeout = map[string]string{"ID": ".id"}, 20*time.Millisecond
	first.Wait = []pipeline.Condition{{Key: ".status", Successes: []string{"done", "true"}, Failures: []string{"failed"}}}
	second := pipeline.Step{
		Method: "POST", Endpoint: srv.URL + "/{{ .Previous.Outputs.ID }}", Data: "{{ .Previous.Outputs.ID }}",
		Headers: map[string]pipeline.Header{"X-Id": {Value: pipeline.Text("{{ .Previous.Outputs.ID }}")}}, Timeout: time.Minute,
	}
	p, err := pipeline.Parse(map[string][]pipeline.Step{"m": {first, second}}, quick())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = p.Close(f.Context()) })
	f.Fuzz(func(t *testing.T, code int, retry, text string) {
		if code < 200 || code > 599 || code/100 == 3 || !httpguts.ValidHeaderFieldValue(retry) {
			return
		}
		now.Store(&answer{code, retry, text})
		j := newJournal()
		err := p.Run(t.Context(), "m", input(j))
		if strings.Contains(j.String(), planted) {
			t.Errorf("%d %q: logged: %s", code, text, j.String())
		}
		if err == nil {
			return
		}
		failure, ok := errors.AsType[*pipeline.Error](err)
		switch {
		case !ok:
			t.Errorf("%d %q: %v", code, text, err)
		case failure.RetryAfter < 0 || failure.RetryAfter > 24*time.Hour:
			t.Errorf("%q is %s", retry, failure.RetryAfter)
		case len(failure.Message) > 1000 || strings.Contains(failure.Message, planted) || strings.ContainsFunc(failure.Message, unicode.IsControl):
			t.Errorf("%d %q: %q", code, text, failure.Message)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{
		"", "1", "-1", "+1", "1.5", "1e9", "18446744073709551615", "18446744073709551616", " 1", "Wed, 21 Oct 2015 07:28:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
		"Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Mon, 01 Jan 0000 00:00:00 GMT",
	} {
		f.Add(value, int64(0))
	}
	f.Fuzz(func(t *testing.T, value string, now int64) {
		if got := pipeline.RetryAfter(value, time.Unix(now, 0)); got < 0 || got > 24*time.Hour {
			t.Errorf("%q at %d is %s", value, now, got)
		}
	})
}

// FuzzRedirect follows redirects to anywhere, as net/http prepares them. What leaves the site takes nothing along.
func FuzzRedirect(f *testing.F) {
	for _, location := range []string{
		"/end", "//evil/", "http://h.example.com:80/", "http://h.example.com:81/", "https://h.example.com/", "http://x.h.example.com/", "http://h.example.com./",
		"http://H.EXAMPLE.COM/", "http://h.example.com@evil/", "file:///etc/passwd", "javascript:x", "", "?", "#", "http://", "http:///x", "http:h.example.com",
		"http://h.example.com%00/", "\\\\evil/", "http://[::1]/", "http://h.example.com:/", "http://user:pw@h.example.com/", "http://h.example.com:0080/",
	} {
		f.Add("http://h.example.com/a?q=1", location, "", true)
		f.Add("https://h.example.com/a", "http://evil/", location, false)
	}
	f.Fuzz(func(t *testing.T, from, location, back string, hasBody bool) {
		base, err := url.Parse(from)
		if err != nil || base.Host == "" {
			return
		}
		via := []*http.Request{{URL: base}}
		header := http.Header{"Authorization": {planted}, "Cookie": {planted}, "X-Any": {planted}, "Accept": {"a"}, "Referer": {planted}}
		left := false
		for _, to := range []string{location, back} {
			at, err := via[len(via)-1].URL.Parse(to)
			if err != nil {
				return
			}
			next := &http.Request{URL: at, Header: header.Clone(), Body: http.NoBody}
			if hasBody {
				next.Body = readCloser{strings.NewReader(planted)}
			}
			left = left || !strings.EqualFold(at.Scheme+"://"+at.Host, base.Scheme+"://"+base.Host)
			refused := pipeline.Redirect(next, via, http.Header{"Accept": {"a"}})
			sameSite := sameSite(base, at)
			if left && !sameSite && refused == nil && (strings.Contains(fmt.Sprint(next.Header), planted) || hasBody) {
				t.Errorf("%s takes %v to %s", base, next.Header, at)
			}
			if next.Header.Get("Referer") != "" && refused == nil {
				t.Errorf("%s tells %s where it came from", base, at)
			}
			via = append(via, next)
		}
	})
}

// sameSite compares as a browser would, with the ports that a scheme stands for.
func sameSite(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		if p := u.Port(); p != "" {
			return p
		}
		return map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// FuzzTemplates puts any template into a header and into the data: it is refused with its place, or what it makes of any
// value can be sent, or the error does not have the value.
func FuzzTemplates(f *testing.F) {
	for _, text := range []string{
		"{{ .Previous.Outputs.X }}", `{{ env "E" }}`, "{{ range .Previous.Outputs }}{{ . }}{{ end }}", `{{ printf "%999999d" 1 }}`, `{{ printf "%*d" 999999 1 }}`, "{{ . }}", "{{",
		`{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}`, `{{ block "a" . }}{{ end }}`, `{{ with $x := .Previous.Outputs.X }}{{ slice $x 9 }}{{ end }}`,
		`{{ .Previous.Outputs.X | html | js | urlquery | len }}`, `{{ index .Previous.Outputs "Y" }}`, `{{ call .X }}`, `{{/* */}}`, `{{- "a" -}}`, "{{ break }}", "\x00{{ 1 }}",
		`{{ range $i := 1000000000 }}{{ end }}`, `{{ range 10 }}{{ range 10 }}x{{ end }}{{ end }}`, `{{ eq .Previous.Outputs.X "a" }}`, `{{ not nil }}`,
	} {
		f.Add(text, "a\r\n\"\\\xff\x00")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		value = planted + value + planted
		first := get("http://first.example.com/")
		first.Outputs = map[string]string{"X": ".x"}
		second := pipeline.Step{
			Method: "POST", Endpoint: "http://h.example.com/", Data: map[string]any{"a": text},
			Headers: map[string]pipeline.Header{"X-Any": {Value: pipeline.Text(text)}},
		}
		opts := pipeline.Options{LookupEnv: func(string) (string, bool) { return value, true }}
		p, err := pipeline.Parse(map[string][]pipeline.Step{"m": {first, second}}, opts)
		if err != nil {
			if _, ok := errors.AsType[*pipeline.FieldError](err); !ok {
				t.Errorf("refused without a place: %v", err)
			}
			return
		}
		shown, err := p.Preview("m", input(nil))
		if strings.Contains(fmt.Sprint(shown, err), planted) && !strings.Contains(text, planted) {
			t.Errorf("%q is shown as %v, %v", text, shown, err)
		}
		body, header, err := p.Rendered(subscription(), map[string]string{"X": value})
		switch {
		case err != nil && strings.Contains(err.Error(), planted):
			t.Errorf("the value is in %v", err)
		case err == nil && !json.Valid([]byte(body)):
			t.Errorf("%q makes the body %q", text, body)
		case err == nil && !httpguts.ValidHeaderFieldValue(header.Get("X-Any")):
			t.Errorf("%q makes the header %q", text, header.Get("X-Any"))
		}
	})
}
