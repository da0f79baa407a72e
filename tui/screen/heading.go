package screen

import (
	"fmt"
	"strings"

	"kayra/store/catalog"
	"kayra/tui/fleet"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// above says how the API is doing as a whole.
func (t *tenants) above(d *Data, width int) []string {
	a := d.Fleet.API(t.api)
	if a == nil {
		return nil
	}
	lines := []string{headline(d, a, width), target(d, a)}
	if a.Because != "" {
		lines = append(lines, d.Theme.Bad.Render(d.Theme.Alert+" "+safe(a.Because)))
	}
	if a.Pending() {
		lines = append(lines, pending(d, a))
	}
	if len(a.DependsOn) > 0 {
		lines = append(lines, needs(d, a))
	}
	return append(append(lines, standingsLine(d, a, width)), append(deserted(d, width), "")...)
}

// headline is an API's health, and whose it is.
func headline(d *Data, a *fleet.API, width int) string {
	th := d.Theme
	s := healthOf(a)
	left := th.Of(s.tone).Render(s.text(th)) + "  " + th.Title.Render(safe(a.Name))
	if a.Description != "" {
		left += "  " + th.Dim.Render(safe(a.Description))
	}
	var right []string
	if a.Owner != "" {
		right = append(right, "owner "+safe(a.Owner))
	}
	if a.Mode != "" {
		right = append(right, "mode "+safe(a.Mode))
	}
	return widget.Ends(left, th.Dim.Render(strings.Join(right, "  ")), width, th.Ellipsis)
}

// target is the sync id that everyone is to have.
func target(d *Data, a *fleet.API) string {
	th := d.Theme
	return th.Dim.Render("target ") + th.Text.Render(safe(a.SyncID))
}

// pending tells of a rollout that has reached its canaries only.
func pending(d *Data, a *fleet.API) string {
	th := d.Theme
	text := fmt.Sprintf("%s canary in %s", th.Hold, safe(strings.Join(a.CanaryNamespaces, ", ")))
	if a.Counts.Held > 0 {
		text += fmt.Sprintf("; %s held at %s", widget.Count(a.Counts.Held), safe(a.ReleasedSyncID))
	}
	return th.Held.Render(text)
}

// needs are the APIs that this one needs, with what must be so of them.
func needs(d *Data, a *fleet.API) string {
	parts := make([]string, len(a.DependsOn))
	for i, dep := range a.DependsOn {
		parts[i] = need(d, a, dep)
	}
	return d.Theme.Dim.Render("needs ") + strings.Join(parts, d.Theme.Dim.Render(", "))
}

func need(d *Data, a *fleet.API, dep catalog.Dependency) string {
	th := d.Theme
	name, s := dep.Name, standing{theme.ToneNone, "in another scope"}
	if local(a, dep) {
		s = standing{theme.ToneBad, "missing"}
		if other := d.Fleet.API(dep.Name); other != nil {
			s = ofHealth(other.State)
		}
	} else {
		name = dep.Platform + "/" + dep.Region + "/" + name
	}
	return th.Of(s.tone).Render(th.Mark(s.tone)+" "+safe(name)) + th.Dim.Render(" "+string(dep.Needs())+" (is "+safe(s.word)+")")
}

// local tells whether a dependency is in the scope of the API that has it.
func local(a *fleet.API, dep catalog.Dependency) bool {
	return (dep.Platform == "" || dep.Platform == a.Platform) && (dep.Region == "" || dep.Region == a.Region)
}

// standingsLine is a bar with all subscriptions by how they stand, and how fast that changes.
func standingsLine(d *Data, a *fleet.API, width int) string {
	th, c := d.Theme, &a.Counts
	const bar = 24
	right := speed(th, width, a.RatePerMinute, a.History)
	if left := eta(a); left > 0 {
		right = th.Text.Render("about "+widget.Age(left)+" left  ") + right
	}
	parts := standings(th, c)
	if c.Subscribed > 0 {
		parts[0] = widget.Bar(th, min(bar, width/6), c.Synced, c.Failing, c.Subscribed) + " " + parts[0]
	}
	return ends(th, parts, right, width)
}
