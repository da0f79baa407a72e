package wizard_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
	"kayra/store/catalog"
	"kayra/tui/wizard"
)

// TestAWholeCanaryAtARealServer runs the wizard as a program, against a real server.
func TestAWholeCanaryAtARealServer(t *testing.T) {
	t.Parallel()
	w := rollouttest.NewWorld(t)
	w.Register(compute, "apps", "core", "sre")
	m := wizard.New(t.Context(), rollout.New(w.Client(), rollouttest.Group), mono(), wizard.Options{
		API: compute, Place: rollout.Place{Program: "kayra", Server: w.URL}, Where: "test",
	})
	t.Cleanup(m.Close)
	p := teatest.NewTestModel(t, wizard.Program{Model: m}, teatest.WithInitialTermSize(80, 24))
	t.Cleanup(func() { _ = p.Quit() })
	shows(t, p, "Which namespaces")
	p.Send(tea.KeyMsg{Type: tea.KeyEnd})
	p.Type(" ")
	p.Send(tea.KeyMsg{Type: tea.KeyEnter})
	shows(t, p, "What the canary does")
	p.Send(tea.KeyMsg{Type: tea.KeyEnter})
	shows(t, p, "alone?")
	p.Type("y")
	shows(t, p, "0/1 synced")
	w.Succeed(compute, "sre")
	shows(t, p, "1 of 1 are there")
	p.Type("p")
	shows(t, p, "What the release does")
	p.Send(tea.KeyMsg{Type: tea.KeyEnter})
	shows(t, p, "namespaces more?")
	p.Type("y")
	shows(t, p, "1/3 synced")
	w.Succeed(compute, "apps", "core")
	shows(t, p, "3/3 synced")
	p.Send(tea.KeyMsg{Type: tea.KeyEnter})
	p.WaitFinished(t, teatest.WithFinalTimeout(patience))
	if o := m.Outcome(); o.Did != rollout.Release || o.Verdict != rollout.Reached || o.Pending {
		t.Errorf("outcome %+v", o)
	}
	reg, err := w.Repository.Registration(t.Context(), compute)
	if err != nil || reg.Pending() || reg.ReleasedSyncID != reg.SyncID {
		t.Errorf("registration %+v, %v", reg, err)
	}
}

func shows(t *testing.T, p *teatest.TestModel, text string) {
	t.Helper()
	teatest.WaitFor(t, p.Output(), func(out []byte) bool { return bytes.Contains([]byte(ansi.Strip(string(out))), []byte(text)) },
		teatest.WithDuration(patience), teatest.WithCheckInterval(5*time.Millisecond))
}

// asked is what the wizard in plain lines has written.
type asked struct {
	outcome wizard.Outcome
	text    string
	err     error
}

func ask(t *testing.T, w *rollouttest.World, lines ...string) asked {
	t.Helper()
	var out bytes.Buffer
	o, err := wizard.Ask(t.Context(), rollout.New(w.Client(), rollouttest.Group), wizard.Options{
		Place: rollout.Place{Program: "kayra", Server: w.URL}, Where: "test",
	}, wizard.Terminal{In: strings.NewReader(strings.Join(lines, "\n") + "\n"), Out: &out})
	return asked{o, out.String(), err}
}

func TestInPlainLines(t *testing.T) {
	t.Parallel()
	w := rollouttest.NewWorld(t)
	w.Register(compute, "apps", "core", "sre")
	w.Register("net.example.com")

	got := ask(t, w, "7", "compute.example.com", "list", "nobody", "apps, core, sre", "sre", "no", "back", "quit")
	for _, text := range []string{
		"1. compute.example.com, at v1\n", `There is no "7" among them.`, "3 namespaces subscribe", "core, synced, at v1\n",
		"nobody is not subscribed to compute.example.com", "this is not a canary", "Moves, 1: sre.", "Stays, 2: apps, core.",
		"\nkayra rollout start compute.example.com --canary sre --expect-sync-id v1\n", "Nothing was sent.", "Which API?",
	} {
		if !strings.Contains(got.text, text) {
			t.Errorf("%q is missing in\n%s", text, got.text)
		}
	}
	if strings.Contains(got.text, `\`) {
		t.Errorf("something was escaped that is Kayra's own:\n%s", got.text)
	}
	if got.err != nil || got.outcome.Wrote || len(w.Sent()) > 0 {
		t.Errorf("left without a yes: %+v, %v, sent %q", got.outcome, got.err, w.Sent())
	}

	// The canary fails: its release takes the name.
	typed, line := io.Pipe()
	said := make(chan asked, 1)
	go func() {
		var out bytes.Buffer
		o, err := wizard.Ask(t.Context(), rollout.New(w.Client(), rollouttest.Group), wizard.Options{API: compute, Where: "test"},
			wizard.Terminal{In: typed, Out: &out})
		said <- asked{o, out.String(), err}
	}()
	write := func(text string) {
		t.Helper()
		if _, err := io.WriteString(line, text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	write("sre")
	write("yes")
	eventually(t, func() bool {
		reg, err := w.Repository.Registration(t.Context(), compute)
		return err == nil && reg.Pending()
	})
	w.End(compute, "sre", catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonStepFailed, Message: "it broke"})
	write("release")
	write("yes")
	write("abort")
	write("y")
	eventually(t, func() bool {
		reg, err := w.Repository.Registration(t.Context(), compute)
		return err == nil && !reg.Pending()
	})
	w.Succeed(compute, "sre")
	end := <-said
	_ = line.Close()
	for _, text := range []string{
		"sre ended in error: it broke.", "The canary has not succeeded. To do it nevertheless, type compute.example.com:", "Nothing was sent.",
		"compute.example.com: aborted, back to v1", "1 of 1 are there.",
	} {
		if !strings.Contains(end.text, text) {
			t.Errorf("%q is missing in\n%s", text, end.text)
		}
	}
	if end.err != nil || end.outcome.Did != rollout.Abort || end.outcome.Verdict != rollout.Reached || strings.Contains(end.text, "\x1b") {
		t.Errorf("%+v, %v\n%s", end.outcome, end.err, end.text)
	}
}

func TestAYesDoesNotDoInProduction(t *testing.T) {
	t.Parallel()
	w := rollouttest.NewWorld(t)
	w.Register(compute, "apps", "sre")
	var out strings.Builder
	o, err := wizard.Ask(t.Context(), rollout.New(w.Client(), rollouttest.Group), wizard.Options{API: compute, Production: true},
		wizard.Terminal{In: strings.NewReader("sre\nyes\nquit\n"), Out: &out})
	if err != nil || o.Wrote || len(w.Sent()) > 0 || !strings.Contains(out.String(), "This is production. To do it nevertheless, type compute.example.com:") {
		t.Errorf("%+v, %v, sent %q:\n%s", o, err, w.Sent(), out.String())
	}
}

func TestPlainLinesOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	w := rollouttest.NewWorld(t)
	_, err := wizard.Ask(t.Context(), rollout.New(w.Client(), rollouttest.Group), wizard.Options{API: compute},
		wizard.Terminal{In: strings.NewReader(""), Out: io.Discard})
	if !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for !is() {
		select {
		case <-deadline:
			t.Fatal("waited in vain")
		case <-time.After(5 * time.Millisecond):
		}
	}
}
