package cli

import (
	"os"
	"time"

	"kayra/config"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
	"kayra/tui"
)

// ParseModes is what every process makes of a configuration's modes.
func ParseModes(c *config.Config, env func(string) (string, bool)) (*pipeline.Pipelines, error) {
	return parseModes(c, env)
}

// OperatorOf is what every process makes of a configuration's defaults of operator blocks.
func OperatorOf(c *config.Config) (*catalog.Operator, error) { return operatorOf(c) }

// Obey is what the process does with the signals that it gets.
func Obey(signals <-chan os.Signal, ask, insist func()) { obey(signals, ask, insist) }

// MayAsk tells why a token does not go to a reconciler, when the command speaks to a server; nil: it does. stored tells that
// it is a context's, and lent that it may go to reconcilers nevertheless.
func MayAsk(server, endpoint string, stored, lent bool) error {
	return (&place{server: server, stored: stored, tokenBy: "context prod", reconcilers: lent}).mayAsk(endpoint)
}

// Connection is what `kayra top` has with these flags.
func Connection(environ []string, flags ...string) (tui.Connection, error) {
	e := newEnv(Process{Environ: environ, Now: time.Now})
	cmd := topCommand(e)
	if err := cmd.ParseFlags(flags); err != nil {
		return tui.Connection{}, err
	}
	m, err := e.remote(cmd)
	if err != nil {
		return tui.Connection{}, err
	}
	return e.dashboard(m, e.placeOf(cmd, m), "").connection(), nil
}
