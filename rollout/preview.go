package rollout

import (
	"fmt"
	"slices"
	"strings"

	"kayra/server/api"
)

// Preview is what a plan would do.
type Preview struct {
	Plan

	Before   string   // the registration's sync id
	After    string   // the one that it would get; "": one that the server mints
	Released string   // the one that was released last, before
	Moves    []string // namespaces that would be brought to another sync id, sorted
	Stays    []string // active ones that would be left where they are, sorted
	Idle     []string // those that are not active yet: they are brought to the sync id that holds by then
	Notes    []string // what is to be known before, a sentence each
	Unproven bool     // of a release: not all canaries have got there
}

// Preview tells what the plan would do to what it was made of.
func (p Plan) Preview() Preview {
	s, reg := &p.seen, &p.seen.Registration
	v := Preview{Plan: p, Before: reg.SyncID, Released: reg.ReleasedSyncID}
	var moves func(*api.Row) bool
	switch p.Action {
	case Start:
		moves = func(r *api.Row) bool { return slices.Contains(p.Canaries, r.Namespace) }
		v.Notes = append(s.replacing(p.Canaries), s.Notes(p.Canaries)...)
	case Release:
		v.After = reg.SyncID
		moves = func(r *api.Row) bool { return Active(r) && r.CurrentSyncID != reg.SyncID }
		unproven := s.unproven()
		v.Notes, v.Unproven = append(unproven, s.pausedNote()...), len(unproven) > 0
	case Abort:
		v.After = reg.ReleasedSyncID
		moves = func(r *api.Row) bool { return Active(r) && left(r, reg.ReleasedSyncID) }
		v.Notes = s.pausedNote()
	case All:
		moves = Active
		v.Notes = s.pausedNote()
	}
	v.Moves = s.names(moves)
	v.Stays = s.names(func(r *api.Row) bool { return Active(r) && !moves(r) })
	v.Idle = s.names(func(r *api.Row) bool { return !Active(r) && !moves(r) })
	return v
}

// left tells whether a subscription is not at a sync id, or was tried at another one since.
func left(r *api.Row, id string) bool {
	return r.CurrentSyncID != id || r.AttemptedSyncID != "" && r.AttemptedSyncID != id
}

// replacing says what becomes of a rollout that another canary replaces.
func (s *State) replacing(choice []string) []string {
	if !s.Pending() {
		return nil
	}
	note := fmt.Sprintf("a rollout to %s is pending and would be replaced", s.Registration.SyncID)
	ahead := func(r *api.Row) bool {
		return Active(r) && s.canary(r.Namespace) && !slices.Contains(choice, r.Namespace)
	}
	if rest := s.names(ahead); len(rest) > 0 {
		note += "; " + list(rest, "stays where it is", "stay where they are")
	}
	return []string{note}
}

// unproven says which canaries a release would not wait for.
func (s *State) unproven() []string {
	var notes []string
	for _, ns := range s.Registration.CanaryNamespaces {
		r := s.Tenant(ns)
		switch {
		case r == nil:
			notes = append(notes, fmt.Sprintf("canary %s does not subscribe any more", ns))
		case failedAt(r, s.Registration.SyncID):
			notes = append(notes, fmt.Sprintf("canary %s ended in error: %s", ns, why(r)))
		case r.CurrentSyncID != s.Registration.SyncID:
			notes = append(notes, fmt.Sprintf("canary %s is not there yet: %s", ns, why(r)))
		}
	}
	return notes
}

// why is the reason of a row, in a sentence where there is one.
func why(r *api.Row) string {
	if r.Message == "" {
		return string(r.Reason)
	}
	return fmt.Sprintf("%s (%s)", r.Message, r.Reason)
}

// Names is a list of names with their number, of which only the first are shown.
func Names(names []string) string {
	const most = 12
	switch {
	case len(names) == 0:
		return "nobody"
	case len(names) <= most:
		return fmt.Sprintf("%d: %s", len(names), strings.Join(names, ", "))
	}
	return fmt.Sprintf("%d: %s and %d more", len(names), strings.Join(names[:most], ", "), len(names)-most)
}
