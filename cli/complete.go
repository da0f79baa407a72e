package cli

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kayra/cli/complete"
)

// What a shell waits for at the tab key, all in all. The server has a little less, so that it can be remembered that it was
// silent.
const (
	completionBudget = 800 * time.Millisecond
	serverBudget     = 650 * time.Millisecond
)

// asksForCompletion tells whether it is a shell's script that has started the program.
func asksForCompletion(args []string) bool {
	return len(args) > 1 && (args[1] == cobra.ShellCompRequestCmd || args[1] == cobra.ShellCompNoDescRequestCmd)
}

// query is what a shell wants completed.
type query struct {
	cmd   *cobra.Command
	args  []string // the arguments before it
	typed string   // its beginning
}

// finder finds what could come next. It gives up, with nothing, when ctx ends.
type finder func(ctx context.Context, q query) []complete.Suggestion

// completing has every argument and flag completed by what there is, and nothing but the suggestions written. File names
// are suggested where a file is meant.
func (e *env) completing(root *cobra.Command) {
	e.streams.Err = io.Discard
	root.SetErr(io.Discard)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	e.attachCompletions(root)
}

func (e *env) attachCompletions(cmd *cobra.Command) {
	if find := e.argumentsOf(cmd); find != nil && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = suggest(find, 0)
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if fn := e.valuesOf(f); fn != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, fn) // the flag is there, and one that has brought its own keeps it
		}
	})
	for _, sub := range cmd.Commands() {
		e.attachCompletions(sub)
	}
}

// suggest makes a finder what cobra calls. It is waited for as long as there is budget, whatever it does.
func suggest(find finder, also cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionBudget)
		defer cancel()
		found := make(chan []complete.Suggestion, 1)
		go func() { found <- find(ctx, query{cmd, args, typed}) }()
		select {
		case all := <-found:
			words := complete.Words(all, typed)
			if len(words) > 0 && !slices.ContainsFunc(words, ended) {
				also |= cobra.ShellCompDirectiveNoSpace
			}
			return words, cobra.ShellCompDirectiveNoFileComp | also
		case <-ctx.Done():
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
}

// ended tells a word behind which the next one may begin.
func ended(word string) bool {
	value, _, _ := strings.Cut(word, "\t")
	return !strings.HasSuffix(value, "/") && !strings.HasSuffix(value, "=")
}

// fixed finds the same wherever it is asked. Each line is a word, and what is said of it behind a space.
func fixed(lines ...string) finder {
	all := make([]complete.Suggestion, len(lines))
	for i, line := range lines {
		all[i].Value, all[i].Note, _ = strings.Cut(line, " ")
	}
	return func(context.Context, query) []complete.Suggestion { return all }
}

// inList has find complete the last of several values with commas between them, and leaves out those that are there.
func inList(find finder) finder {
	return func(ctx context.Context, q query) []complete.Suggestion {
		at := strings.LastIndexByte(q.typed, ',') + 1
		before := q.typed[:at]
		q.typed = q.typed[at:]
		all := slices.DeleteFunc(find(ctx, q), func(s complete.Suggestion) bool { return slices.Contains(strings.Split(before, ","), s.Value) })
		return around(before, all, "")
	}
}
