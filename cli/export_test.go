package cli

import (
	"kayra/config"
	"kayra/reconciler/pipeline"
)

// ParseModes is what every process makes of a configuration's modes.
func ParseModes(c *config.Config, env func(string) (string, bool)) (*pipeline.Pipelines, error) {
	return parseModes(c, env)
}
