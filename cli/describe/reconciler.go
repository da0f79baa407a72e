package describe

import (
	"strconv"

	"kayra/server/api"
)

// Reconciler describes a reconciler process.
func Reconciler(r api.Reconciler) string {
	p := &page{}
	office := "no"
	if r.Konductor {
		office = "yes: it decides what must be decided once"
	}
	p.facts("",
		fact{"Id", r.ID}, fact{"Host", r.Host}, fact{"Pid", strconv.Itoa(r.PID)}, fact{"Endpoint", orNone(r.Endpoint)},
		fact{"Version", r.Version}, fact{"Started", moment(r.StartedAt)}, fact{"Konductor", office})
	return p.String()
}
