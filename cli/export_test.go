package cli

import (
	"os"

	"kayra/config"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// ParseModes is what every process makes of a configuration's modes.
func ParseModes(c *config.Config, env func(string) (string, bool)) (*pipeline.Pipelines, error) {
	return parseModes(c, env)
}

// OperatorOf is what every process makes of a configuration's defaults of operator blocks.
func OperatorOf(c *config.Config) (*catalog.Operator, error) { return operatorOf(c) }

// Obey is what the process does with the signals that it gets.
func Obey(signals <-chan os.Signal, ask, insist func()) { obey(signals, ask, insist) }

// Vouches tells whether a token goes to a reconciler, when the command speaks to a server. stored tells that it is a context's.
func Vouches(server, endpoint string, stored bool) bool {
	return (&place{server: server, stored: stored}).vouches(endpoint)
}
