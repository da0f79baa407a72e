package tui_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"go.uber.org/goleak"

	"kayra/tui"
	"kayra/tui/fleet"
	"kayra/tui/theme"
	"kayra/tui/tuitest"
)

func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(showing); ok {
		os.Exit(show(mode)) //nolint:forbidigo // as main does
	}
	goleak.VerifyTestMain(m)
}

// driver runs a model as a program does, in a bubble whose time stands still while anything can go on.
type driver struct {
	t      *testing.T
	model  *tui.Model
	client *tuitest.Client
	msgs   chan tea.Msg
	quit   bool
	copied []string
	watch  func(screen string) // is shown every frame; nil: nobody is
}

// drive runs fn with a model that shows the sample deployment. options may be changed before that.
func drive(t *testing.T, change func(o *tui.Options), fn func(d *driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &driver{t: t, client: &tuitest.Client{News: make(chan []fleet.Update)}, msgs: make(chan tea.Msg, 100)}
		o := tui.Options{
			Connection: tui.Connection{Client: d.client, Context: "sandbox", Server: "http://localhost:8080", Contexts: []string{"other", "prod", "sandbox"}},
			Theme:      theme.New(theme.Options{Name: theme.Dark, Profile: termenv.TrueColor}),
			Copy: func(text string) error {
				d.copied = append(d.copied, text)
				return nil
			},
		}
		if change != nil {
			change(&o)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wait func()
		d.model, wait = tui.New(ctx, o)
		d.start(d.model.Init())
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		fn(d)
		cancel()
		go func() {
			for range d.msgs { // what is still to come is of no interest
			}
		}()
		wait()
		synctest.Wait()
		close(d.msgs)
	})
}

// start runs a command as a program does.
func (d *driver) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				d.start(c)
			}
		default:
			d.msgs <- msg
		}
	}()
}

func (d *driver) send(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		d.quit = true
		return
	}
	_, cmd := d.model.Update(msg)
	screen := d.model.View() // as a program does after each message
	if d.watch != nil {
		d.watch(screen)
	}
	d.start(cmd)
	d.settle()
}

// settle applies messages until none comes without time passing.
func (d *driver) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-d.msgs:
			d.send(msg)
		default:
			return
		}
	}
}

// pass has time pass, as a program would see it.
func (d *driver) pass(after time.Duration) {
	for over := time.After(after); ; {
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-over:
			d.settle()
			return
		}
	}
}

// tell has the deployment tell something.
func (d *driver) tell(updates ...fleet.Update) {
	go func() { d.client.News <- updates }()
	d.pass(time.Second)
}

func (d *driver) sample() { d.tell(tuitest.Sample(time.Now())...) }

// press presses keys: a name of one such as enter, or letters.
func (d *driver) press(keys ...string) {
	for _, k := range keys {
		d.send(keyOf(k))
	}
}

// typeIn types a text, a letter at a time.
func (d *driver) typeIn(text string) {
	for _, r := range text {
		d.press(string(r))
	}
}

func keyOf(name string) tea.KeyMsg {
	for kind, n := range map[tea.KeyType]string{
		tea.KeyEnter: "enter", tea.KeyEsc: "esc", tea.KeyUp: "up", tea.KeyDown: "down", tea.KeyLeft: "left", tea.KeyRight: "right", tea.KeyTab: "tab",
		tea.KeyBackspace: "backspace", tea.KeyPgUp: "pgup", tea.KeyPgDown: "pgdown", tea.KeyHome: "home", tea.KeyEnd: "end", tea.KeyCtrlC: "ctrl+c",
		tea.KeyCtrlB: "ctrl+b", tea.KeyCtrlF: "ctrl+f", tea.KeyCtrlZ: "ctrl+z", tea.KeySpace: " ", tea.KeyShiftTab: "shift+tab",
	} {
		if n == name {
			if kind == tea.KeySpace {
				return tea.KeyMsg{Type: kind, Runes: []rune{' '}}
			}
			return tea.KeyMsg{Type: kind}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func (d *driver) view() string { return ansi.Strip(d.model.View()) }

// sees wants texts to be on the screen.
func (d *driver) sees(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.view(), text) {
			d.t.Errorf("%q is not on the screen:\n%s", text, d.view())
		}
	}
}

// misses wants texts not to be on the screen.
func (d *driver) misses(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if strings.Contains(d.view(), text) {
			d.t.Errorf("%q is on the screen:\n%s", text, d.view())
		}
	}
}

// line is the first one with a text in it; "": there is none.
func (d *driver) line(text string) string {
	for line := range strings.SplitSeq(d.view(), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// selected is the row that is selected, without what is around it.
func (d *driver) selected() string {
	for line := range strings.SplitSeq(d.view(), "\n") {
		if rest, ok := strings.CutPrefix(line, "\u25b8 "); ok {
			name, _, _ := strings.Cut(rest, " ")
			return name
		}
	}
	return ""
}

// rows are the first words of the rows of the list.
func (d *driver) rows() []string {
	var names []string
	below := false
	for line := range strings.SplitSeq(d.view(), "\n") {
		switch {
		case strings.Contains(line, "HEALTH"), strings.Contains(line, "STATUS"):
			below = true
		case below && strings.TrimSpace(line) == "":
			return names
		case below:
			if name, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "\u25b8")), " "); !strings.HasPrefix(line, "  Nothing") {
				names = append(names, name)
			}
		}
	}
	return names
}
