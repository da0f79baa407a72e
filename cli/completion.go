package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that a script can be had for.
func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func completionCommand(e *env) *cobra.Command {
	var plain bool
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write the script that has a shell complete your command lines",
		Long: "Write the script that has a shell complete your command lines: bash (with the\n" +
			"package bash-completion), zsh, fish or powershell. It completes commands, flags\n" +
			"and the names of what the server has, with a word about each. A server that does\n" +
			"not answer within a second is not waited for, and names that mean more to a\n" +
			"shell than themselves are left out. What a server has answered is remembered\n" +
			"for 10 seconds, in $XDG_CACHE_HOME/kayra or ~/.cache/kayra.",
		Example: `  source <(kayra completion bash)
  kayra completion bash >~/.local/share/bash-completion/completions/kayra
  kayra completion zsh >"${fpath[1]}/_kayra"
  kayra completion fish >~/.config/fish/completions/kayra.fish
  kayra completion powershell | Out-String | Invoke-Expression`,
		Args: oneShell,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writeScript(cmd.Root(), args[0], !plain, e.streams.Out); err != nil {
				return fmt.Errorf("write completion script: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&plain, "no-descriptions", false, "complete names alone, without a word about each")
	return cmd
}

func oneShell(_ *cobra.Command, args []string) error {
	hint := "one of " + strings.Join(shells(), ", ")
	switch {
	case len(args) == 0:
		return usage(hint, "which shell?")
	case len(args) > 1:
		return usage(hint, "too many arguments: %q is one more than there can be", args[1])
	case !slices.Contains(shells(), args[0]):
		return usage(hint, "there is no script for %q", args[0])
	}
	return nil
}

// writeScript writes a shell's script, which asks the program itself for the rest.
func writeScript(root *cobra.Command, shell string, notes bool, to io.Writer) error {
	switch {
	case shell == "bash":
		return writeBash(root, notes, to)
	case shell == "fish":
		return root.GenFishCompletion(to, notes) //nolint:wrapcheck // is wrapped by the caller
	case shell == "zsh" && notes:
		return root.GenZshCompletion(to) //nolint:wrapcheck // is wrapped by the caller
	case shell == "zsh":
		return root.GenZshCompletionNoDesc(to) //nolint:wrapcheck // is wrapped by the caller
	case notes:
		return root.GenPowerShellCompletionWithDesc(to) //nolint:wrapcheck // is wrapped by the caller
	}
	return root.GenPowerShellCompletion(to) //nolint:wrapcheck // is wrapped by the caller
}

// writeBash writes cobra's script without its quoting: all that is offered is plain, and what bash would quote in it, as the
// commas of a list, would not be what was typed.
func writeBash(root *cobra.Command, notes bool, to io.Writer) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, notes); err != nil {
		return err //nolint:wrapcheck // is wrapped by the caller
	}
	_, err := to.Write(bytes.ReplaceAll(script.Bytes(), []byte("%q"), []byte("%s")))
	return err //nolint:wrapcheck // is wrapped by the caller
}
