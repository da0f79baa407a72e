package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// Options say where a configuration comes from. The zero value finds the file by the usual places and knows no
// environment.
type Options struct {
	Path      string            // the file that --config names; "" to search
	Flags     map[string]string // values by key, of the command-line flags that were given
	FlagNames map[string]string // the flags' names by key, without dashes, for errors and sources; the key where one is left out
	Env       []string          // in the form of [os.Environ]
	KnownEnv  []string          // variables beginning with KAYRA_ that others read, so that none is warned of
	Dir       string            // the working directory, "" for the process's own
	SystemDir string            // where the file of the whole machine lies; "" for /etc/kayra
}

// loader gathers what each source says of each key.
type loader struct {
	decoder
	keys    []key
	parts   []part
	env     map[string]string
	config  *Config
	base    *viper.Viper          // what the file says
	over    map[string]any        // what variables and then flags put over the file
	written map[string]*yaml.Node // the parts that the file has
	sources map[string]string     // of the keys that are not at their default
}

// Load reads the configuration. An error about its content is an [*Error] and names every mistake; warnings come with a
// valid configuration only.
func Load(o Options) (*Config, []Warning, error) {
	env := environment(o.Env)
	found, err := find(o, env)
	if err != nil {
		return nil, nil, err
	}
	root, err := parse(found.path, found.content)
	if err != nil {
		return nil, nil, err
	}
	l := &loader{
		decoder: decoder{file: found.path, lines: map[string]int{}},
		keys:    settings(), parts: parts(), env: env,
		config: &Config{file: found.path, closed: found.closed}, base: viper.New(),
		over: map[string]any{}, written: map[string]*yaml.Node{}, sources: map[string]string{},
	}
	root = l.readFile(root)
	l.readEnv()
	if err := l.readFlags(o); err != nil {
		return nil, nil, err
	}
	values, err := l.settle()
	if err != nil {
		return nil, nil, err
	}
	l.checkTogether()
	if err := failure(l.problems); err != nil {
		return nil, nil, err
	}
	l.warnUnknown(root, o.KnownEnv)
	l.show(values)
	return l.config, l.warnings, nil
}

// readFile reads the file's keys and gives its expanded content.
func (l *loader) readFile(root *yaml.Node) *yaml.Node {
	e := &expander{d: &l.decoder}
	root = e.expand(root, "", 0)
	if e.values <= maxValues && !isNull(root) {
		l.object(value{node: root, line: root.Line}, l.fields(""))
	}
	return root
}

// fields says how the keys below one are read: those with deeper ones below as objects in turn.
func (l *loader) fields(above string) fields {
	known := fields{}
	for _, k := range l.keys {
		l.branch(known, above, k.name, func(v value) { l.take(k, v, l.base.Set) })
	}
	for _, p := range l.parts {
		l.branch(known, above, p.name, func(v value) {
			p.read(&l.decoder, v, l.config)
			l.written[p.name], l.sources[p.name] = v.node, l.sourceOf(v)
		})
	}
	return known
}

func (l *loader) branch(known fields, above, name string, read func(value)) {
	rest, ok := name, above == ""
	if !ok {
		rest, ok = strings.CutPrefix(name, above+".")
	}
	if !ok {
		return
	}
	first, _, deeper := strings.Cut(rest, ".")
	if deeper {
		read = func(v value) { l.object(v, l.fields(v.key)) }
	}
	known[first] = read
}

// take reads a key's value and hands it to the layer of its source.
func (l *loader) take(k key, v value, put func(name string, value any)) {
	put(k.name, k.read(&l.decoder, v))
	l.sources[k.name] = l.sourceOf(v)
}

func (l *loader) sourceOf(v value) string {
	if v.from != "" {
		return v.from
	}
	return "file " + l.place(v).String()
}

func (l *loader) readFlags(o Options) error {
	for _, name := range slices.Sorted(maps.Keys(o.Flags)) {
		i := slices.IndexFunc(l.keys, func(k key) bool { return k.name == name })
		if i < 0 {
			return fmt.Errorf("set %q by a flag: there is no such key", name)
		}
		flag := o.FlagNames[name]
		if flag == "" {
			flag = name
		}
		l.given(l.keys[i], o.Flags[name], "flag --"+flag)
	}
	return nil
}

func (l *loader) override(name string, value any) { l.over[name] = value }

// settle lets viper decide which source wins, and fills the configuration.
func (l *loader) settle() (*viper.Viper, error) {
	v := viper.New()
	for _, k := range l.keys {
		v.SetDefault(k.name, k.def)
	}
	if err := v.MergeConfigMap(l.base.AllSettings()); err != nil {
		return nil, fmt.Errorf("merge configuration %q: %w", l.file, err)
	}
	for name, value := range l.over {
		v.Set(name, value)
	}
	if err := v.Unmarshal(l.config); err != nil {
		return nil, fmt.Errorf("read configuration %q: %w", l.file, err)
	}
	l.config.sources, l.config.lines = l.sources, l.lines
	return v, nil
}
