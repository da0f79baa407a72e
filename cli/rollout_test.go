package cli_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
	"kayra/store/catalog"
	"kayra/tui/theme"
	"kayra/tui/wizard"
)

const compute = "compute.example.com"

// TestAllWaysSendTheSame goes through a canary and its release, and through a canary and its abort, in every way there is.
func TestAllWaysSendTheSame(t *testing.T) {
	t.Parallel()
	ways := map[string]func(w *rollouttest.World, do rollout.Action){
		"rollout": func(w *rollouttest.World, do rollout.Action) {
			line := []string{"kayra", "rollout", string(do), "compute.example.com"}
			if do == rollout.Start {
				line = append(line, "--canary", "sre,apps")
			}
			must(t, w, line...)
		},
		"sync": func(w *rollouttest.World, do rollout.Action) {
			must(t, w, append([]string{"kayra", "sync", compute}, map[rollout.Action][]string{
				rollout.Start: {"--canary", "apps", "--canary=sre"}, rollout.Release: {"--release"}, rollout.Abort: {"--abort"},
			}[do]...)...)
		},
		"wizard":      byWizard(t),
		"plain lines": byPlainLines(t),
	}
	sent := map[string][]string{}
	for name, way := range ways {
		w := rollouttest.NewWorld(t)
		w.Register(compute, "apps", "core", "sre")
		for _, do := range []rollout.Action{rollout.Start, rollout.Abort, rollout.Start, rollout.Release} {
			way(w, do)
		}
		sent[name] = w.Sent()
	}
	for name, got := range sent {
		got, want := unlike(got), unlike(sent["rollout"])
		if !slices.Equal(got, want) {
			t.Errorf("%s sends %q, want %q", name, got, want)
		}
	}
	want := []string{
		`{"canary_namespaces":["apps","sre"],"expected_sync_id":"v1"}`, `{"abort":true,"expected_sync_id":"ID"}`,
		`{"canary_namespaces":["apps","sre"],"expected_sync_id":"v1"}`, `{"release":true,"expected_sync_id":"ID"}`,
	}
	for i, one := range unlike(sent["rollout"]) {
		if one != "PUT /apis/catalog.example.com/v1/apiregistrations/compute.example.com/sync "+want[i] {
			t.Errorf("request %d is %s", i, one)
		}
	}
}

// unlike leaves out what differs from server to server: the ids that they mint.
func unlike(sent []string) []string {
	out := slices.Clone(sent)
	for i, one := range out {
		if before, id, ok := strings.Cut(one, `"expected_sync_id":"`); ok && !strings.HasPrefix(id, "v1") {
			out[i] = before + `"expected_sync_id":"ID"}`
		}
	}
	return out
}

func must(t *testing.T, w *rollouttest.World, line ...string) {
	t.Helper()
	if got := run(t, append(at(w.URL), "KAYRA_CLIENT_TOKEN="+rollouttest.Token), "", line...); got.code != 0 {
		t.Fatalf("%q: %d %s", line, got.code, got.err)
	}
}

// byWizard answers the wizard as somebody at a terminal does.
func byWizard(t *testing.T) func(*rollouttest.World, rollout.Action) {
	t.Helper()
	keys := map[rollout.Action][]string{
		rollout.Start: {"Which namespaces", " ", "1 chosen", "G", "▸ [ ] ✓ sre", " ", "2 chosen", "\r", "What the canary", "\r", "alone?", "y", "0/2 synced", "\x03"},
		rollout.Abort: {"is pending", "a", "What the abort", "\r", "back to", "y", "Back to", "\x03"},
		// Nobody has got there: the release takes the name.
		rollout.Release: {"is pending", "p", "What the release", "\r", "type compute", compute, "> " + compute, "\r", "The release", "\x03"},
	}
	return func(w *rollouttest.World, do rollout.Action) {
		m := wizard.New(t.Context(), rollout.New(w.Client(), rollouttest.Group), theme.New(theme.Options{Name: theme.Mono}), wizard.Options{API: compute})
		msgs := make(chan tea.Msg, 100)
		runCmd(t, msgs, m.Init())
		for i := 0; i < len(keys[do]); i += 2 {
			deadline := time.After(patience)
			for !strings.Contains(strings.Join(strings.Fields(ansi.Strip(m.View())), " "), keys[do][i]) {
				select {
				case msg := <-msgs:
					_, cmd := m.Update(msg)
					runCmd(t, msgs, cmd)
				case <-deadline:
					t.Fatalf("waited for %q in vain:\n%s", keys[do][i], ansi.Strip(m.View()))
				}
			}
			_, cmd := m.Update(key(keys[do][i+1]))
			runCmd(t, msgs, cmd)
		}
		m.Close()
	}
}

func key(name string) tea.KeyMsg {
	switch name {
	case "\r":
		return tea.KeyMsg{Type: tea.KeyEnter}
	case "\x03":
		return tea.KeyMsg{Type: tea.KeyCtrlC}
	case " ":
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func runCmd(t *testing.T, msgs chan<- tea.Msg, cmd tea.Cmd) {
	t.Helper()
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, one := range msg {
				runCmd(t, msgs, one)
			}
		default:
			select {
			case msgs <- msg:
			case <-t.Context().Done():
			}
		}
	}()
}

// byPlainLines answers the wizard that asks in plain lines, and ends the sync so that it goes on.
func byPlainLines(t *testing.T) func(*rollouttest.World, rollout.Action) {
	t.Helper()
	lines := map[rollout.Action]string{
		rollout.Start: "sre apps\nyes\n", rollout.Abort: "abort\nyes\n", rollout.Release: "release\n" + compute + "\n",
	}
	return func(w *rollouttest.World, do rollout.Action) {
		before := len(w.Sent())
		ended := make(chan error, 1)
		go func() {
			_, err := wizard.Ask(t.Context(), rollout.New(w.Client(), rollouttest.Group), wizard.Options{API: compute},
				wizard.Terminal{In: strings.NewReader(lines[do]), Out: discard{}})
			ended <- err
		}()
		deadline := time.After(patience)
		for len(w.Sent()) == before {
			select {
			case <-deadline:
				t.Fatalf("%s: nothing is sent", do)
			case err := <-ended:
				t.Fatalf("%s: ended too early: %v", do, err)
			case <-time.After(time.Millisecond):
			}
		}
		for _, ns := range []string{"sre", "apps", "core"} {
			if ns == "core" && do != rollout.Release {
				continue
			}
			w.End(compute, ns, catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonStepFailed, Message: "it broke"})
		}
		if err := <-ended; err != nil {
			t.Fatalf("%s: %v", do, err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
