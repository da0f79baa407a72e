package describe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kayra/cli/term"
	"kayra/reconciler/katalog"
	"kayra/server/api"
	"kayra/store/catalog"
)

// shownFailing is how many ways of failing are listed.
const shownFailing = 10

// RegistrationFacts are what is known of an API registration.
type RegistrationFacts struct {
	Registration api.Registration
	Rows         []api.Row // all of them
	NeededBy     []string

	Reconciler string                   // id of the one that was asked
	Info       *katalog.CRDInfoResponse // its answer; nil: none was asked, or none has answered
}

// Registration describes an API registration.
func Registration(f RegistrationFacts) string {
	p, r := &page{}, f.Registration
	p.facts("",
		fact{"Name", r.Name}, fact{"Short name", r.ShortName}, fact{"Description", r.Description},
		fact{"Owner", orNone(r.Owner)}, fact{"Scope", r.Platform + ", " + r.Region},
		fact{"Active", activity(r)}, fact{"Mode", cmp.Or(r.Mode, "(the reconciler's default mode)")},
		fact{"Sync id", r.SyncID}, fact{"Released", released(r)}, fact{"Rollout", rollout(r)}, fact{"Paused", paused(r)},
		fact{"Depends on", orNone(needs(r))}, fact{"Needed by", few(f.NeededBy)},
		fact{"Allowed", few(r.AllowedNamespaces)}, fact{"Restricted", few(r.RestrictedNamespaces)},
	)
	p.tree("Operator", r.Operator)
	p.subscriptions(f.Rows)
	p.failing(r.Name, f.Rows)
	p.health(f)
	return p.String()
}

func activity(r api.Registration) string {
	if r.Active {
		return "yes"
	}
	return "no: nobody may use it"
}

func released(r api.Registration) string {
	if r.ReleasedSyncID == r.SyncID {
		return ""
	}
	return r.ReleasedSyncID
}

func rollout(r api.Registration) string {
	if len(r.CanaryNamespaces) == 0 {
		return ""
	}
	return fmt.Sprintf("a canary, for %s alone until it is released or aborted", few(r.CanaryNamespaces))
}

func paused(r api.Registration) string {
	if !r.Paused {
		return ""
	}
	return "yes: nothing is tried until it is taken off"
}

func needs(r api.Registration) string {
	var names []string
	for _, d := range r.DependsOn {
		name := d.Name
		if d.Platform != r.Platform || d.Region != r.Region {
			name = d.String()
		}
		names = append(names, fmt.Sprintf("%s (%s)", name, d.Needs()))
	}
	return strings.Join(names, ", ")
}

// subscriptions counts them by the reason for where they stand.
func (p *page) subscriptions(rows []api.Row) {
	if len(rows) == 0 {
		p.Heading("Nobody subscribes.")
		return
	}
	p.Heading(fmt.Sprintf("Subscriptions: %d", len(rows)))
	counts := map[catalog.Reason]int{}
	for i := range rows {
		counts[rows[i].Reason]++
	}
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b catalog.Reason) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var facts []fact
	for _, reason := range reasons {
		facts = append(facts, fact{string(reason), strconv.Itoa(counts[reason])})
	}
	p.facts("  ", facts...)
}

// failing lists those whose last sync ended in error, by what went wrong, which most of them share.
func (p *page) failing(name string, rows []api.Row) {
	namespaces := map[string][]string{}
	var order []string
	for i := range rows {
		if rows[i].State != catalog.StateError {
			continue
		}
		wrong := sentence(rows[i].Reason, rows[i].Message)
		if namespaces[wrong] == nil {
			order = append(order, wrong)
		}
		namespaces[wrong] = append(namespaces[wrong], rows[i].Namespace)
	}
	if len(order) == 0 {
		return
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(len(namespaces[b]), len(namespaces[a])) })
	p.Heading("Failing")
	for _, wrong := range order[:min(len(order), shownFailing)] {
		p.Line("  ", "%s", wrong)
		p.Cell("    ", "%s", few(namespaces[wrong]))
	}
	if more := len(order) - shownFailing; more > 0 {
		p.Line("  ", "and %d more that went wrong in other ways:", more)
		p.Verbatim("    ", "kayra get catalog subscriptions -o wide --field-selector state=error,api="+name)
	}
	p.Line("  ", "What would help:")
	p.Verbatim("    ", "kayra why "+name+" -n "+namespaces[order[0]][0])
}

func sentence(reason catalog.Reason, message string) string {
	if message == "" {
		return string(reason)
	}
	return string(reason) + ": " + message
}

// health has what the reconciler says.
func (p *page) health(f RegistrationFacts) {
	if f.Info == nil {
		return
	}
	i := f.Info
	state := i.State
	if i.DegradedReason != "" {
		state += ": " + i.DegradedReason
	}
	p.Heading("As reconciler " + term.Escape(f.Reconciler) + " sees it")
	facts := []fact{
		{"Health", state},
		{"Workers", fmt.Sprintf("%d of %d, %d busy", i.WorkersActive, i.Workers, i.WorkersProcessing)},
		{"Queue", strconv.Itoa(i.QueueDepth)},
		{"Recent", recent(i)},
	}
	if i.Rollback != nil && i.Rollback.TotalRollbacks > 0 {
		facts = append(facts, fact{"Rollbacks", fmt.Sprintf("%d, the last at %s", i.Rollback.TotalRollbacks, i.Rollback.LastRollbackAt)})
	}
	p.facts("  ", facts...)
}

func recent(i *katalog.CRDInfoResponse) string {
	if i.RecentReconciles == 0 {
		return "no attempt in the last five minutes"
	}
	return fmt.Sprintf("%d attempts in the last five minutes, %.0f %% of them failed, 95 %% within %.0f ms",
		i.RecentReconciles, i.ErrorRatePercent, i.DurationP95Ms)
}
