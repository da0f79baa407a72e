package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const exitCodes = `Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 not
authenticated or not allowed, 4 not found, 5 conflict, 6 server or store
unreachable, 7 timed out, 8 the sync ended in error, 130 interrupted.`

// helpWidth is how wide a help text may be, in cells: a terminal's width where nobody has made it wider.
const helpWidth = 80

// nearby is how many letters a word may be away from the one that was probably meant.
const nearby = 2

func rootCommand(e *env, name string) *cobra.Command {
	root := &cobra.Command{
		Use:   name,
		Short: "A control plane for teams that offer APIs to tenants",
		Long: "A control plane for teams that offer APIs to tenants: it knows which APIs there\n" +
			"are and who is subscribed to them, and brings every subscription up to its API's\n" +
			"sync id, through a canary first if you want.\n\n" + exitCodes,
		Args:              noArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:           readBuild().Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			e.running, e.asJSON = true, wantsJSON(cmd, nil)
			e.streams.Color = e.color.decide(e.streams.Color)
		},
	}
	root.PersistentFlags().StringVar(&e.configPath, "config", "", "configuration file; without it $KAYRA_CONFIG, ./kayra.yaml and the usual places")
	root.PersistentFlags().Var(&e.color, "color", "colour tables: auto (at a terminal, unless $NO_COLOR is set), always or never")
	root.SetIn(e.streams.In)
	root.SetOut(e.streams.Out)
	root.SetErr(e.streams.Err)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", helpWidth)))
	addGroup(root, "What there is:",
		getCommand(e), describeCommand(e), createCommand(e), updateCommand(e), editCommand(e), deleteCommand(e),
		applyCommand(e), diffCommand(e), apisCommand(e))
	addGroup(root, "Rollouts:",
		topCommand(e), syncCommand(e), rolloutCommand(e), waitCommand(e), planCommand(e), whyCommand(e))
	addGroup(root, "You, and the servers that you speak to:",
		loginCommand(e), logoutCommand(e), whoamiCommand(e), checkCommand(e), contextCommand(e))
	root.AddCommand(configCommand(e), completionCommand(e), versionCommand(e))
	root.Example = "  kayra login --server https://kayra.example.com\n  kayra get catalog subscriptions -A\n  kayra sync compute.example.com"
	if name != clientName {
		addGroup(root, "Running Kayra:", serveCommand(e), reconcilerCommand(e), devCommand(e), demoCommand(e), demoAppCommand(e), storeCommand(e))
		root.Example = "  kayra demo\n  kayra serve --config kayra.yaml\n" + root.Example
	}
	root.InitDefaultHelpCmd()
	strictHelp(root)
	rename(root, name)
	return root
}

// strictHelp has help refuse what is no command.
func strictHelp(root *cobra.Command) {
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "help" })
	root.Commands()[i].Args = func(_ *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		if err != nil {
			return err //nolint:wrapcheck // says it all
		}
		if len(rest) > 0 && !found.HasSubCommands() {
			return usage("", "%q is not a command of %s", rest[0], found.CommandPath())
		}
		return noArgs(found, rest)
	}
}

// addGroup adds commands that the help lists together.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = title
	}
	root.AddCommand(commands...)
}

// rename writes the examples for the name that the program was started under.
func rename(cmd *cobra.Command, name string) {
	cmd.Example = strings.ReplaceAll(cmd.Example, "kayra ", name+" ")
	if cmd.Name() == "help" {
		cmd.Example = fmt.Sprintf("  %s help get", name)
	}
	for _, sub := range cmd.Commands() {
		rename(sub, name)
	}
}

// noArgs refuses arguments, which for a command with verbs are verbs that it does not have.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return usage("", "%s takes no arguments, and %q is one", cmd.Name(), args[0])
	}
	hint := ""
	if instead, ok := elsewhere(args[0]); ok && !cmd.HasParent() {
		return usage("", "%s is not a command: use %s", args[0], instead)
	}
	cmd.SuggestionsMinimumDistance = nearby
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
	}
	return usage(hint, "%q is not a command of %s", args[0], cmd.CommandPath())
}

// elsewhere is the command that does what other programs have another word for.
func elsewhere(word string) (string, bool) {
	switch word {
	case "patch", "put", "set":
		return "update", true
	case "list", "show":
		return "get", true
	case "remove", "rm":
		return "delete", true
	case "can-i":
		return "check", true
	}
	return "", false
}
