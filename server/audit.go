package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"kayra/store/catalog"
)

const maxPath = 1 << 10 // bytes of a path in the audit

// writes tells whether a request for the route changes what is in the store.
func (rt *route) writes() bool {
	return rt.method != http.MethodGet && rt.group() != "" && rt.resource != "check"
}

// observed is a context in which a call remembers what it changes.
func (s *Server) observed(ctx context.Context, rt *route, c *call) context.Context {
	if !rt.writes() {
		return ctx
	}
	return catalog.Observe(ctx, func(ch catalog.Change) { c.change = &ch })
}

// record writes the audit's line about a write, and about the attempt at one, of a caller that is known.
func (s *Server) record(ctx context.Context, rt *route, c *call, w http.ResponseWriter) {
	if s.audit == nil || !rt.writes() || c.who.User == "" {
		return
	}
	status := http.StatusInternalServerError // of a handler that has panicked: it is answered for later
	if rec, ok := w.(*recorder); ok && rec.status != 0 {
		status = rec.status
	}
	line := slog.NewRecord(time.Now().UTC(), slog.LevelInfo, "write", 0)
	line.AddAttrs(slog.String("request_id", requestIDOf(c.Request)),
		slog.String("user", c.who.User), slog.Any("groups", append([]string{}, c.who.Groups...)), slog.String("remote", c.RemoteAddr),
		slog.String("method", c.Method), slog.String("path", clipTo(maxPath, c.URL.EscapedPath())),
		slog.String("api", rt.group()), slog.String("resource", rt.resource), slog.String("verb", rt.verb))
	line.AddAttrs(about(c)...)
	line.AddAttrs(slog.Int("status", status), slog.String("result", result(c.Request, status)))
	if detail := auditDetail(status, c.refused); detail != "" {
		line.AddAttrs(slog.String("detail", detail))
	}
	// not Log, which a level could silence and which keeps failures to itself
	if err := s.audit.Handler().Handle(ctx, line); err != nil {
		s.log.LogAttrs(ctx, slog.LevelError, "audit line not written",
			slog.String("request_id", requestIDOf(c.Request)), slog.Any("error", err))
	}
}

// about is what the call is about: what it changed or, if it changed nothing, what its path names.
func about(c *call) []slog.Attr {
	namespace, name := c.PathValue("ns"), ""
	for _, wildcard := range []string{"ns", "name", "api", "role", "binding"} {
		if value := c.PathValue(wildcard); value != "" {
			name = value
		}
	}
	var versions []slog.Attr
	if ch := c.change; ch != nil {
		namespace, name = ch.ID.Namespace, nameOf(ch.ID)
		versions = append(versions, version("before", ch.Before), version("after", ch.After))
		if len(ch.RoleBindings) > 0 {
			versions = append(versions, slog.Any("role_bindings_deleted", ch.RoleBindings))
		}
	}
	return append([]slog.Attr{slog.String("namespace", namespace), slog.String("name", name)}, versions...)
}

func nameOf(id catalog.ID) string {
	switch id.Kind {
	case catalog.KindNamespace:
		return id.Namespace
	case catalog.KindRegistration, catalog.KindSubscription:
		return id.API
	default:
		return id.Name
	}
}

func version(key string, v *catalog.Version) slog.Attr {
	if v == nil {
		return slog.Any(key, nil)
	}
	attrs := []any{slog.String("uid", v.UID), slog.String("etag", v.Tag)}
	if v.SyncID != "" {
		attrs = append(attrs, slog.String("sync_id", v.SyncID))
	}
	if v.ReleasedSyncID != "" {
		attrs = append(attrs, slog.String("released_sync_id", v.ReleasedSyncID))
	}
	if len(v.CanaryNamespaces) > 0 {
		attrs = append(attrs, slog.Any("canary_namespaces", v.CanaryNamespaces))
	}
	return slog.Group(key, attrs...)
}

func result(r *http.Request, status int) string {
	switch {
	case status < http.StatusBadRequest && isDryRun(r):
		return dryRun
	case status < http.StatusBadRequest:
		return "done"
	case status < http.StatusInternalServerError:
		return "refused"
	}
	return "failed"
}

// auditDetail says why a write was not done. What was wrong with the request itself is told to the caller alone, since
// that repeats what stood in it.
func auditDetail(status int, refused error) string {
	switch {
	case refused == nil:
		return ""
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnsupportedMediaType:
		return "the request itself is wrong"
	}
	return asRefusal(refused).detail
}
