package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/rollout"
	"kayra/server/client"
	"kayra/store/catalog"
)

func rolloutCommand(e *env) *cobra.Command {
	w := &wizardry{}
	cmd := &cobra.Command{
		Use:   "rollout [API]",
		Short: "Bring an API to another sync id through a canary, step by step",
		Long: "Bring an API to another sync id through a canary, step by step, at a terminal:\n" +
			"which API, which namespaces, what would happen, then the canaries as they move,\n" +
			"and at the end the choice between releasing, leaving it pending and aborting.\n" +
			"While a rollout is pending it begins there. API is a short or a long name.\n\n" +
			"Nothing is changed before it is confirmed. Afterwards Ctrl-C leaves the wizard,\n" +
			"and the rollout goes on: the same command comes back to it.\n\n" +
			"Scripts use the commands below, or `sync`. They send the same requests.",
		Example: "  kayra rollout compute.example.com\n  kayra rollout --accessible\n" +
			"  kayra rollout start compute.example.com --canary sre --wait --timeout 10m",
		Args: oneAPI("rollout", &w.api, true),
		RunE: func(cmd *cobra.Command, _ []string) error { return w.run(cmd, e) },
	}
	cmd.Flags().BoolVar(&w.accessible, "accessible", false, "ask in plain lines, for screen readers; so does TERM=dumb")
	addClient(cmd)
	cmd.AddCommand(rolloutStatusCommand(e), rolloutStartCommand(e), rolloutReleaseCommand(e), rolloutAbortCommand(e))
	return cmd
}

// oneAPI reads the name of an API, which may be left out where it is optional.
func oneAPI(verb string, into *string, optional bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		form := "the form is " + verb + " API, such as " + verb + " compute.example.com"
		switch {
		case len(args) == 0 && optional:
			return nil
		case len(args) == 0:
			return usage(form, "which API?")
		case len(args) > 1 && cmd.HasSubCommands():
			return noArgs(cmd, args)
		case len(args) > 1:
			return usage(form, "%s takes one API, and %q is one more", verb, args[1])
		case !catalog.ValidLongName(args[0]) && !catalog.ValidLabel(args[0]):
			return usage(form, "%q is not the name of an API: neither a long one, such as compute.example.com, nor a short one", args[0])
		}
		*into = args[0]
		return nil
	}
}

// change is an order to change what an API's subscribers are to be at.
type change struct {
	output

	api      string
	canaries []string
	expect   string // the sync id that somebody has seen; "": the one that is read first
	wait     bool
	timeout  time.Duration
	dryRun   bool
	yes      bool
}

// How long is waited by default, and how often something is said meanwhile, whatever happens.
const (
	defaultWait = 10 * time.Minute
	heartbeat   = 30 * time.Second
)

// addChange declares the flags that all changes have.
func addChange(cmd *cobra.Command, c *change) {
	addWait(cmd, &c.wait, &c.timeout)
	cmd.Flags().StringVar(&c.expect, "expect-sync-id", "", "refuse, with exit code 5, unless the API is at this sync id by then")
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "show what would happen and which request would be sent, and send nothing")
	addOutput(cmd, &c.output)
	addClientAs(cmd, requestTimeout)
}

// requestTimeout is the flag for the time of a single request where --timeout is about the whole wait.
const requestTimeout = "request-timeout"

func addWait(cmd *cobra.Command, wait *bool, timeout *time.Duration) {
	cmd.Flags().BoolVar(wait, "wait", false, "wait until it has come about: 8 if a sync has ended in error, 7 if time is up")
	cmd.Flags().DurationVar(timeout, "timeout", defaultWait, "how long --wait waits")
}

func addYes(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVarP(yes, "yes", "y", false, "do not ask")
}

func addCanary(cmd *cobra.Command, canaries *[]string) {
	cmd.Flags().StringSliceVar(canaries, "canary", nil, "namespaces that get the fresh sync id first, with commas between; at most 100")
}

// quiet tells that the standard error is for programs, too: a failure is all that it may have.
func (o *output) quiet() bool { return o.format.format == printer.JSON }

// check refuses flags that mean nothing.
func (c *change) check() error { return checkWait(c.timeout) }

func checkWait(timeout time.Duration) error {
	if timeout <= 0 {
		return usage("give a time such as 10m", "--timeout %s is not a time to wait", timeout)
	}
	return nil
}

// engine makes the engine for the server that a command speaks to, with the long name of the API; an empty name stays empty.
func (m *remote) engine(ctx context.Context, e *env, name string) (*rolling, *rollout.Engine, string, error) {
	groups, err := m.groups(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	own, err := findGroup(groups, "catalog")
	if err != nil {
		return nil, nil, "", err
	}
	r := &rolling{remote: m, group: own.Name, now: e.now}
	engine := rollout.New(r, own.Name)
	if name == "" || strings.Contains(name, ".") {
		return r, engine, name, nil // whether a long name is one, the server tells
	}
	group, err := findGroup(groups, name)
	if err != nil {
		return nil, nil, "", err
	}
	if group.Builtin {
		return nil, nil, "", &failure{code: codeNotFound, message: group.Name + " is Kayra's own, and nobody is synced to it", hint: "`kayra apis` lists those there are"}
	}
	return r, engine, group.Name, nil
}

// placeOf is where the commands that a user is shown are to be run.
func (e *env) placeOf(cmd *cobra.Command, m *remote) rollout.Place {
	at := rollout.Place{Program: cmd.Root().Name(), Server: m.server}
	if e.configPath != "" {
		at.Flags = append(at.Flags, "--config", e.configPath)
	}
	switch {
	case m.context != "":
		at.Flags = append(at.Flags, "--"+contextFlag, m.context)
	case cmd.Flags().Changed("server"):
		at.Flags = append(at.Flags, "--server", m.server)
	}
	return at
}

// ofRollout is the failure of what the rollout engine was asked for.
func ofRollout(err error) error {
	var f *failure
	choice, chosen := errors.AsType[*rollout.ChoiceError](err)
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case chosen && errors.Is(err, rollout.ErrChoice):
		return &failure{code: codeUsage, message: choice.Problem, hint: choice.Hint, err: err}
	case chosen:
		return &failure{code: codeNotFound, message: choice.Problem, hint: choice.Hint, err: err}
	case errors.Is(err, client.ErrTimeout):
		return &failure{code: codeTimeout, message: err.Error(), hint: "--" + requestTimeout + " allows for more", err: err}
	}
	if changed, ok := errors.AsType[*rollout.ChangedError](err); ok {
		return &failure{
			code: codeConflict, message: changed.Error(), err: err,
			hint: fmt.Sprintf("`kayra rollout status %s` shows what is so now", changed.Plan.API),
		}
	}
	return err
}
