package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kayra/config"
)

func TestPrecedence(t *testing.T) {
	t.Parallel()
	path := write(t, "log: {level: warn}\nserver: {listen: ':1'}\nplatform: file\n")
	kayra, infrapi := "KAYRA_LOG_LEVEL=error", "INFRAPI_APP_LOG_LEVEL=debug"
	flag := map[string]string{"log.level": "info"}
	for name, test := range map[string]struct {
		o            config.Options
		want, source string
	}{
		"file":    {config.Options{Path: path}, "warn", "file " + path + ":1"},
		"infrapi": {config.Options{Path: path, Env: []string{infrapi}}, "debug", "env INFRAPI_APP_LOG_LEVEL"},
		"kayra":   {config.Options{Path: path, Env: []string{infrapi, kayra}}, "error", "env KAYRA_LOG_LEVEL"},
		"flag":    {config.Options{Path: path, Env: []string{infrapi, kayra}, Flags: flag}, "info", "flag --log.level"},
		"named":   {config.Options{Path: path, Flags: flag, FlagNames: map[string]string{"log.level": "verbosity"}}, "info", "flag --verbosity"},
		"empty":   {config.Options{Path: path, Env: []string{"KAYRA_LOG_LEVEL=", infrapi}}, "debug", "env INFRAPI_APP_LOG_LEVEL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, err := config.Load(test.o)
			if err != nil {
				t.Fatal(err)
			}
			if c.Log.Level != test.want || c.Source("log.level") != test.source {
				t.Errorf("%s from %q, want %s from %q", c.Log.Level, c.Source("log.level"), test.want, test.source)
			}
			if c.Platform != "file" || c.Server.Listen != ":1" {
				t.Error("another key changed")
			}
		})
	}
}

func TestForeignVariables(t *testing.T) {
	t.Parallel()
	c, warnings := load(t, "", "INFRAPI_APP_PLATFORM=p", "INFRAPI_APP_REGION=r", "INFRAPI_APP_LISTEN_ADDRESS=:1", "INFRAPI_APP_OTHER=x")
	if c.Platform != "p" || c.Region != "r" || c.Server.Listen != ":1" || c.Reconciler.Listen != "127.0.0.1:8081" {
		t.Errorf("%+v", c)
	}
	if len(warnings) > 0 {
		t.Errorf("warnings: %v", warnings)
	}
}

func TestSearchOrder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	place := func(path string) string {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	o := config.Options{
		Path: "flag.yaml", Dir: filepath.Join(root, "work"), SystemDir: filepath.Join(root, "etc"),
		Env: []string{"KAYRA_CONFIG=env.yaml", "XDG_CONFIG_HOME=" + root + "/xdg", "HOME=" + root + "/home"},
	}
	steps := []struct {
		path string
		next func()
	}{
		{place("work/flag.yaml"), func() { o.Path = "" }},
		{place("work/env.yaml"), func() { o.Env[0] = "KAYRA_CONFIG=" }},
		{place("work/kayra.yaml"), func() { o.Dir = filepath.Join(root, "nowhere") }},
		{place("xdg/kayra/kayra.yaml"), func() { o.Env[1] = "XDG_CONFIG_HOME=relative" }},
		{place("home/.config/kayra/kayra.yaml"), func() { o.Env[2] = "HOME=" + root + "/elsewhere" }},
		{place("etc/kayra.yaml"), func() { o.SystemDir = filepath.Join(root, "nowhere") }},
		{"", func() {}},
	}
	for _, s := range steps {
		c, warnings, err := config.Load(o)
		if err != nil || len(warnings) > 0 || c.File() != s.path {
			t.Fatalf("found %q, want %q (%v, %v)", c.File(), s.path, err, warnings)
		}
		s.next()
	}
}

func TestNamedFileMustBeThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for by, o := range map[string]config.Options{
		"--config":     {Path: "none.yaml", Dir: dir},
		"KAYRA_CONFIG": {Env: []string{"KAYRA_CONFIG=none.yaml"}, Dir: dir},
	} {
		_, _, err := config.Load(o)
		want := `read configuration "` + dir + `/none.yaml" named by ` + by + `: no such file or directory`
		if !errors.Is(err, fs.ErrNotExist) || err.Error() != want {
			t.Errorf("%s: %v, want %s", by, err, want)
		}
	}
	if _, _, err := config.Load(config.Options{Path: dir}); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "kayra.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := config.Load(config.Options{Dir: dir}); err == nil {
		t.Error("a file that is found and cannot be read is passed over")
	}
}

// huge makes a file without content that is larger than anything sensible.
func huge(t *testing.T, name string, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	return path
}

// A device, or a file that is no configuration at all, is not read to its end.
func TestHugeFile(t *testing.T) {
	t.Parallel()
	path := huge(t, "kayra.yaml", 1<<30)
	for by, o := range map[string]config.Options{
		"named": {Path: path}, "found": {Dir: filepath.Dir(path)},
	} {
		if _, _, err := config.Load(o); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
			t.Errorf("%s: %v", by, err)
		}
	}
}

func TestUnknownFlagKey(t *testing.T) {
	t.Parallel()
	_, _, err := config.Load(config.Options{Path: write(t, ""), Flags: map[string]string{"log.colour": "x"}})
	if err == nil || err.Error() != `set "log.colour" by a flag: there is no such key` {
		t.Errorf("%v", err)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	const file = `
auth: {tokens: [{user: a, token: {env: KAYRA_A}}]}
reconciler:
  gateway: {headers: {X: {type: T, value: {env: KAYRA_B}}}}
  mode:
    m:
      - {method: get, endpoint: 'http://x/{{ env "KAYRA_C" }}', headers: {Y: "{{ env ` + "`KAYRA_D`" + ` }}"}, data: {a: [{b: '{{ printf "%s" (env "KAYRA_E") }}'}]}}
      - {method: get, endpoint: http://x, async: true, wait: [{key: a, successes: [b]}]}
`
	path := write(t, file)
	env := []string{"KAYRA_CONFIG=" + path, "KAYRA_CONTEXT=x", "KAYRA_LOG_LEVELL=secret", "KAYRA_ZZZ=secret", "KAYRA_AUTH_TOKENS=secret"}
	for _, name := range []string{"A", "B", "C", "D", "E"} {
		env = append(env, "KAYRA_"+name+"=secret")
	}
	_, warnings, err := config.Load(config.Options{Env: env, KnownEnv: []string{"KAYRA_CONTEXT"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		path + ":8: reconciler.mode.m[1]: wait is ignored because async is true: nothing waits for an async step",
		"env KAYRA_AUTH_TOKENS: is ignored: auth.tokens can be set in the file only",
		"env KAYRA_LOG_LEVELL: is ignored, since no key has that name: did you mean KAYRA_LOG_LEVEL?",
		"env KAYRA_ZZZ: is ignored, since no key has that name",
	}
	var got []string
	for _, w := range warnings {
		got = append(got, w.String())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRequireScope(t *testing.T) {
	t.Parallel()
	c, _ := load(t, "platform: p\nregion: r\n")
	if err := c.RequireScope(); err != nil {
		t.Error(err)
	}
	c, _ = load(t, "region: ''\n")
	err := c.RequireScope()
	want := c.File() + ": platform: is not set: set it in " + c.File() + " or by KAYRA_PLATFORM\n" +
		c.File() + ": region: is not set: set it in " + c.File() + " or by KAYRA_REGION"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	c, _, err = config.Load(config.Options{Dir: t.TempDir(), SystemDir: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.RequireScope(); err == nil || !strings.HasPrefix(err.Error(), "platform: is not set: set it in kayra.yaml or by KAYRA_PLATFORM") {
		t.Errorf("%v", err)
	}
}
