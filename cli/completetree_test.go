package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kayra/cli"
)

// freely are flags whose values nobody can know before.
var freely = []string{
	"as", "as-group", "data", "gateway", "gateway-listen", "label", "limit", "listen", "reconciler-listen", "request-timeout", "server", "startup-timeout", "timeout", "work",
}

// Every flag that has a value is completed by what there is or by files, or is listed above. Whoever adds one completes it in
// completetree.go, or lists it.
func TestEveryFlagIsCompleted(t *testing.T) {
	t.Parallel()
	s := catalogue(t)
	h := newHome(t)
	h.store(t, "contexts:\n- {name: prod, server: 'https://kayra.example.com'}\n")
	env := append(h.env, "KAYRA_CLIENT_SERVER="+s.URL, "XDG_CACHE_HOME="+t.TempDir())
	each(cli.Command(), func(cmd *cobra.Command) {
		_, path, _ := strings.Cut(cmd.CommandPath(), " ")
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" || f.Hidden {
				return
			}
			t.Run(path+" --"+f.Name, func(t *testing.T) {
				t.Parallel()
				got := tab(t, env, strings.Join(append(strings.Fields(path), arguments(path)...), " ")+" --"+f.Name+" '")
				known := got != ":4\n" && got != ":6\n"
				if free := slices.Contains(freely, f.Name); known == free {
					t.Errorf("completed: %v, and listed as one that is not: %v; it gives %q", known, free, got)
				}
				if strings.HasSuffix(got, ":0\n") != isFile(f.Name) {
					t.Errorf("files are offered, or are not: %q", got)
				}
			})
		})
	})
}

// arguments are such that there is something to complete.
func arguments(path string) []string {
	switch strings.Fields(path + " x")[0] {
	case "get", "create", "update", "edit", "delete", "describe", "wait":
		return []string{"catalog", "subscriptions"}
	case "sync", "rollout", "why":
		return []string{"compute"}
	}
	return nil
}

func isFile(flag string) bool {
	return flag == "config" || flag == "file" || strings.HasSuffix(flag, "-file") || strings.HasSuffix(flag, "-dir")
}
