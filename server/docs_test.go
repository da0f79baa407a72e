package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const docsPage = "/-/docs"

// loads are what a page has a browser load, by path.
func loads(t *testing.T, page []byte) []string {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for n := range root.Descendants() {
		if n.Data == "style" || n.Data == "script" && n.FirstChild != nil {
			t.Errorf("a part of the page that its policy forbids: %s", n.FirstChild.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
				t.Errorf("a part of the page that its policy forbids: %s=%q", a.Key, a.Val)
			}
			if a.Key == "src" || a.Key == "href" {
				all = append(all, "/-/"+a.Val)
			}
		}
	}
	return all
}

func TestTheDocsPageNeedsNoOtherHost(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	page := l.want(http.StatusOK, "GET", docsPage, nil, "Authorization", "")
	all := loads(t, page.raw)
	if !slices.Contains(all, "/-/docs/page.js") || !slices.Contains(all, "/-/docs/swagger-ui-bundle.js") {
		t.Errorf("the page loads %q", all)
	}
	foreign := regexp.MustCompile(`@import|url\(["']?[^)d"']|url\(["']?d[^a]|fetch\([^"u]|https?:`)
	for _, path := range all {
		a := l.want(http.StatusOK, "GET", path, nil, "Authorization", "")
		if path == "/-/docs/swagger-ui-bundle.js" || strings.HasSuffix(path, ".png") {
			continue // the policy holds what a test cannot read
		}
		if path == "/-/docs/page.js" && !strings.Contains(string(a.raw), `fetch("openapi.json")`) {
			t.Errorf("%s shows another document: %s", path, a.raw)
		}
		text := strings.ReplaceAll(string(a.raw), "http://www.w3.org/2000/svg", "") // a name, that nothing is loaded from
		text = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(text, "")
		if found := foreign.FindString(text); found != "" {
			t.Errorf("%s has %q", path, found)
		}
	}
	const policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if got := page.header.Get("Content-Security-Policy"); got != policy {
		t.Errorf("the policy is %q", got)
	}
}

func TestDocsFiles(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	for path, mediaType := range map[string]string{
		docsPage: "text/html; charset=utf-8", docsPage + "/page.js": "text/javascript; charset=utf-8", docsPage + "/page.css": "text/css; charset=utf-8",
		docsPage + "/swagger-ui.css": "text/css; charset=utf-8", docsPage + "/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
		docsPage + "/favicon-32x32.png": "image/png",
	} {
		plain := l.want(http.StatusOK, "GET", path, nil, "Authorization", "", "Accept-Encoding", "identity")
		zipped := l.want(http.StatusOK, "GET", path, nil, "Authorization", "", "Accept-Encoding", "br, gzip;q=0.5")
		if got := unzipped(t, zipped); !bytes.Equal(plain.raw, got) || len(got) == 0 {
			t.Errorf("%s: %d bytes, and %d when it is zipped", path, len(plain.raw), len(got))
		}
		for _, a := range []answer{plain, zipped} {
			tag := a.header.Get("ETag")
			if a.header.Get("Content-Type") != mediaType || a.header.Get("Cache-Control") != "no-cache" || a.header.Get("Vary") != "Accept-Encoding" ||
				a.header.Get("X-Content-Type-Options") != "nosniff" || len(tag) < 10 {
				t.Errorf("%s: %v", path, a.header)
			}
		}
		if same := plain.header.Get("ETag") == zipped.header.Get("ETag"); same != (zipped.header.Get("Content-Encoding") == "") {
			t.Errorf("%s: one tag for two answers: %t", path, same)
		}
		l.cached(t, path, zipped)
	}
	for _, never := range []string{"gzip;q=0", "x-gzip", "gzip; q=0.0", "*;q=0"} {
		if a := l.want(http.StatusOK, "GET", docsPage+"/swagger-ui.css", nil, "Accept-Encoding", never); a.header.Get("Content-Encoding") != "" {
			t.Errorf("%q is answered zipped", never)
		}
	}
}

