package tui_test

import (
	"slices"
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][]string{
		"dns":             {"dns.example.com"},
		"DNS":             {"dns.example.com"},
		"team-net":        {"dns.example.com", "network.example.com"},
		"team-net !dns":   {"network.example.com"},
		"healthy !canary": {"network.example.com"},
		"canary":          {"compute.example.com"},
		"nothing-at-all":  nil,
		"!":               {"a-very-long-name-of-", "billing.example.com", "compute.example.com", "dns.example.com", "empty.example.com", "network.example.com", "storage.example.com"},
	} {
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			drive(t, nil, func(d *driver) {
				d.sample()
				d.press("/")
				d.typeIn(typed)
				d.press("enter")
				if got := d.rows(); !slices.EqualFunc(got, want, strings.HasPrefix) {
					t.Errorf("shows %q, want %q", got, want)
				}
				d.sample() // it stays
				if got := d.rows(); !slices.EqualFunc(got, want, strings.HasPrefix) {
					t.Errorf("shows %q after news, want %q", got, want)
				}
				d.press("esc")
				if got := d.rows(); len(got) != 7 {
					t.Errorf("shows %q without a filter", got)
				}
			})
		})
	}
}

func TestAFilterThatIsLeftIsAsBefore(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.press("/")
		d.typeIn("dns")
		d.press("down", "up", "enter", "/")
		d.typeIn("x")
		d.sees("Nothing here matches the filter /dnsx")
		d.press("esc")
		d.sees("/dns", "1 of 1")
	})
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"api compute.example.com": "overview \u203a compute.example.com",
		"api compute":             "overview \u203a compute.example.com",
		"api nonsense":            "\"nonsense\" is not registered here",
		"api":                     "the form is :api NAME",
		"ns team-0003":            "overview \u203a namespace team-0003",
		"ns nobody":               "nobody is subscribed to nothing here",
		"reconcilers":             "node-1:4711",
		"deps":                    "ledger.example.com",
		"dependencies":            "ledger.example.com",
		"help":                    "PgUp",
		"ctx other":               "This is other now",
		"ctx nowhere":             "there is no context nowhere",
		"ctx prod":                "PRODUCTION prod",
		"frobnicate":              "\"frobnicate\" is not a command",
		"q now":                   ":q takes nothing",
		"":                        "7 APIs",
	} {
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			drive(t, nil, func(d *driver) {
				d.sample()
				d.press(":")
				d.typeIn(typed)
				d.press("enter")
				d.sees(want)
			})
		})
	}
}

func TestCommandsAreCompleted(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"rec":         "node-1:4711",
		"api comp":    "overview \u203a compute.example.com",
		"ns team-003": "namespace team-0030",
		"ctx p":       "PRODUCTION prod",
	} {
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			drive(t, nil, func(d *driver) {
				d.sample()
				d.press(":")
				d.typeIn(typed)
				d.press("tab", "enter")
				d.sees(want)
			})
		})
	}
}

func TestASwitchForgetsTheOtherDeployment(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.press("G", "enter", ":")
		d.typeIn("ctx other")
		d.press("enter")
		d.misses("storage", "sandbox")
		d.sees("other", "connecting", "overview")
	})
}
