package deploy_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"kayra/cli"
	"kayra/config"
)

// compose has the keys of the Compose Specification that the file may use.
type compose struct {
	Name     string
	Services map[string]service
	Volumes  map[string]any
	Etcd     any `yaml:"x-etcd"`
	Kayra    any `yaml:"x-kayra"`
}

type service struct {
	Image       string
	Build       struct{ Context, Dockerfile string }
	Restart     string
	Command     []string
	Profiles    []string
	Environment map[string]string
	Volumes     []string
	Ports       []string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	StopGrace   string   `yaml:"stop_grace_period"`
	DependsOn   any      `yaml:"depends_on"`
	Healthcheck struct {
		Test              []string
		Interval, Timeout string
		Retries           int
		StartPeriod       string `yaml:"start_period"`
	}
}

func readCompose(t *testing.T) compose {
	t.Helper()
	file, err := os.Open("docker-compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read from
	var c compose
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

// load reads the configuration of all processes.
func load(t *testing.T) *config.Config {
	t.Helper()
	c, warnings, err := config.Load(config.Options{Path: "kayra.yaml", Env: []string{"KAYRA_ROOT_TOKEN=x"}})
	if err != nil || len(warnings) > 0 || c.RequireScope() != nil {
		t.Fatal(err, warnings)
	}
	return c
}

// count is how many services have a name that begins so.
func (c compose) count(prefix string) int {
	n := 0
	for name := range c.Services {
		if strings.HasPrefix(name, prefix) {
			n++
		}
	}
	return n
}

func TestCompose(t *testing.T) {
	t.Parallel()
	c, cfg := readCompose(t), load(t)
	if c.count("etcd-") != 3 || c.count("serve-") != 2 || c.count("reconciler-") != 2 {
		t.Errorf("there are %v", slices.Sorted(maps.Keys(c.Services)))
	}
	pinned := regexp.MustCompile(`:v\d+\.\d+\.\d+$`)
	for name, s := range c.Services {
		switch _, waits := s.dependencies()["etcd-1"]; {
		case strings.HasPrefix(name, "etcd-"):
			s.checkEtcd(t, name)
			if !pinned.MatchString(s.Image) {
				t.Errorf("%s has the image %s, which is not pinned", name, s.Image)
			}
		case !waits && name != "client":
			t.Errorf("%s does not wait for etcd", name)
		default:
			s.checkKayra(t, name, cfg)
		}
		for _, volume := range s.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, ok := c.Volumes[source]; !ok && !strings.HasPrefix(source, "./") {
				t.Errorf("%s has the volume %s, which is not declared", name, source)
			} else if _, err := os.Stat(source); !ok && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for on, how := range s.dependencies() {
			if other, ok := c.Services[on]; !ok || how == "service_healthy" && len(other.Healthcheck.Test) == 0 {
				t.Errorf("%s waits for %s to be %q", name, on, how)
			}
		}
	}
	for _, endpoint := range cfg.Database.Etcd.Endpoints {
		host := strings.TrimSuffix(strings.TrimPrefix(endpoint, "http://"), ":2379")
		if _, ok := c.Services[host]; !ok {
			t.Errorf("kayra.yaml names %s, and no service is %s", endpoint, host)
		}
	}
}

// dependencies are what a service waits for, by how it should be.
func (s service) dependencies() map[string]string {
	out := map[string]string{}
	switch on := s.DependsOn.(type) {
	case []any:
		for _, name := range on {
			out[name.(string)] = "" // fails as it should
		}
	case map[string]any:
		for name, how := range on {
			out[name] = how.(map[string]any)["condition"].(string) // fails as it should
		}
	}
	return out
}

func (s service) checkEtcd(t *testing.T, name string) {
	t.Helper()
	for key, want := range map[string]string{
		"ETCD_NAME": name, "ETCD_ADVERTISE_CLIENT_URLS": "http://" + name + ":2379", "ETCD_INITIAL_ADVERTISE_PEER_URLS": "http://" + name + ":2380",
	} {
		if s.Environment[key] != want {
			t.Errorf("%s: %s is %q, want %q", name, key, s.Environment[key], want)
		}
	}
	if !strings.Contains(s.Environment["ETCD_INITIAL_CLUSTER"], name+"=http://"+name+":2380") || s.Environment["ETCD_AUTO_COMPACTION_RETENTION"] == "" {
		t.Errorf("%s: %v", name, s.Environment)
	}
}

func (s service) checkKayra(t *testing.T, name string, cfg *config.Config) {
	t.Helper()
	cmd, rest, err := cli.Command().Find(s.Command)
	if err != nil || !cmd.HasParent() || len(rest) > 0 {
		t.Errorf("%s: %v is no command line: %v", name, s.Command, err)
	}
	if _, err := os.Stat(s.Build.Context + "/" + s.Build.Dockerfile); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	grace, err := time.ParseDuration(s.StopGrace)
	if strings.HasPrefix(name, "reconciler-") && (err != nil || grace < cfg.Reconciler.DrainTimeout+10*time.Second) {
		t.Errorf("%s is killed after %q, and may drain for %s", name, s.StopGrace, cfg.Reconciler.DrainTimeout)
	}
}

// Prometheus is told to scrape what there is, at the ports where it listens.
func TestPrometheusScrapesWhatThereIs(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("prometheus/prometheus.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, cfg := readCompose(t), load(t)
	ports := map[string]string{"serve": cfg.Server.Listen, "reconciler": cfg.Reconciler.Listen, "etcd": ":2379"}
	targets := regexp.MustCompile(`"([a-z]+)-(\d):(\d+)"`).FindAllStringSubmatch(string(content), -1)
	for _, target := range targets {
		if _, ok := c.Services[target[1]+"-"+target[2]]; !ok || ports[target[1]] != ":"+target[3] {
			t.Errorf("%s is not there", target[0])
		}
	}
	if len(targets) != 7 {
		t.Errorf("%d targets are scraped", len(targets))
	}
}
