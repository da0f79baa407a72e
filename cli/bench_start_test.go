//go:build !windows

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkColdStart measures how long `kayra get` takes, built as it is shipped, of a list on a server that answers at once.
// The floor is a Go program that does nothing. The two take turns, so that each has as quiet a machine as the other, and the
// median of each counts.
func BenchmarkColdStart(b *testing.B) {
	dir := b.TempDir()
	kayra, empty := built(b, dir, "kayra", "kayra"), built(b, dir, "empty", emptyProgram(b, dir))
	s := startServer(b, kayra)
	const turns = 40
	var took, floor, busy []time.Duration
	for b.Loop() {
		for range turns {
			wall, idle := timed(b, nil, empty)
			floor = append(floor, wall)
			wall, cpu := timed(b, s, kayra, "get", "catalog", "namespaces")
			took, busy = append(took, wall), append(busy, cpu-idle)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(took), "ms")
	b.ReportMetric(median(floor), "floor-ms")
	b.ReportMetric(median(took)/median(floor), "ratio")
	b.ReportMetric(median(took)-median(floor), "ms-more")
	b.ReportMetric(median(busy), "cpu-ms-more") // on a machine that is busy with other things
}

// built builds a package as it is shipped.
func built(b *testing.B, dir, name, pkg string) string {
	b.Helper()
	out := filepath.Join(dir, name)
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", pkg, err, text)
	}
	return out
}

func emptyProgram(b *testing.B, dir string) string {
	b.Helper()
	path := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(path, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// startServer starts a server on an empty store, and gives the environment in which it is spoken to.
func startServer(b *testing.B, kayra string) []string {
	b.Helper()
	dir := b.TempDir()
	config := filepath.Join(dir, "kayra.yaml")
	text := "platform: p\nregion: r\nserver: {listen: '127.0.0.1:0'}\nlog: {format: json}\nauth: {tokens: [{user: root, groups: [sysadmin], token: root-token}]}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	w := &world{dir: dir, env: []string{"HOME=" + dir, "KAYRA_CONFIG=" + config, "KAYRA_CLIENT_TOKEN=root-token"}}
	return append(w.env, "KAYRA_CLIENT_SERVER="+w.startAs(b, kayra, "serve"))
}

func timed(b *testing.B, env []string, program string, args ...string) (wall, cpu time.Duration) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, args...)
	cmd.Env = append([]string{"PATH=/"}, env...)
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", program, err, out)
	}
	return time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// ran is what a program writes, wherever it does.
func ran(b *testing.B, env []string, program string, args ...string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, args...)
	cmd.Env = append([]string{"PATH=/"}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%s: %v\n%s", program, err, out)
	}
	return string(out)
}

// median is in milliseconds.
func median(all []time.Duration) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return float64(sorted[len(sorted)/2].Microseconds()) / 1000
}
