package completions_test

import (
	"bytes"
	"flag"
	"os"
	"testing"
	"time"

	"kayra/cli"
	"kayra/cli/term"
)

var update = flag.Bool("update", false, "write the scripts instead of comparing them")

// Each script is the one that the program writes, whatever the configuration and without a server.
func TestScriptsAreGenerated(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"kayra", "kayra-cli"} {
		for shell, file := range map[string]string{"bash": program + ".bash", "zsh": "_" + program, "fish": program + ".fish", "powershell": program + ".ps1"} {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				var out, errs bytes.Buffer
				code := cli.Run(t.Context(), cli.Process{
					Args: []string{program, "completion", shell}, Environ: []string{"KAYRA_CONFIG=/no/such/file", "KAYRA_CLIENT_SERVER=http://127.0.0.1:1"},
					Streams: term.Streams{In: bytes.NewReader(nil), Out: &out, Err: &errs}, Now: time.Now,
				})
				if code != 0 || errs.Len() > 0 {
					t.Fatalf("exit code %d, %s", code, &errs)
				}
				if *update {
					if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil { //nolint:gosec // a file of the repository
						t.Fatal(err)
					}
					return
				}
				if have, err := os.ReadFile(file); err != nil || !bytes.Equal(have, out.Bytes()) {
					t.Errorf("%s is not what `%s completion %s` writes: run `make generate` (%v)", file, program, shell, err)
				}
			})
		}
	}
}
