package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kayra/store/catalog"
)

// The gates, in the order of the decision.
const (
	gateRegistered   = "registered"
	gateSubscribed   = "subscribed"
	gateCanary       = "canary"
	gatePaused       = "paused"
	gateDependencies = "dependencies"
	gateDocument     = "document"
	gateMode         = "mode"
	gateAttempt      = "last attempt"
	gateQueue        = "queue"
	gateRun          = "run"
)

func names() []string {
	return []string{
		gateRegistered, gateSubscribed, gateCanary, gatePaused, gateDependencies, gateDocument, gateMode, gateAttempt, gateQueue, gateRun,
	}
}

// shut is the gate that is, or "".
func shut(a *Answer) string {
	switch a.Missing {
	case Registration:
		return gateRegistered
	case Namespace, Subscription:
		return gateSubscribed
	case Nothing:
	}
	switch a.Reason {
	case catalog.ReasonCanaryHold:
		return gateCanary
	case catalog.ReasonPaused:
		return gatePaused
	case catalog.ReasonWaitingDependency:
		return gateDependencies
	case catalog.ReasonSpecUnavailable:
		return gateDocument
	case catalog.ReasonNoMode:
		return gateMode
	case catalog.ReasonStepFailed, catalog.ReasonTimeout, catalog.ReasonInterrupted, catalog.ReasonBackoff:
		return gateAttempt
	case catalog.ReasonInit, catalog.ReasonQueued:
		if unread(a) {
			return gateDocument
		}
		return gateQueue
	case catalog.ReasonRunning:
		return gateRun
	case catalog.ReasonSynced:
	}
	return ""
}

// gates are all of them. Those before the one that is shut are open, and of those behind it nothing can be said, but for
// what the registration says.
func gates(f *Facts, a *Answer) []Gate {
	blocking := shut(a)
	var out []Gate
	status := OK
	for _, name := range names() {
		g := Gate{Name: name, Status: status, Evidence: evidence(f, name)}
		if name == blocking {
			g.Status, status = Blocks, Beyond
			g.Evidence = blocked(f, a, name)
		}
		if name == gateDocument && blocking == gateQueue && a.Reconciler == "" {
			g.Status = Beyond // nobody has said that it is there
		}
		if g.Status == Beyond && !f.said(name) {
			g.Evidence = ""
		}
		out = append(out, g)
	}
	return out
}

// said tells gates of which the registration alone says how they stand.
func (f *Facts) said(gate string) bool {
	return f.Registration != nil && (gate == gateCanary || gate == gatePaused || gate == gateDependencies || gate == gateMode)
}

// evidence says why a gate is open, or how it stands.
func evidence(f *Facts, gate string) string {
	s, r := f.Subscription, f.Registration
	switch gate {
	case gateRegistered:
		return registered(f)
	case gateSubscribed:
		if s != nil {
			return subscribed(f)
		}
	case gateCanary:
		return canary(f)
	case gatePaused:
		if r != nil && r.Paused {
			return "it is paused: what has begun may end, and nothing begins"
		}
		return "it is not"
	case gateDependencies:
		return dependencies(f)
	case gateMode:
		if r != nil {
			return cmp.Or(r.Mode, "the default mode of the reconcilers")
		}
	case gateAttempt:
		if s != nil && s.AttemptedSyncID != "" {
			return "of sync_id " + s.AttemptedSyncID
		}
		return "there has been none"
	}
	return ""
}

func registered(f *Facts) string {
	r := f.Registration
	if r == nil {
		return ""
	}
	text := "sync_id " + r.SyncID
	if r.Owner != "" {
		text += ", of " + r.Owner
	}
	if !r.Active {
		text += "; it is switched off (active: false), which keeps nobody from being synced"
	}
	return text
}

func subscribed(f *Facts) string {
	s := f.Subscription
	text := fmt.Sprintf("state %s, at sync_id %s", s.State, cmp.Or(s.CurrentSyncID, "(none)"))
	if !s.Active {
		text += ", not active yet"
	}
	return text
}

func canary(f *Facts) string {
	r := f.Registration
	switch {
	case r == nil:
		return "no rollout holds it back"
	case len(r.CanaryNamespaces) == 0:
		return "no rollout is pending"
	case slices.Contains(r.CanaryNamespaces, f.Namespace):
		return "a rollout is pending, and has reached it"
	case f.Subscription == nil || !f.Subscription.Active:
		return "a rollout is pending, which does not hold back a first sync"
	}
	return "a rollout is pending, and holds it where it is"
}

func dependencies(f *Facts) string {
	r := f.Registration
	switch {
	case r == nil:
		return "none is in the way"
	case len(r.DependsOn) == 0:
		return "it has none"
	}
	all := make([]string, len(r.DependsOn))
	for i, d := range r.DependsOn {
		name := d.Name
		if d.Platform != r.Platform || d.Region != r.Region {
			name = d.String()
		}
		all[i] = fmt.Sprintf("%s (%s)", name, d.Needs())
	}
	return strings.Join(all, ", ")
}

// blocked says why a gate is shut.
func blocked(f *Facts, a *Answer, gate string) string {
	switch {
	case gate == gateRegistered:
		return "there is no API registration " + a.API
	case a.Missing == Namespace:
		return "there is no namespace " + a.Namespace
	case gate == gateSubscribed:
		return fmt.Sprintf("namespace %s does not subscribe to it", a.Namespace)
	case gate == gateCanary && f.Registration != nil:
		r := f.Registration
		return fmt.Sprintf("sync_id %s is for %s alone until it is released; everybody else stays at %s",
			r.SyncID, strings.Join(r.CanaryNamespaces, ", "), r.ReleasedSyncID)
	case gate == gateAttempt && a.Reason != catalog.ReasonBackoff:
		return fmt.Sprintf("of sync_id %s: %s", f.Subscription.AttemptedSyncID, a.Message)
	}
	return a.Message
}
