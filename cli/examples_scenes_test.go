//go:build !windows

package cli_test

// usual makes what the examples of most commands speak of.
var usual = [][]string{
	{"create", "catalog", "apiregistrations", "-d", `{"name": "compute.example.com", "short_name": "compute"}`},
	{"create", "catalog", "namespaces", "-d", `{"name": "sre"}`},
	{"create", "catalog", "namespaces", "-d", `{"name": "apps"}`},
	{"create", "catalog", "namespaces", "-d", `{"name": "core"}`},
	{"create", "catalog", "-n", "sre", "subscriptions", "-d", `{"api": "compute.example.com"}`},
	{"create", "catalog", "-n", "apps", "subscriptions", "-d", `{"api": "compute.example.com"}`},
	{"create", "catalog", "-n", "core", "subscriptions", "-d", `{"api": "compute.example.com"}`},
	{"create", "authorization", "roles", "-d", `{"name": "viewer", "rules": [{"apis": ["*"], "resources": ["*"], "verbs": ["get", "list"]}]}`},
	{"login", "--context", "prod"},
	{"wait", "catalog", "namespaces", "sre", "apps", "core", "--for=active", "--timeout", "30s"},
	{"wait", "catalog", "apiregistrations", "compute.example.com", "--for=synced", "--timeout", "30s"},
}

// loggedIn makes a context and nothing else.
var loggedIn = [][]string{{"login", "--context", "prod"}}

// canary begins a rollout to sre alone.
var canary = [][]string{{"update", "catalog", "apiregistrations", "compute.example.com/sync", "-d", `{"canary_namespaces": ["sre"]}`}}

// aborted ends one.
var aborted = [][]string{{"update", "catalog", "apiregistrations", "compute.example.com/sync", "-d", `{"abort": true}`}}

// scenes says for a command, by its words behind the name of the program, what its examples need, where that is not a fleet
// of its own with what usual makes. A command that is not here gets that.
func scenes() map[string]scene {
	const listens = `"address":`
	without := func(names ...string) (commands [][]string) {
		for _, ns := range names {
			commands = append(commands, []string{"delete", "catalog", "-n", ns, "subscriptions", "compute.example.com"})
		}
		return commands
	}
	anew := [][]string{{"delete", "catalog", "apiregistrations", "compute.example.com"}}
	afresh := ending{before: canary}
	noTerminal := ending{codes: []int{2}}
	return map[string]scene{
		"": {needs: fleet, before: usual, ends: map[string]ending{
			"kayra demo": {until: "is registered"}, "kayra serve": {until: listens},
		}},
		"apis":  {needs: theShared},
		"apply": {needs: fleet, before: usual},
		"dev":   {needs: nothing, ends: map[string]ending{"kayra dev": {until: "(?m)^token "}}},
		"diff":  {needs: theShared, ends: map[string]ending{"-f compute.yaml": {codes: []int{1}}}},
		"check": {needs: theShared, ends: map[string]ending{
			"--as ann": {codes: []int{3}}, // she may not
		}},
		"completion":     {needs: nothing, files: []string{".local/share/bash-completion/completions", ".config/fish/completions"}},
		"config":         {needs: nothing},
		"config view":    {needs: nothing},
		"context":        {needs: server, before: loggedIn},
		"context delete": {needs: server, before: loggedIn},
		"context list":   {needs: theShared},
		"context rename": {needs: server, before: [][]string{{"login", "--context", "kayra.example.com"}}},
		"context use":    {needs: server, before: loggedIn},
		"create": {needs: server, ends: map[string]ending{
			`"operator"`:      {before: anew},
			"-f compute.yaml": {before: append(without("sre"), anew...)},
		}},
		"delete": {needs: fleet, before: usual, ends: map[string]ending{
			"--yes": {before: without("apps", "core")},
		}},
		"demo":     {needs: nothing, ends: map[string]ending{"--keep": {until: "is registered"}}},
		"demo-app": {needs: nothing, ends: map[string]ending{"demo-app": {until: `"address"`}}},
		"describe": {needs: theShared},
		"get": {needs: theShared, ends: map[string]ending{
			"/status -w": {until: "(?m)^sre "}, "--watch-only": {until: "^"},
		}},
		"edit": {needs: fleet, before: usual, ends: map[string]ending{
			"edit catalog": noTerminal, "sed -i 's/^owner": {}, // the editor of the latter needs none
		}},
		"help":       {needs: nothing},
		"login":      {needs: server},
		"logout":     {needs: server, before: loggedIn},
		"plan":       {needs: theShared},
		"reconciler": {needs: server, ends: map[string]ending{"reconciler": {until: listens}}},
		"rollout": {needs: fleet, before: usual, ends: map[string]ending{
			"rollout compute.example.com": noTerminal, "--accessible": noTerminal,
		}},
		"rollout abort":   {needs: fleet, before: usual, ends: map[string]ending{"abort": afresh}},
		"rollout release": {needs: fleet, before: usual, ends: map[string]ending{"release": afresh}},
		"rollout start":   {needs: fleet, before: usual, ends: map[string]ending{"--wait": {before: aborted}}},
		"serve":           {needs: nothing, ends: map[string]ending{"serve": {until: listens}}},
		"store":           {needs: server},
		"store copy":      {needs: server},
		"sync":            {needs: fleet, before: usual, ends: map[string]ending{"--abort": afresh}},
		"top":             {needs: theShared, ends: map[string]ending{"top": noTerminal, "--once": {}}},
		"update":          {needs: fleet, before: usual, ends: map[string]ending{`"abort"`: afresh}},
		"version":         {needs: nothing},
		"wait":            {needs: theShared},
		"whoami":          {needs: theShared},
		"why":             {needs: theShared},
	}
}
