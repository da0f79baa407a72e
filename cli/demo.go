package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"kayra/cli/demo"
)

func demoCommand(e *env) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the main job from beginning to end, on this machine, in a few seconds",
		Long: "Show the main job from beginning to end: a server, a reconciler and a sample app behind a sample gateway start as\n" +
			"processes of their own on a temporary store; an API is registered, three namespaces subscribe to it, a canary reaches\n" +
			"one of them, and the release the others. Nothing is left behind.",
		Example: `  kayra demo
  kayra demo --keep`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			executable, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
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
	var stopWithParent bool
	work := 400 * time.Millisecond
	cmd := &cobra.Command{
		Use:     "demo-app",
		Short:   "Run the sample app and the sample gateway of the demonstration",
		Example: "  kayra demo-app --work 1s",
		Args:    noArgs,
		Hidden:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if stopWithParent {
				var cancel context.CancelFunc
				ctx, cancel = untilEOF(ctx, e.streams.In)
				defer cancel()
			}
			return demo.ServeApp(ctx, work, func(url string) error { return e.say(`{"address": %q}`, url) })
		},
	}
	cmd.Flags().DurationVar(&work, "work", work, "how long the app works on a sync")
	addUntilEOF(cmd, &stopWithParent)
	return cmd
}
