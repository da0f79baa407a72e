package wizard

import (
	"fmt"

	"kayra/rollout"
)

// Outcome is what has come of a wizard.
type Outcome struct {
	API         string
	Wrote       bool           // something was changed
	Unknown     bool           // something may have been changed: there was no answer
	Interrupted bool           // by Ctrl-C
	Did         rollout.Action // the last that was carried out; "": none
	SyncID      string         // that it has led to
	Pending     bool           // a rollout is pending
	Verdict     rollout.Verdict
	Why         string // of a verdict that is not good: a sentence, not escaped
	Command     string // that does the same as was done last
	Err         error  // that it has ended with; nil: none

	Place rollout.Place // of the commands that are shown
}

// Lines are what there is to say about it. They are not escaped.
func (o *Outcome) Lines() []string {
	again := func(words ...string) string { return "`" + o.Place.Line(words...) + "`" }
	switch {
	case o.Unknown:
		return []string{
			"there was no answer: whether something was changed is not known",
			again("rollout", "status", o.API) + " tells",
		}
	case !o.Wrote && o.Pending:
		return []string{"nothing was changed; the rollout of " + o.API + " is still pending", again("rollout", o.API) + " comes back to it"}
	case !o.Wrote:
		return []string{"nothing was changed"}
	}
	lines := []string{o.deed()}
	switch {
	case o.Verdict == rollout.Going && o.Pending:
		lines = append(lines, "detached; the rollout goes on", again("rollout", o.API)+" comes back to it")
	case o.Verdict == rollout.Going && o.Did != rollout.Start:
		lines = append(lines, "detached; it goes on", again("rollout", "status", o.API, "--wait")+" waits for its end")
	case o.Verdict != rollout.Reached && o.Verdict != rollout.Going:
		lines = append(lines, o.Why)
	}
	if o.Did == rollout.Start && !o.Pending && o.Verdict != rollout.Superseded && o.Verdict != rollout.Gone {
		lines = append(lines, "it is not pending any more: somebody else has released or aborted it; "+again("rollout", "status", o.API)+" tells")
	}
	if o.Pending && o.Verdict != rollout.Going {
		lines = append(lines, "the rollout is pending until it is released or aborted: "+again("rollout", o.API)+" comes back to it")
	}
	return append(lines, "the same by hand: "+o.Command)
}

func (o *Outcome) deed() string {
	switch o.Did {
	case rollout.Start:
		return fmt.Sprintf("%s: canary at %s", o.API, o.SyncID)
	case rollout.Release:
		return fmt.Sprintf("%s: released %s to everyone", o.API, o.SyncID)
	case rollout.Abort:
		return fmt.Sprintf("%s: aborted, back to %s", o.API, o.SyncID)
	case rollout.All:
	}
	return fmt.Sprintf("%s: sync to %s", o.API, o.SyncID)
}
