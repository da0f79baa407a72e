package wizard_test

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"kayra/rollout/rollouttest"
	"kayra/tui/theme"
)

// FuzzKeys presses anything in any order, while the canaries move. Nothing panics, no line is too long, nothing is sent before a yes, and the
// wizard says what has come of it.
func FuzzKeys(f *testing.F) {
	const keys = "\r\x1b \x7f\tudGgjkyYnNpalrqowc/?!s.exmt0"
	for _, text := range []string{"\r \r\ry", "\r \r\ryl", "\r\x1b\x1b", "j\r/s\r \r\rn", "\r \r\rySpp\rcompute", "qqq", "\r \r\ryEl"} {
		f.Add(text, byte(len(text)))
	}
	f.Fuzz(func(t *testing.T, text string, look byte) {
		const most = 60
		synctest.Test(t, func(t *testing.T) {
			server := fake()
			d := driveIn(t, server, theme.New(theme.Options{Name: theme.Mono, Profile: termenv.ANSI, ASCII: look%2 == 0}))
			sizes := [][2]int{{80, 24}, {40, 12}, {1, 1}, {20, 5}, {120, 40}}
			for _, r := range text[:min(len(text), most)] {
				yes := strings.Contains(d.screen(), "alone?")
				sent := len(server.Sent())
				d.happens(server, r, keys, sizes[int(look)%len(sizes)])
				d.settle()
				width, height := sizes[int(look)%len(sizes)][0], sizes[int(look)%len(sizes)][1]
				d.m.SetSize(width, height)
				if d.m.Done() {
					if o := d.m.Outcome(); len(o.Lines()) == 0 {
						t.Error("it says nothing of what has come of it")
					}
					return
				}
				for line := range strings.SplitSeq(d.m.View(), "\n") {
					if ansi.StringWidth(line) > width {
						t.Fatalf("%q is longer than %d", line, width)
					}
				}
				if n := len(server.Sent()); n > sent && sent == 0 && !yes && width >= 80 {
					t.Fatalf("%q sent %q without a yes", text, server.Sent())
				}
			}
		})
	})
}

// happens presses a key, or has canaries move.
func (d *driver) happens(server *rollouttest.Fake, r rune, keys string, size [2]int) {
	switch r {
	case 'S':
		server.Set(compute, rollouttest.Synced("apps", "v2"), rollouttest.Failed("core", "v1", "v2"))
	case 'E':
		server.Set(compute, rollouttest.Synced("apps", "v2"), rollouttest.Synced("core", "v2"), rollouttest.Synced("sre", "v2"))
	case 'D':
		server.Delete(compute)
	default:
		named := map[rune]tea.KeyType{'\r': tea.KeyEnter, '\x1b': tea.KeyEsc, ' ': tea.KeySpace, '\x7f': tea.KeyBackspace, '\t': tea.KeyTab, 'u': tea.KeyUp, 'd': tea.KeyDown}
		if !strings.ContainsRune(keys, r) {
			r = rune(keys[int(r)%len(keys)])
		}
		if kind, ok := named[r]; ok {
			d.send(tea.KeyMsg{Type: kind, Runes: []rune{' '}})
			return
		}
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
	d.m.SetSize(size[0], size[1])
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
