package rollout

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kayra/server/api"
	"kayra/store/catalog"
)

// ErrChoice is a choice of canaries that makes no sense, whatever the server would say about it.
var ErrChoice = errors.New("no such canary")

// MaxCanaries is how many namespaces a canary may have.
const MaxCanaries = catalog.MaxCanaries

// ChoiceError says what is wrong with a choice of canaries. It unwraps to ErrChoice or, where a namespace does not
// subscribe, to catalog.ErrNotFound.
type ChoiceError struct {
	Problem string // one sentence
	Hint    string // what to do about it
	kind    error
}

func (e *ChoiceError) Error() string { return e.Problem }

// Unwrap is the kind of the error.
func (e *ChoiceError) Unwrap() error { return e.kind }

// Canaries are the namespaces of a choice, sorted and each once.
func Canaries(choice []string) []string { return slices.Compact(slices.Sorted(slices.Values(choice))) }

// Check tells what is wrong with a choice of canaries, as a [ChoiceError], or nothing.
func (s *State) Check(choice []string) error {
	choice = Canaries(choice)
	name := s.Registration.Name
	wrong := func(hint, format string, args ...any) error {
		return &ChoiceError{Problem: fmt.Sprintf(format, args...), Hint: hint, kind: ErrChoice}
	}
	if len(choice) == 0 {
		return wrong("name at least one namespace that subscribes to "+name, "a canary needs a namespace")
	}
	if n := len(choice); n > MaxCanaries {
		return wrong("take fewer, or sync everyone", "a canary has at most %d namespaces, and these are %d", MaxCanaries, n)
	}
	var missing []string
	for _, ns := range choice {
		if !catalog.ValidLabel(ns) {
			return wrong("a namespace is a DNS label, such as sre", "%q is not the name of a namespace", ns)
		}
		if s.Tenant(ns) == nil {
			missing = append(missing, ns)
		}
	}
	if len(missing) > 0 {
		return &ChoiceError{
			Problem: fmt.Sprintf("%s not subscribed to %s", list(missing, "is", "are"), name),
			Hint:    s.nearby(missing[0]), kind: catalog.ErrNotFound,
		}
	}
	if len(s.names(Active)) == 0 {
		return wrong("wait for the first syncs: `kayra wait catalog apiregistrations "+name+" --for=synced`",
			"nobody is active yet, and so nobody can be held back")
	}
	if len(s.staying(choice)) == 0 {
		return wrong("take fewer, or sync everyone", "this is not a canary: nobody who is active would be held back")
	}
	return nil
}

// Notes are what is to be known about a choice that is right by itself.
func (s *State) Notes(choice []string) []string {
	var notes []string
	choice = Canaries(choice)
	idle := func(r *api.Row) bool { return !Active(r) }
	if named := s.names(func(r *api.Row) bool { return idle(r) && slices.Contains(choice, r.Namespace) }); len(named) > 0 {
		notes = append(notes, list(named, "is", "are")+" not active yet: the canary is the first sync there")
	}
	if others := s.names(func(r *api.Row) bool { return idle(r) && !slices.Contains(choice, r.Namespace) }); len(others) > 0 {
		notes = append(notes, list(others, "is", "are")+" not active yet, and so not held: the first sync there is at the new sync id")
	}
	return append(notes, s.pausedNote()...)
}

func (s *State) pausedNote() []string {
	if !s.Registration.Paused {
		return nil
	}
	return []string{s.Registration.Name + " is paused: nothing is tried until paused is false"}
}

// staying are those whom a canary holds back.
func (s *State) staying(choice []string) []string {
	return s.names(func(r *api.Row) bool { return Active(r) && !slices.Contains(choice, r.Namespace) })
}

// nearby says who subscribes, to somebody who has named one that does not.
func (s *State) nearby(namespace string) string {
	all := s.names(func(*api.Row) bool { return true })
	if len(all) == 0 {
		return "nobody subscribes to " + s.Registration.Name
	}
	head := []rune(namespace)[0]
	same := slices.DeleteFunc(slices.Clone(all), func(ns string) bool { return []rune(ns)[0] != head })
	if len(same) > 0 {
		all = same
	}
	return "among those that subscribe: " + enumerate(all)
}

// shown is how many names a sentence has.
const shown = 5

// enumerate is a list of names, of which only the first are shown.
func enumerate(names []string) string {
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// list is enumerate with the verb that goes with it.
func list(names []string, one, several string) string {
	if len(names) == 1 {
		return names[0] + " " + one
	}
	return enumerate(names) + " " + several
}
