// Package docs is the page that shows an OpenAPI document, and lets its reader try the routes. It is Swagger UI with a head
// of our own. Whatever the page loads is part of the program, so that it works where there is no internet, and a policy
// that comes with it has a browser load nothing else.
package docs

import (
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/swaggest/swgui/v5/static"
)

// Page is the name of the page itself. What it refers to is beside it, in the folder docs; the document it shows is
// openapi.json, beside it.
const Page = "page.html"

// policy is what a browser may load: of this server alone. Icons of Swagger UI are part of its style sheet.
const policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed page.html page.js page.css
var own embed.FS

// files are where each file is, and under which name.
func files() map[string]source {
	return map[string]source{
		Page:                   {own, "page.html"},
		"page.js":              {own, "page.js"},
		"page.css":             {own, "page.css"},
		"swagger-ui.css":       {static.FS, "swagger-ui.css.gz"},
		"swagger-ui-bundle.js": {static.FS, "swagger-ui-bundle.js.gz"},
		"favicon-32x32.png":    {static.FS, "favicon-32x32.png"},
	}
}

type source struct {
	in   fs.FS
	name string
}

// Has tells whether there is a file of this name beside the page.
func Has(name string) bool {
	_, is := files()[name]
	return is && name != Page
}

// Files are the page and what it needs. They stay where the program has them, and are in no other memory.
type Files struct {
	byName map[string]file
}

type file struct {
	source

	mediaType string
	size      int64
	zipped    bool
	tag       string // of what it says
}

// New looks at the files.
func New() (*Files, error) {
	f := &Files{byName: map[string]file{}}
	for name, from := range files() {
		is, err := look(name, from)
		if err != nil {
			return nil, fmt.Errorf("read file %s of the docs page: %w", name, err)
		}
		f.byName[name] = is
	}
	return f, nil
}

func look(name string, from source) (file, error) {
	data, err := from.in.Open(from.name)
	if err != nil {
		return file{}, err //nolint:wrapcheck // New does
	}
	defer func() { _ = data.Close() }()
	sum := sha256.New()
	size, err := io.Copy(sum, data)
	const enough = 8 // bytes
	return file{
		source: from, mediaType: mediaType(name), size: size, zipped: strings.HasSuffix(from.name, ".gz"),
		tag: hex.EncodeToString(sum.Sum(nil)[:enough]),
	}, err //nolint:wrapcheck // New does
}

// mediaType does not ask the machine, which may know better.
func mediaType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	default:
		return mime.TypeByExtension(ext)
	}
}

// Serve answers with a file. A client asks for it again each time, and is sent it if it has another one.
func (f *Files) Serve(w http.ResponseWriter, r *http.Request, name string) error {
	is := f.byName[name]
	data, err := is.in.Open(is.name)
	if err != nil {
		return fmt.Errorf("serve %s: %w", name, err)
	}
	defer func() { _ = data.Close() }()
	var body io.Reader = data
	h := w.Header()
	switch zipped := is.zipped && takesGzip(r); {
	case zipped:
		h.Set("Content-Encoding", "gzip")
		is.tag += "-gzip"
	case is.zipped:
		if body, err = gzip.NewReader(data); err != nil {
			return fmt.Errorf("serve %s: %w", name, err)
		}
		is.size = -1
	}
	if is.head(h); fresh(r, h.Get("ETag")) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if is.size >= 0 {
		h.Set("Content-Length", strconv.FormatInt(is.size, 10))
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, body) // a client that has gone needs no answer
	}
	return nil
}

// head sets what is said of a file, sent or not.
func (is *file) head(h http.Header) {
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", strconv.Quote(is.tag))
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Type", is.mediaType)
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// takesGzip tells whether the client reads gzip.
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		_, weight, _ := strings.Cut(quality, "=")
		q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
		if strings.EqualFold(strings.TrimSpace(name), "gzip") && (err != nil || q > 0) {
			return true
		}
	}
	return false
}

// fresh tells whether the client has just this (RFC 9110, section 13.1.2).
func fresh(r *http.Request, tag string) bool {
	for has := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if has = strings.TrimPrefix(strings.TrimSpace(has), "W/"); has == tag || has == "*" {
			return true
		}
	}
	return false
}
