package wizard_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"go.uber.org/goleak"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
	"kayra/tui/theme"
	"kayra/tui/wizard"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/charmbracelet/x/exp/teatest.NewTestModel.func2")) // waits for signals for ever
}

const (
	compute  = "compute.example.com"
	patience = 30 * time.Second
)

// driver drives a wizard as a program does.
type driver struct {
	t    *testing.T
	m    *wizard.Model
	msgs chan tea.Msg
}

// fake is a server with compute and net, of which compute has three namespaces.
func fake() *rollouttest.Fake {
	f := rollouttest.NewFake()
	f.Register(compute, "apps", "core", "sre")
	f.Register("net.example.com", "apps")
	return f
}

func mono() *theme.Theme { return theme.New(theme.Options{Name: theme.Mono, Profile: termenv.ANSI}) }

func drive(t *testing.T, c rollout.Client, change ...func(*wizard.Options)) *driver {
	t.Helper()
	return driveIn(t, c, mono(), change...)
}

func driveIn(t *testing.T, c rollout.Client, th *theme.Theme, change ...func(*wizard.Options)) *driver {
	t.Helper()
	o := wizard.Options{Place: rollout.Place{Program: "kayra", Server: "http://localhost:8080"}, Where: "test", Now: rollouttest.At}
	for _, do := range change {
		do(&o)
	}
	d := &driver{t: t, m: wizard.New(t.Context(), rollout.New(c, rollouttest.Group), th, o), msgs: make(chan tea.Msg, 100)}
	t.Cleanup(d.m.Close)
	d.run(d.m.Init())
	return d
}

// run has commands run as a program has them run.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, one := range msg {
				d.run(one)
			}
		default:
			select {
			case d.msgs <- msg:
			case <-d.t.Context().Done():
			}
		}
	}()
}

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	d.run(cmd)
}

// screen is what is shown, without styles.
func (d *driver) screen() string { return ansi.Strip(d.m.View()) }

// words are those of a text, wherever its lines are broken.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// sees waits until the screen has the texts.
func (d *driver) sees(texts ...string) {
	d.t.Helper()
	d.until(strings.Join(texts, " | "), func() bool {
		screen := words(d.screen())
		for _, text := range texts {
			if !strings.Contains(screen, words(text)) {
				return false
			}
		}
		return true
	})
}

func (d *driver) until(what string, is func() bool) {
	d.t.Helper()
	deadline := time.After(patience)
	for !is() {
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-deadline:
			d.t.Fatalf("waited for %q in vain; the screen is\n%s", what, d.screen())
		}
	}
}

// press presses keys, each a name that bubbletea has for it, or a text that is typed.
func (d *driver) press(keys ...string) {
	d.t.Helper()
	named := map[string]tea.KeyType{
		"enter": tea.KeyEnter, "esc": tea.KeyEsc, "up": tea.KeyUp, "down": tea.KeyDown, "ctrl+c": tea.KeyCtrlC, "shift+tab": tea.KeyShiftTab,
		"backspace": tea.KeyBackspace, "right": tea.KeyRight, "end": tea.KeyEnd, "home": tea.KeyHome, "pgdown": tea.KeyPgDown, "ctrl+u": tea.KeyCtrlU,
	}
	for _, key := range keys {
		if kind, ok := named[key]; ok {
			d.send(tea.KeyMsg{Type: kind})
		} else if key == "space" {
			d.send(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
		} else {
			d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(key)})
		}
	}
}

// ends waits until the wizard has ended, and gives its last words.
func (d *driver) ends() string {
	d.t.Helper()
	d.until("the end", d.m.Done)
	o := d.m.Outcome()
	return strings.Join(o.Lines(), "\n")
}

// choose goes to the preview of a canary for sre.
func (d *driver) choose() {
	d.t.Helper()
	d.sees("Which API?", compute)
	d.press("enter")
	d.sees("Which namespaces", "[ ] ✓ sre")
	d.press("end", "space")
	d.sees("1 chosen", "[x] ✓ sre")
	d.press("enter")
	d.sees("What the canary does", "1: sre", "2: apps, core")
}

// start begins a canary for sre.
func (d *driver) start() {
	d.t.Helper()
	d.choose()
	d.press("enter")
	d.sees("Give compute.example.com at test a fresh sync id, for 1: sre alone?")
	d.press("y")
	d.sees("The canary on its way to v2", "0/1 synced")
}

// use connects to the context prod, and to no other one.
func use(f *rollouttest.Fake) func(context.Context, string) (*wizard.Connection, error) {
	return func(_ context.Context, name string) (*wizard.Connection, error) {
		if name != "prod" {
			return nil, errors.New("there is no context " + name)
		}
		return &wizard.Connection{Engine: rollout.New(f, rollouttest.Group), Where: name, Label: "PRODUCTION", Production: true}, nil
	}
}
