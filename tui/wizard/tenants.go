package wizard

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/cli/term"
	"kayra/rollout"
	"kayra/store/catalog"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// tenants is the page where the canaries are chosen.
type tenants struct {
	reading

	list    list
	chosen  map[string]bool
	choice  []string // what is chosen, sorted
	remarks []string // what is wrong with it so far, or to be known about it
}

func newTenants(r reading) *tenants {
	p := &tenants{chosen: map[string]bool{}}
	p.update(r)
	return p
}

// update takes over what was read anew.
func (p *tenants) update(r reading) {
	p.reading = r
	items := make([]item, len(r.state.Tenants))
	for i := range r.state.Tenants {
		t := &r.state.Tenants[i]
		at := short(t.CurrentSyncID)
		if !rollout.Active(t) {
			at = "not active yet"
		}
		items[i] = item{t.Namespace, []string{widget.Pad(string(t.Reason), len(catalog.ReasonWaitingDependency)), at}}
	}
	p.list.set(items)
	for ns := range p.chosen {
		if r.state.Tenant(ns) == nil {
			delete(p.chosen, ns)
		}
	}
	p.weigh()
}

func (p *tenants) step() step { return stepTenants }

func (p *tenants) key(m *Model, k tea.KeyMsg) tea.Cmd {
	if p.list.key(k) {
		return nil
	}
	if cmd, is := m.leaving(k); is {
		return cmd
	}
	switch k.String() {
	case " ", "x":
		if one := p.list.current(); one != nil {
			p.chosen[one.name] = !p.chosen[one.name]
		}
		p.weigh()
	case "n":
		clear(p.chosen)
		p.weigh()
	case "r":
		return m.read(p.state.Registration.Name, func(r reading) tea.Cmd {
			p.update(r)
			return nil
		})
	case "enter":
		return p.next(m)
	}
	return nil
}

// weigh finds out what there is to say about what is chosen.
func (p *tenants) weigh() {
	p.choice, p.remarks = nil, nil
	for ns, is := range p.chosen {
		if is {
			p.choice = append(p.choice, ns)
		}
	}
	slices.Sort(p.choice)
	if len(p.choice) > 0 {
		if err := p.state.Check(p.choice); err != nil {
			p.remarks = append(p.remarks, said(err))
		}
	}
	p.remarks = append(p.remarks, p.state.Notes(p.choice)...)
	if !p.document {
		p.remarks = append(p.remarks, withoutDocument)
	}
}

// next shows what the choice would do, by what there is then.
func (p *tenants) next(m *Model) tea.Cmd {
	if err := p.state.Check(p.choice); err != nil {
		m.notice = said(err)
		return nil
	}
	return m.read(p.state.Registration.Name, func(r reading) tea.Cmd {
		p.update(r)
		plan, err := r.state.Start(p.choice)
		if err != nil {
			m.notice = said(err)
			return nil
		}
		m.push(newPreview(plan, r.document))
		return nil
	})
}

func (p *tenants) body(m *Model, width, height int) []string {
	th := m.theme
	lines := []string{m.heading("Which namespaces get a fresh sync id first?", fmt.Sprintf("%d chosen", len(p.choice)), &p.list, width)}
	for _, text := range p.remarks {
		for _, line := range widget.Wrap(term.Escape(th.Alert+" "+text), width) {
			lines = append(lines, th.Warn.Render(line))
		}
	}
	if most := max(height/2, 1); len(lines) > most { //nolint:mnd // the list has the rest
		lines = lines[:most]
	}
	return append(lines, p.list.lines(m, width, height-len(lines), func(one *item) string {
		mark, box := th.Mark(tone(p.state.Tenant(one.name).Reason)), "[ ] "
		if p.chosen[one.name] {
			box = "[x] "
		}
		return box + mark + " "
	})...)
}

const withoutDocument = "the OpenAPI document is not there yet: no sync succeeds before it can be fetched"

func (p *tenants) keys(*Model) []hint {
	if p.list.typing {
		return []hint{{"Enter", "keep the filter"}, {"Esc", "take it away"}}
	}
	return usual([]hint{{"Space", "choose"}, {"Enter", "next"}}, hint{"/", "filter"}, hint{"↑↓", "move"}, hint{"n", "none"}, hint{"r", "read again"})
}

func tone(reason catalog.Reason) theme.Tone {
	switch reason {
	case catalog.ReasonSynced:
		return theme.ToneOK
	case catalog.ReasonRunning:
		return theme.ToneRunning
	case catalog.ReasonCanaryHold:
		return theme.ToneHeld
	case catalog.ReasonPaused:
		return theme.TonePaused
	case catalog.ReasonBackoff:
		return theme.ToneWarn
	case catalog.ReasonInit, catalog.ReasonQueued, catalog.ReasonWaitingDependency:
		return theme.ToneWaiting
	case catalog.ReasonSpecUnavailable, catalog.ReasonNoMode, catalog.ReasonStepFailed, catalog.ReasonTimeout, catalog.ReasonInterrupted:
		return theme.ToneBad
	}
	return theme.ToneNone
}
