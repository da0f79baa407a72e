package server

import "net/http"

// Bounds on the header of a request, below those of net/http: what those refuse is answered without a problem.
const (
	maxHeaderLines = 200
	maxHeaderSize  = 32 << 10 // bytes of the request line and the header lines
)

// bounded refuses requests whose header is out of proportion.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lines, size := measure(r)
		if lines > maxHeaderLines || size > maxHeaderSize {
			s.fail(w, r, refuse(http.StatusBadRequest,
				"the request has %d header lines and a head of %d bytes; at most %d lines and %d bytes are taken: send less",
				lines, size, maxHeaderLines, maxHeaderSize))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// measure counts the header lines, and the bytes that they and the request line take in HTTP/1.1.
func measure(r *http.Request) (lines, size int) {
	const line, field = len("  HTTP/1.1\r\n"), len(": \r\n")
	size = line + len(r.Method) + len(r.RequestURI)
	for name, values := range r.Header {
		for _, value := range values {
			lines++
			size += field + len(name) + len(value)
		}
	}
	return lines, size
}
