package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"kayra/cli/demo"
)

func demoCommand(e *env) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the main job from beginning to end, in a few seconds",
		Long: "Show the main job from beginning to end: a server, a reconciler and a sample app\n" +
			"behind a sample gateway start as processes of their own on a temporary store; an\n" +
			"API is registered, three namespaces subscribe to it, a canary reaches one of\n" +
			"them, and the release the others. Nothing is left behind.",
		Example: `  kayra demo
  kayra demo --keep`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			executable, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			signal.Ignore(syscall.SIGPIPE) // would end the process where it stands, with all that it has to clear away
			return demo.Run(cmd.Context(), demo.Options{
				Executable: executable, Name: cmd.Root().Name(), Environ: e.environ,
				Out: e.streams.Out, Err: e.streams.Err, Now: e.now, Keep: keep,
			})
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave everything running at the end, until Ctrl-C, and say how to look at it")
	return cmd
}

// demoAppCommand is the sample app of the demonstration, which starts it. It says on the standard output where it listens.
func demoAppCommand(e *env) *cobra.Command {
	var untilInputEnds bool
	var o demo.AppOptions
	cmd := &cobra.Command{
		Use:   "demo-app",
		Short: "Run the sample app and the sample gateway of the demonstration",
		Long: "Run the sample app and the sample gateway of the demonstration, to try Kayra\n" +
			"with: the gateway serves the app's OpenAPI document and its resources as\n" +
			"compute.example.com, and the app takes requests to sync a namespace.",
		Example: `  kayra demo-app --listen 127.0.0.1:9000
  kayra demo-app --listen 127.0.0.1:9000 --work 10s`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if untilInputEnds {
				var cancel context.CancelFunc
				ctx, cancel = untilEOF(ctx, e.streams.In)
				defer cancel()
			}
			return demo.ServeApp(ctx, o, func(url string) error { return e.say(`{"address": %q}`, url) })
		},
	}
	cmd.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:0", "address of the gateway, HOST:PORT; port 0 takes a free one")
	cmd.Flags().StringVar(&o.File, "file", "", "file that the app keeps its machines in (default: in memory)")
	cmd.Flags().DurationVar(&o.Work, "work", 400*time.Millisecond, "how long the app works on a sync")
	addUntilEOF(cmd, &untilInputEnds)
	return cmd
}
