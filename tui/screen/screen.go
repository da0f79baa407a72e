// Package screen has the views of the dashboard. Each is a plain struct that is told its size and draws what a copy of the
// deployment has: it does no I/O and knows of no keys. Everything that it draws has been escaped, and no line is longer
// than the screen is wide.
package screen

import (
	"time"

	"kayra/cli/term"
	"kayra/tui/fleet"
	"kayra/tui/theme"
)

// Data are what screens draw.
type Data struct {
	Theme *theme.Theme
	Fleet *fleet.Fleet
	Now   time.Time
	Stale bool // the data may be out of date, and are dimmed
}

// Subject is what keys are about.
type Subject struct {
	API       string // "": there is none
	Namespace string // of a subscription; "": the API itself
	Text      string // for the clipboard: what identifies it or, where a text is shown, the text
}

// Sizes below which parts are left out.
const (
	roomy = 60 // cells wide, and
	tall  = 14 // lines high: there is room for more than the list
)

// safe is a text that came from outside as it may be shown.
func safe(text string) string { return term.Escape(text) }
