package telling

import (
	"fmt"
	"strings"

	"kayra/notice"
)

// about is the sync id that an event is about.
func (l *looking) about(kind notice.Kind) string {
	switch kind {
	case notice.RolloutAborted:
		return l.Told.SyncID
	case notice.RolledBack:
		return l.Registration.RolledBack.SyncID
	case notice.Degraded, notice.Recovered, notice.RolloutStarted, notice.RolloutReleased:
	}
	return l.Registration.SyncID
}

// sentence says what has happened, to which id, how many have failed, and what to do. It is made of names, ids and numbers
// alone, none of which is a secret.
func (l *looking) sentence(kind notice.Kind) string {
	reg := l.Registration
	status := fmt.Sprintf("`kayra get catalog apiregistrations %s/status`", reg.Name)
	end := func(how string) string {
		return fmt.Sprintf("`kayra rollout %s %s --expect-sync-id %s`", how, reg.Name, reg.SyncID)
	}
	switch kind {
	case notice.Degraded:
		return fmt.Sprintf("%s; %s at sync_id %s. %s says which and why.", upper(l.Reason), l.failed(), reg.SyncID, status)
	case notice.Recovered:
		if l.Failed == 0 {
			return fmt.Sprintf("It is healthy again: %s at sync_id %s. There is nothing to do.", l.failed(), reg.SyncID)
		}
		return fmt.Sprintf("It is healthy again, but %s at sync_id %s. %s says which and why.", l.failed(), reg.SyncID, status)
	case notice.RolloutStarted:
		return fmt.Sprintf("sync_id %s goes to %s, and everybody else stays at %s until somebody releases it, with %s, or aborts it, with %s; %s at it.",
			reg.SyncID, listed(reg.CanaryNamespaces), reg.ReleasedSyncID, end("release"), end("abort"), l.failed())
	case notice.RolloutReleased:
		return fmt.Sprintf("sync_id %s is for everybody now; %s at it. %s shows how far it has come.", reg.SyncID, l.failed(), status)
	case notice.RolloutAborted:
		return fmt.Sprintf("Those that sync_id %s has reached go back to %s; %s there. Find out what was wrong with it before it is rolled out again.",
			l.Told.SyncID, reg.SyncID, l.failed())
	case notice.RolledBack:
		return fmt.Sprintf("%d subscriptions in a row have failed at sync_id %s (rollback.consecutive_failures), so that everybody goes back to %s; %s there. "+
			"It is not tried again until somebody sets it: mend it first.", l.Rollback, reg.RolledBack.SyncID, reg.SyncID, l.failed())
	}
	return ""
}

func (l *looking) failed() string {
	has := "have"
	if l.Failed == 1 {
		has = "has"
	}
	return fmt.Sprintf("%d of %d subscriptions %s failed", l.Failed, l.Subscribed, has)
}

// listed has some of the names, so that the sentence stays one that is read.
func listed(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// upper begins a sentence, and has one even where nothing is known.
func upper(text string) string {
	if text == "" {
		return "Too many attempts have failed"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
