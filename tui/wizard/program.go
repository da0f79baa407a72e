package wizard

import tea "github.com/charmbracelet/bubbletea"

// Program is a wizard that is a program of its own: it quits when the wizard ends, and Ctrl-Z
// suspends it.
type Program struct{ *Model }

// Update implements [tea.Model].
func (p Program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyMsg); ok && k.Type == tea.KeyCtrlZ {
		return p, tea.Suspend
	}
	_, cmd := p.Model.Update(msg)
	if p.Done() {
		return p, tea.Quit
	}
	return p, cmd
}
