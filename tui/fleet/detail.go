package fleet

import (
	"time"

	"kayra/reconciler/katalog"
	"kayra/store/catalog"
)

// Detail is what reconcilers know of a subscription beyond the server.
type Detail struct {
	Key

	Reconciler string         // id of the one that knows most; "": none has told
	Reason     catalog.Reason // as that one sees it
	Message    string
	SyncID     string // the target as that one sees it
	Attempt    *katalog.CRAttempt
	Run        *katalog.ChildSummary  // the last one; nil: there was none, or it is not known
	Steps      []katalog.ChildSummary // of the run, in order

	Events []Event // of all that were asked, the newest first

	At      time.Time // when it was told
	Problem string    // why nobody tells, or not all do: one sentence; "": all do
}

// Event is something that has happened to a subscription, once or again and again.
type Event struct {
	katalog.CREvent

	At time.Time // when it was seen last
}

func (d *Detail) apply(f *Fleet) {
	if f.details == nil {
		f.details = map[Key]*Detail{}
	}
	f.details[d.Key] = d
}
