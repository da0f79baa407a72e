package quiet_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"kayra/cli/quiet"
)

// report has the test binary tell what it has of the variable, before and after Restore.
const report = "KAYRA_TEST_REPORT"

func TestMain(m *testing.M) {
	if os.Getenv(report) == "" {
		os.Exit(m.Run()) //nolint:forbidigo // as every TestMain
	}
	before := os.Getenv("CI")
	quiet.Restore()
	after := slices.DeleteFunc(os.Environ(), func(pair string) bool { return !strings.HasPrefix(pair, "CI=") })
	_, _ = os.Stdout.WriteString(before + " " + strings.Join(after, ","))
}

func TestTheVariableIsSetUntilMainBegins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given []string
		want  string
	}{
		"not given": {nil, "1 "},
		"empty":     {[]string{"CI="}, "1 CI="},
		"given":     {[]string{"CI=woodpecker"}, "woodpecker CI=woodpecker"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(c.given, report+"=1")
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != c.want {
				t.Errorf("told %q, %v, want %q", out, err, c.want)
			}
		})
	}
}
