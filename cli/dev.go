package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"kayra/cli/demo"
)

func devCommand(e *env) *cobra.Command {
	var dir string
	listen := demo.Addresses{}
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run all of Kayra on this machine, with what you make in it kept",
		Long: "Run all of Kayra on this machine until Ctrl-C, to develop and to try things out\n" +
			"with: a server, a reconciler, and a sample app behind a sample gateway, as\n" +
			"processes of their own. What is made in it stays in a directory, ./kayra-dev\n" +
			"without --dir, so that the next start finds everything as it was. A token that\n" +
			"may do everything is made once and kept there, too; it is printed, with the\n" +
			"commands to begin with.\n" +
			"\n" +
			"Your contexts are not touched: the commands take where the server is from a\n" +
			"configuration in that directory, which KAYRA_CONFIG names.",
		Example: `  kayra dev
  kayra dev --dir /tmp/kayra-dev --listen 127.0.0.1:8080`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			executable, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			signal.Ignore(syscall.SIGPIPE) // would end the process where it stands, and its children out of order
			err = demo.Dev(cmd.Context(), demo.Options{
				Executable: executable, Name: cmd.Root().Name(), Environ: e.environ, Out: e.streams.Out, Err: e.streams.Err, Now: e.now,
			}, dir, listen)
			if errors.Is(err, demo.ErrBusy) {
				return &failure{code: codeConflict, message: err.Error(), hint: "another `kayra dev` runs on it: use that one, or name another directory with --dir", err: err}
			}
			return err //nolint:wrapcheck // says what failed
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "kayra-dev", "directory that everything is kept in")
	cmd.Flags().StringVar(&listen.Server, "listen", "127.0.0.1:0", "address of the server, HOST:PORT; port 0 takes a free one")
	cmd.Flags().StringVar(&listen.Reconciler, "reconciler-listen", "127.0.0.1:0", "address of the reconciler, likewise")
	cmd.Flags().StringVar(&listen.Gateway, "gateway-listen", "127.0.0.1:0", "address of the sample gateway, likewise")
	return cmd
}