// cached asks for a file that the client has.
func (l *lab) cached(t *testing.T, path string, has answer) {
	t.Helper()
	tag := has.header.Get("ETag")
	for _, known := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		a := l.want(http.StatusNotModified, "GET", path, nil, "Accept-Encoding", "gzip", "If-None-Match", known)
		if a.header.Get("ETag") != tag || a.header.Get("Cache-Control") != "no-cache" || len(a.raw) > 0 {
			t.Errorf("%s: %v, %d bytes", path, a.header, len(a.raw))
		}
	}
	l.want(http.StatusOK, "GET", path, nil, "Accept-Encoding", "gzip", "If-None-Match", `"x", "y"`)
	head := l.want(http.StatusOK, "HEAD", path, nil, "Accept-Encoding", "gzip")
	if len(head.raw) > 0 || head.header.Get("Content-Length") != has.header.Get("Content-Length") || head.header.Get("ETag") != tag {
		t.Errorf("HEAD %s: %v, and GET %v", path, head.header, has.header)
	}
	if part := l.want(http.StatusOK, "GET", path, nil, "Accept-Encoding", "gzip", "Range", "bytes=9999999-", "If-Match", `"x"`); !bytes.Equal(part.raw, has.raw) {
		t.Errorf("%s: %d bytes of it", path, len(part.raw))
	}
}

func unzipped(t *testing.T, a answer) []byte {
	t.Helper()
	if a.header.Get("Content-Encoding") == "" {
		return a.raw
	}
	r, err := gzip.NewReader(bytes.NewReader(a.raw))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheDocsPageIsARoute(t *testing.T) {
	t.Parallel()
	over(t, func(p protocol) {
		t, ca := p.T, p.ca
		l := newLab(t, openLocal(t), limited(1))
		url, client, _ := l.listen(t, ca)
		l.http, l.url = client, url
		for range 5 { // whatever the limit of one caller is
			if a := l.want(http.StatusOK, "GET", docsPage+"/", nil, "Authorization", ""); !strings.Contains(string(a.raw), "<title>Kayra") {
				t.Errorf("a slash too many: %s", a.raw)
			}
		}
		for _, path := range []string{docsPage + "/page.html", docsPage + "/nope.js", docsPage + "/page.js/", docsPage + "//"} {
			a := l.want(http.StatusNotFound, "GET", path, nil)
			if detail, _ := a.body["detail"].(string); detail == "" || a.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %v: %s", path, a.header, a.raw)
			}
		}
		l.want(http.StatusBadRequest, "GET", docsPage+"?x=1", nil)
		l.want(http.StatusMethodNotAllowed, "POST", docsPage, `{}`)
		l.want(http.StatusOK, "GET", docsPage+"/page.js", nil)
		l.metrics(`kayra_http_requests_total{code="200",method="GET",route="/-/docs"} 5`,
			`kayra_http_requests_total{code="200",method="GET",route="/-/docs/{file}"} 1`, `code="308",method="GET",route="/-/docs/{$}"} 5`)
	})
}

// Each route says on the page what it does.
func TestSummaries(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	var doc struct {
		Paths map[string]map[string]struct{ Summary string }
	}
	l.must(json.Unmarshal(l.want(http.StatusOK, "GET", "/-/openapi.json", nil).raw, &doc))
	said := map[string]string{}
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			route := strings.Replace(strings.ToUpper(method)+" "+path, "PATCH ", "PUT ", 1) // which are the same
			if other, ok := said[operation.Summary]; operation.Summary == "" || ok && other != route {
				t.Errorf("%s says %q, as does %q", route, operation.Summary, other)
			}
			said[operation.Summary] = route
		}
	}
	if len(said) < 40 {
		t.Errorf("only %d are told of", len(said))
	}
}
