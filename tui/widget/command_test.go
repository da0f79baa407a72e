package widget_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kayra/tui/widget"
)

// What is shown can be pasted: a shell takes it for the same words, however narrow the terminal is.
func TestACommandThatIsBrokenIsTheSame(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no POSIX shell to try it in")
	}
	const body = `-d '{"canary_namespaces":["core","it'\''s \ one"]}'`
	for _, command := range []string{
		`kayra rollout start compute.example.com --canary core,sre --expect-sync-id 01K3Z9W2M4`,
		`curl -s -X PUT https://kayra.example.com/apis/catalog.example.com/v1/apiregistrations/compute.example.com/sync -H "A: Bearer $TOKEN" ` + body,
		`kayra sync compute --context 'prod 世界世界世界 '\''a'\'' \\ "b"'`,
	} {
		var script strings.Builder
		script.WriteString("TOKEN=secret; kayra() { printf '<%s>' \"$@\"; echo; }; curl() { kayra \"$@\"; }\n" + command + "\n")
		for width := range 100 {
			lines := widget.Command(command, width)
			script.WriteString(strings.Join(lines, "\n") + "\n")
			for _, line := range lines {
				if got := ansi.StringWidth(line); got > max(width, 5) {
					t.Errorf("%d cells where there are %d: %s", got, width, line)
				}
			}
		}
		said, err := exec.CommandContext(t.Context(), shell, "-c", script.String()).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		got := strings.Split(strings.TrimSpace(string(said)), "\n")
		for i, words := range got {
			if words != got[0] {
				t.Errorf("with %d columns\n%s\nmeans\n%s\nand not\n%s", i-1, strings.Join(widget.Command(command, i-1), "\n"), words, got[0])
			}
		}
		if want := 101; len(got) != want {
			t.Errorf("%d commands were run, not %d", len(got), want)
		}
	}
}
