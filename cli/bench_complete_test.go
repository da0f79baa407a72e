//go:build !windows

package cli_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkCompletion measures how long a shell waits at the tab key for the names of a list, which takes two requests: with what
// is remembered, with nothing remembered, where nobody listens, and where somebody listens and never answers. The floor is a Go
// program that does nothing; the promise is a second, silence and exit code 0.
func BenchmarkCompletion(b *testing.B) {
	const usual, few = 20, 2
	dir := b.TempDir()
	kayra, empty := built(b, dir, "kayra", "kayra"), built(b, dir, "empty", emptyProgram(b, dir))
	up := startServer(b, kayra)
	for name, c := range map[string]struct {
		env   []string
		fresh bool // nothing is remembered
		turns int
		names string
	}{
		"warm":    {up, false, usual, "ns-1\tnot active\n:4\n"},
		"cold":    {up, true, usual, "ns-1\tnot active\n:4\n"},
		"refused": {[]string{"KAYRA_CLIENT_SERVER=http://127.0.0.1:1"}, true, usual, ":4\n"},
		"hanging": {[]string{"KAYRA_CLIENT_SERVER=http://" + silence(b)}, true, few, ":4\n"},
	} {
		b.Run(name, func(b *testing.B) {
			env := append(c.env, "XDG_CACHE_HOME="+filepath.Join(dir, name))
			if len(c.names) > len(":4\n") {
				timed(b, env, kayra, "apply", "-f", namespaceFile(b))
			}
			line := []string{"__complete", "get", "catalog", "namespaces", ""}
			if out := ran(b, env, kayra, line...); out != c.names {
				b.Fatalf("it says %q", out)
			}
			var took, floor []time.Duration
			for b.Loop() {
				for range c.turns {
					wall, _ := timed(b, nil, empty)
					floor = append(floor, wall)
					if c.fresh {
						if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
							b.Fatal(err)
						}
					}
					wall, _ = timed(b, env, kayra, line...)
					took = append(took, wall)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(took), "ms")
			b.ReportMetric(median(floor), "floor-ms")
			b.ReportMetric(median(took)/median(floor), "ratio")
		})
	}
}

func namespaceFile(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "ns.yaml")
	if err := os.WriteFile(path, []byte("kind: Namespace\nname: ns-1\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}
