package screen

import (
	"kayra/store/catalog"
	"kayra/tui/fleet"
	"kayra/tui/theme"
)

// standing is how something stands: a tone, and the word for it.
type standing struct {
	tone theme.Tone
	word string
}

// healthOf is how an API is doing.
func healthOf(a *fleet.API) standing {
	s := ofHealth(a.State)
	if a.Paused && s.tone != theme.ToneBad {
		return standing{theme.TonePaused, "paused"}
	}
	return s
}

func ofHealth(state catalog.HealthState) standing {
	switch state {
	case catalog.HealthHealthy:
		return standing{theme.ToneOK, "healthy"}
	case catalog.HealthDegraded, catalog.HealthMissing:
		return standing{theme.ToneBad, string(state)}
	case catalog.HealthStarted:
		return standing{theme.ToneRunning, "started"}
	case catalog.HealthPending, catalog.HealthNotStarted:
		return standing{theme.ToneWaiting, string(state)}
	case "":
		return standing{theme.ToneNone, "unknown"}
	}
	return standing{theme.ToneNone, string(state)}
}

// reasonOf is how a subscription stands. One of a later version has its own word.
func reasonOf(r catalog.Reason) standing {
	switch r {
	case catalog.ReasonSynced:
		return standing{theme.ToneOK, "synced"}
	case catalog.ReasonRunning:
		return standing{theme.ToneRunning, "running"}
	case catalog.ReasonCanaryHold:
		return standing{theme.ToneHeld, "held"}
	case catalog.ReasonPaused:
		return standing{theme.TonePaused, "paused"}
	case catalog.ReasonInit:
		return standing{theme.ToneWaiting, "new"}
	case catalog.ReasonQueued:
		return standing{theme.ToneWaiting, "queued"}
	case catalog.ReasonWaitingDependency:
		return standing{theme.ToneWaiting, "blocked"}
	case catalog.ReasonBackoff:
		return standing{theme.ToneWarn, "retrying"}
	case catalog.ReasonSpecUnavailable:
		return standing{theme.ToneBad, "no spec"}
	case catalog.ReasonNoMode:
		return standing{theme.ToneBad, "no mode"}
	case catalog.ReasonStepFailed:
		return standing{theme.ToneBad, "failed"}
	case catalog.ReasonTimeout:
		return standing{theme.ToneBad, "timed out"}
	case catalog.ReasonInterrupted:
		return standing{theme.ToneBad, "interrupted"}
	}
	return standing{theme.ToneNone, string(r)}
}

// rank orders standings: what someone has to look at comes first.
func (s standing) rank() int {
	switch s.tone {
	case theme.ToneBad:
		return 0
	case theme.ToneWarn:
		return 1
	case theme.ToneRunning:
		return 2
	case theme.ToneHeld, theme.TonePaused:
		return 3
	case theme.ToneWaiting:
		return 4
	case theme.ToneNone:
		return 5
	case theme.ToneOK:
	}
	return 6
}

// text is a standing's glyph and its word. It is neither escaped nor styled.
func (s standing) text(th *theme.Theme) string { return th.Mark(s.tone) + " " + s.word }

// stateOf is the outcome of the last sync.
func stateOf(s catalog.State) standing {
	switch s {
	case catalog.StateSuccess:
		return standing{theme.ToneOK, string(s)}
	case catalog.StateError:
		return standing{theme.ToneBad, string(s)}
	case catalog.StateInit:
	}
	return standing{theme.ToneWaiting, string(s)}
}
