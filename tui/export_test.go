package tui

import "kayra/tui/fleet"

// Fleet is what the dashboard knows.
func (m *Model) Fleet() *fleet.Fleet { return m.fleet }
