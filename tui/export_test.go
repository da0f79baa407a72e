package tui

import "kayra/tui/fleet"

// Fleet is what the dashboard knows.
func (m *Model) Fleet() *fleet.Fleet { return m.fleet }

// Keys are all that the help has.
func (m *Model) Keys() []string {
	var keys []string
	for _, e := range m.keys {
		keys = append(keys, e.Keys()...)
	}
	return keys
}
