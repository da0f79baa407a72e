// Package packaging_test checks what is put into packages, without making one.
package packaging_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"kayra/cli"
	"kayra/config"
)

// unit is a systemd unit, by the names of its settings.
type unit map[string][]string

func readUnit(t *testing.T, name string) unit {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("systemd", name))
	if err != nil {
		t.Fatal(err)
	}
	u := unit{}
	for line := range strings.Lines(string(content)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			u[key] = append(u[key], value)
		}
	}
	return u
}

func (u unit) one(t *testing.T, key string) string {
	t.Helper()
	if len(u[key]) != 1 {
		t.Fatalf("%s is set %d times", key, len(u[key]))
	}
	return u[key][0]
}

// load reads the configuration of the packages as a service does.
func load(t *testing.T) *config.Config {
	t.Helper()
	c, warnings, err := config.Load(config.Options{Path: "kayra.yaml", Env: []string{"KAYRA_PLATFORM=p", "KAYRA_REGION=r"}})
	if err != nil || len(warnings) > 0 || c.RequireScope() != nil {
		t.Fatal(err, warnings)
	}
	return c
}

func TestUnits(t *testing.T) {
	t.Parallel()
	c := load(t)
	for name, stop := range map[string]time.Duration{"serve": 10 * time.Second, "reconciler": c.Reconciler.DrainTimeout + 5*time.Second} {
		u := readUnit(t, "kayra-"+name+".service")
		line := strings.Fields(u.one(t, "ExecStart"))
		if len(line) != 4 || line[0] != "/usr/bin/kayra" || line[1] != name || line[2] != "--config" || line[3] != "/etc/kayra/kayra.yaml" {
			t.Errorf("%s starts %q", name, line)
		}
		if cmd, _, err := cli.Command().Find(line[1:2]); err != nil || cmd.Name() != name {
			t.Errorf("%s is no command: %v", name, err)
		}
		if patience, err := time.ParseDuration(u.one(t, "TimeoutStopSec")); err != nil || patience < stop+5*time.Second {
			t.Errorf("%s may take %s to stop, and is killed after %s (%v)", name, stop, patience, err)
		}
		if u.one(t, "User") != "kayra" || u.one(t, "Group") != "kayra" {
			t.Errorf("%s runs as %s:%s", name, u.one(t, "User"), u.one(t, "Group"))
		}
		if state := filepath.Join("/var/lib", u.one(t, "StateDirectory")); filepath.Dir(c.Database.Local.Path) != state || u.one(t, "WorkingDirectory") != state {
			t.Errorf("%s may write to %s, and the store is %s", name, state, c.Database.Local.Path)
		}
		for key, want := range map[string]string{
			"NoNewPrivileges": "yes", "ProtectSystem": "strict", "Restart": "on-failure", "EnvironmentFile": "-/etc/kayra/kayra.env", "CapabilityBoundingSet": "",
		} {
			if got := u.one(t, key); got != want {
				t.Errorf("%s: %s=%s, want %s", name, key, got, want)
			}
		}
	}
}

// goreleaser is the part of .goreleaser.yaml that names files.
type goreleaser struct {
	Archives []struct {
		Files []struct{ Src string }
	}
	NFPMs []struct {
		Scripts  map[string]string
		Contents []struct {
			Src, Dst, Type string
			FileInfo       struct {
				Mode         os.FileMode
				Owner, Group string
			} `yaml:"file_info"`
		}
	}
}

// A glob that matches nothing is passed over by goreleaser in an archive.
func TestWhatIsPackedIsThere(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var g goreleaser
	if err := yaml.Unmarshal(content, &g); err != nil {
		t.Fatal(err)
	}
	sources, destinations := []string{}, []string{}
	for _, a := range g.Archives {
		for _, f := range a.Files {
			sources = append(sources, f.Src)
		}
	}
	for _, n := range g.NFPMs {
		for _, script := range n.Scripts {
			sources = append(sources, script)
		}
		for _, c := range n.Contents {
			destinations = append(destinations, c.Dst)
			if c.Type != "symlink" {
				sources = append(sources, c.Src)
			}
			if secret := strings.HasPrefix(c.Dst, "/etc/"); secret && (c.Type != "config|noreplace" || c.FileInfo.Mode != 0o640 || c.FileInfo.Group != "kayra") {
				t.Errorf("%s is %+v", c.Dst, c)
			}
		}
	}
	for _, src := range sources {
		if strings.HasPrefix(src, "build/man/") { // made by a hook
			continue
		}
		for _, pattern := range alternatives(src) {
			if found, err := filepath.Glob(filepath.Join("..", pattern)); err != nil || len(found) == 0 {
				t.Errorf("nothing is %s (%v)", pattern, err)
			}
		}
	}
	for _, dst := range []string{"/usr/bin/kayra-cli", "/etc/kayra/kayra.yaml", "/etc/kayra/kayra.env"} {
		if !slices.Contains(destinations, dst) {
			t.Errorf("%s is not packed", dst)
		}
	}
}

// alternatives are the patterns that one with braces stands for.
func alternatives(pattern string) []string {
	before, rest, ok := strings.Cut(pattern, "{")
	if !ok {
		return []string{pattern}
	}
	inner, after, _ := strings.Cut(rest, "}")
	var all []string
	for part := range strings.SplitSeq(inner, ",") {
		all = append(all, before+part+after)
	}
	return all
}
