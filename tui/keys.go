package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
)

// deed is what a key does.
type deed int

const (
	deedNone deed = iota

	deedUp
	deedDown
	deedPageUp
	deedPageDown
	deedFirst
	deedLast
	deedOpen
	deedBack

	deedFilter
	deedCommand
	deedProcesses
	deedGraph
	deedHelp

	deedSync
	deedResync
	deedCanary
	deedRelease
	deedAbort
	deedPause

	deedFreeze
	deedRetry
	deedCopy
	deedMouse
	deedSuspend
	deedQuit
)

// entry is a key with what it does. The help is made of entries, and so are the hints.
type entry struct {
	key.Binding

	deed   deed
	group  string // under which it stands in the help
	writes bool   // it changes something that others see
}

func bind(group string, d deed, names, help string, keys ...string) entry {
	return entry{Binding: key.NewBinding(key.WithKeys(keys...), key.WithHelp(names, help)), deed: d, group: group}
}

// Groups of keys.
const (
	moving  = "Moving"
	viewing = "Views"
	acting  = "Actions, each of which asks first"
	other   = "This program"
)

// keymap is all that keys do outside of a dialog and a line that is typed. The keys from 1 to 9, which order a list by the
// column of that number, stand beside it.
func keymap() []entry {
	all := []entry{
		bind(moving, deedUp, "↑ k", "up", "up", "k"),
		bind(moving, deedDown, "↓ j", "down", "down", "j"),
		bind(moving, deedPageUp, "PgUp", "a page up", "pgup", "ctrl+b"),
		bind(moving, deedPageDown, "PgDn", "a page down", "pgdown", "ctrl+f", " "),
		bind(moving, deedFirst, "g Home", "to the first", "g", "home"),
		bind(moving, deedLast, "G End", "to the last", "G", "end"),
		bind(moving, deedOpen, "Enter →", "open what is selected", "enter", "right", "l"),
		bind(moving, deedBack, "Esc ←", "take the filter away, or go back", "esc", "backspace", "left", "h"),

		bind(viewing, deedFilter, "/", "show what has the words, and not those after a !", "/"),
		bind(viewing, deedCommand, ":", "type a command, with Tab to complete it", ":"),
		bind(viewing, deedProcesses, "w", "the reconcilers", "w"),
		bind(viewing, deedGraph, "d", "which API needs which", "d"),
		bind(viewing, deedHelp, "?", "this help", "?"),

		bind(acting, deedSync, "s", "sync an API: a fresh sync id for everyone", "s"),
		bind(acting, deedResync, "S", "sync one namespace again", "S"),
		bind(acting, deedCanary, "c", "canary: a fresh sync id for some namespaces first", "c"),
		bind(acting, deedRelease, "P", "promote: release the pending canary to everyone", "P"),
		bind(acting, deedAbort, "A", "abort the pending canary", "A"),
		bind(acting, deedPause, "z", "pause an API, or have it go on", "z"),

		bind(other, deedFreeze, "p", "freeze the screen, or let it go on", "p"),
		bind(other, deedRetry, "r", "try at once what is offline", "r"),
		bind(other, deedCopy, "y", "copy what is selected", "y"),
		bind(other, deedMouse, "m", "have the mouse select rows, or text again", "m"),
		bind(other, deedSuspend, "Ctrl-Z", "back to the shell for a while", "ctrl+z"),
		bind(other, deedQuit, "q Ctrl-C", "quit", "q", "ctrl+c"),
	}
	for i := range all {
		all[i].writes = all[i].group == acting
	}
	return all
}

// deedOf is what a key does.
func deedOf(all []entry, pressed string) deed {
	for _, e := range all {
		if slices.Contains(e.Keys(), pressed) {
			return e.deed
		}
	}
	return deedNone
}
