package server

import (
	"log/slog"
	"net/http"

	"kayra/server/auth"
)

// SysadminsOnly guards what another listener answers: it lets sysadmins pass, and refuses everybody else as the server
// does. The log is told when it cannot be found out who asks.
func SysadminsOnly(who auth.Authenticator, sysadmins auth.Sysadmins, log *slog.Logger) func(http.Handler) http.Handler {
	s := &Server{who: who, sysadmins: sysadmins, log: log}
	return func(guarded http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id, err := s.identify(r)
			if err == nil && !s.sysadmins.Include(id) {
				err = refuse(http.StatusForbidden, "user %q may not ask this: it is for sysadmins alone, ask one", clip(id.User))
			}
			if err != nil {
				s.fail(w, r, err)
				return
			}
			guarded.ServeHTTP(w, r)
		})
	}
}
