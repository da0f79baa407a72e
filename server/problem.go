package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kayra/server/api"
	"kayra/server/auth"
	"kayra/store"
	"kayra/store/catalog"
)

// refusal is an error that a client is told of. Any other error is told to the log only.
type refusal struct {
	status int
	detail string
	fields []api.FieldError

	invalidToken bool          // with 401: a token was sent
	retryAfter   time.Duration // with 503; 0: a second
}

func (e *refusal) Error() string { return e.detail }

// sentence is the detail with what is wrong with the first fields: many a reader shows nothing but the detail.
func (e *refusal) sentence() string {
	const most = 3
	if len(e.fields) == 0 {
		return e.detail
	}
	parts := make([]string, 0, most+1)
	for _, f := range e.fields[:min(len(e.fields), most)] {
		parts = append(parts, f.Pointer+" "+f.Detail)
	}
	if more := len(e.fields) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return e.detail + ": " + strings.Join(parts, "; ")
}

func refuse(status int, format string, args ...any) error {
	return &refusal{status: status, detail: fmt.Sprintf(format, args...)}
}

// unknownWrite is what a client has to know of a write that was not answered.
const unknownWrite = "; whether a write has happened is not known: read, and try again"

// asRefusal is what a client is told of the error.
func asRefusal(err error) *refusal {
	var own *refusal
	var domain *catalog.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &domain):
		return &refusal{status: statusOf(domain.Kind), detail: domain.Detail, fields: fields(domain.Fields)}
	case errors.Is(err, auth.ErrUnavailable):
		return &refusal{status: http.StatusServiceUnavailable, detail: auth.ErrUnavailable.Error() + ": try again later", retryAfter: auth.FetchPause}
	case errors.Is(err, store.ErrTooLarge):
		return &refusal{status: http.StatusRequestEntityTooLarge, detail: "the record would be larger than the store takes: make it smaller"}
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &refusal{status: http.StatusServiceUnavailable, detail: "the store does not answer" + unknownWrite}
	}
	return &refusal{status: http.StatusInternalServerError, detail: "something went wrong here; the server's log has more under the X-Request-Id of this answer"}
}

func statusOf(kind error) int {
	switch {
	case errors.Is(kind, catalog.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(kind, catalog.ErrForbidden):
		return http.StatusForbidden
	case errors.Is(kind, catalog.ErrConflict):
		return http.StatusConflict
	case errors.Is(kind, catalog.ErrPrecondition):
		return http.StatusPreconditionFailed
	case errors.Is(kind, catalog.ErrBusy):
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

func fields(of []catalog.FieldError) []api.FieldError {
	out := make([]api.FieldError, len(of))
	for i, f := range of {
		out[i] = api.FieldError(f)
	}
	return out
}

// ofRead is the refusal as a request that changes nothing is told of it.
func (e *refusal) ofRead() *refusal {
	read := *e
	read.detail = strings.ReplaceAll(read.detail, unknownWrite, ": try again")
	return &read
}

// fail answers with a problem.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	told := asRefusal(err)
	if r.Method == http.MethodGet || r.Method == http.MethodHead || isDryRun(r) {
		told = told.ofRead()
	}
	switch told.status {
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		// Where the client is gone, nothing is wrong here. What makes this server refuse by itself, and what keeps an issuer
		// away, was logged once for all requests.
		if _, own := errors.AsType[*refusal](err); r.Context().Err() == nil && !own && !errors.Is(err, auth.ErrUnavailable) {
			s.log.LogAttrs(r.Context(), slog.LevelError, "request failed", slog.String("method", r.Method),
				slog.String("path", r.URL.Path), slog.String("request_id", requestIDOf(r)), slog.Any("error", err))
		}
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", told.challenge())
	case http.StatusRequestEntityTooLarge:
		w.Header().Set("Connection", "close") // rather than read the rest
	}
	// A rate limit is so many a second, so that there is room after one.
	if told.status == http.StatusServiceUnavailable || told.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(int(max(told.retryAfter, time.Second).Seconds())))
	}
	s.write(w, r, api.ProblemType, told.status, api.Problem{
		Type: "about:blank", Title: http.StatusText(told.status), Status: told.status,
		Detail: told.sentence(), Instance: r.URL.EscapedPath(), Errors: told.fields,
	})
}

// clip keeps a problem readable, whatever was sent.
func clip(value string) string {
	const most = 80
	return clipTo(most, value)
}

func clipTo(most int, value string) string {
	if len(value) <= most {
		return value
	}
	return strings.ToValidUTF8(value[:most], "") + "…"
}
