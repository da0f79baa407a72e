package fleet

import "time"

// The places that the copy is fed from.
const (
	Registrations    = "apiregistrations"
	AllSubscriptions = "subscriptions"
	AllReconcilers   = "reconcilers"
	Katalog          = "katalog" // of the server
)

// Source is one of the places that the copy is fed from.
type Source struct {
	Name    string    // what it tells of: one of the constants
	Synced  bool      // all that there is has been told
	Trouble Trouble   // what keeps it from telling anything
	Problem string    // the same in a sentence; "": nothing does
	Since   time.Time // for how long it has told nothing
	Retry   time.Time // when it is tried again; zero: not by itself
}

// Trouble is what keeps a source from telling anything.
type Trouble string

// What can.
const (
	Fine            Trouble = ""
	Offline         Trouble = "offline"         // the server is not reached, or cannot answer now
	Unauthenticated Trouble = "unauthenticated" // the server does not know who asks: a token has run out
	Denied          Trouble = "denied"          // the caller may not see it
	Refused         Trouble = "refused"         // the server has another reason, or does not know it
)

func (s Source) apply(f *Fleet) {
	if f.sources == nil {
		f.sources = map[string]Source{}
	}
	if s.Name == Registrations {
		f.blind = s.Trouble == Denied || f.blind && s.Trouble != Fine // what was refused once is not known when the server goes
	}
	was := f.sources[s.Name]
	s.Synced = s.Synced || was.Synced
	if s.Trouble != Fine && was.Trouble != Fine && !was.Since.IsZero() {
		s.Since = was.Since
	}
	f.sources[s.Name], f.byName = s, nil
}

// Source is how a source is doing. One that has not told anything yet has its name alone.
func (f *Fleet) Source(name string) Source {
	s := f.sources[name]
	s.Name = name
	return s
}

// Sources are all of them, the most important first.
func (f *Fleet) Sources() []Source {
	return []Source{f.Source(Registrations), f.Source(AllSubscriptions), f.Source(AllReconcilers), f.Source(Katalog)}
}

// Complete tells whether all that the caller may see of registrations and subscriptions has been told.
func (f *Fleet) Complete() bool {
	for _, name := range []string{Registrations, AllSubscriptions} {
		if s := f.sources[name]; !s.Synced && s.Trouble != Denied {
			return false
		}
	}
	return true
}
