package docs_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"kayra/cli"
	"kayra/cli/term"
)

const cliHead = `# Every command

What ` + "`kayra COMMAND --help`" + ` says, by ` + "`make generate`" + `. [cli.md](../cli.md) tells how to use them. The program answers to two names:
as ` + "`kayra-cli`" + ` it has these commands except for %s.
`

func TestGeneratedCommands(t *testing.T) {
	t.Parallel()
	var page, body bytes.Buffer
	client := map[string]bool{}
	walk(cli.ClientCommand(), func(cmd *cobra.Command) { client[below(cmd)] = true })
	var servers []string
	walk(cli.Command(), func(cmd *cobra.Command) {
		path := below(cmd)
		if !client[path] {
			servers = append(servers, "`"+path+"`")
		}
		var out, errs bytes.Buffer
		code := cli.Run(t.Context(), cli.Process{
			Args:    append(strings.Fields("kayra "+path), "--help"),
			Streams: term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, Now: time.Now,
		})
		if code != 0 || errs.Len() > 0 {
			t.Fatalf("%s --help: exit code %d, %s", path, code, &errs)
		}
		_, _ = fmt.Fprintf(&body, "\n## %s\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.TrimSpace(out.String()))
	})
	slices.Sort(servers)
	_, _ = fmt.Fprintf(&page, cliHead, strings.Join(servers, ", "))
	page.Write(body.Bytes())
	generated(t, "cli.md", page.Bytes())
}

// walk visits a command and all below it that the help lists.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			walk(sub, visit)
		}
	}
}

// below is a command's path below the root.
func below(cmd *cobra.Command) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return path
}
