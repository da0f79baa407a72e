package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what the program knows of its making. The toolchain writes it: the version is the tag that was built or, for a
// checkout, one made of the commit.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // the checkout had changes that were not committed
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readBuild() build {
	b := build{Version: "unknown", Commit: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func versionCommand(e *env) *cobra.Command {
	var o output
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show what this program was built from",
		Example: `  kayra version
  kayra version -o json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := readBuild()
			if !o.format.given {
				return e.say("kayra %s\ncommit %s\n%s %s", b.Version, b.Commit, b.Go, b.Platform)
			}
			document, err := json.Marshal(b)
			if err != nil {
				return fmt.Errorf("show version: %w", err)
			}
			return e.show(o, "version", document)
		},
	}
	addOutput(cmd, &o)
	cmd.Flag("output").DefValue = "" // a few lines of text
	return cmd
}
