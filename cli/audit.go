package cli

import (
	"context"
	"time"

	"kayra/server/audit"
)

// openAudit opens what server.audit_log names, if it names anything. end is to be called once nothing more is said to it.
func (s *serve) openAudit(e *env) (end func() error, err error) {
	path := s.config.Server.AuditLog
	if path == "" {
		return func() error { return nil }, nil
	}
	o := audit.Options{Path: path, Logger: s.log, Registry: s.registry}
	if path == "-" {
		o.Path, o.Writer = "", e.streams.Err
	}
	log, err := audit.Open(o)
	if err != nil {
		return nil, wrongKey(s.config, "server.audit_log", err)
	}
	s.audit = log.Logger()
	return func() error {
		const patience = 5 * time.Second
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return log.Close(ctx)
	}, nil
}
