package screen

import (
	"cmp"
	"fmt"
	"slices"

	"kayra/store/catalog"
	"kayra/tui/fleet"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// summary is all registrations in two lines: how they are doing, and how far their subscriptions are.
func summary(d *Data, width int) []string {
	th := d.Theme
	states := map[catalog.HealthState]int{}
	var sum fleet.Counts
	var perMinute float64
	history := make([]int, fleet.HistoryLength)
	apis := d.Fleet.APIs()
	for _, a := range apis {
		states[a.State]++
		sum.Add(&a.Counts)
		perMinute += a.RatePerMinute
		for i, n := range a.History {
			history[i] += n
		}
	}
	health := []string{th.Title.Render(plural(len(apis), "API"))}
	for _, state := range byRank() {
		if n := states[state]; n > 0 {
			s := ofHealth(state)
			health = append(health, th.Of(s.tone).Render(fmt.Sprintf("%s %d %s", th.Mark(s.tone), n, s.word)))
		}
	}
	return []string{
		widget.Join(health, "  ", width, th.Ellipsis),
		ends(th, standings(th, &sum), speed(th, width, perMinute, history), width),
	}
}

// ends puts parts on the left, as many as there is room for, and a text on the right.
func ends(th *theme.Theme, parts []string, right string, width int) string {
	return widget.Ends(widget.Join(parts, "  ", width-widget.Width(right)-1, th.Ellipsis), right, width, th.Ellipsis)
}

// byRank are the states of health: what somebody has to look at comes first.
func byRank() []catalog.HealthState {
	all := append(catalog.HealthStates(), "")
	slices.SortStableFunc(all, func(a, b catalog.HealthState) int { return cmp.Compare(ofHealth(a).rank(), ofHealth(b).rank()) })
	return all
}

// speed is how many syncs end well in a minute, and where there is room how many did so lately.
func speed(th *theme.Theme, width int, perMinute float64, history []int) string {
	const spark, roomForSpark = 12, 100
	if perMinute == 0 {
		return ""
	}
	text := th.Text.Render(widget.Short(perMinute) + "/min")
	if width < roomForSpark {
		return text
	}
	return text + " " + widget.Spark(th, spark, history)
}

// standings are how many subscriptions stand how, synced ones first.
func standings(th *theme.Theme, c *fleet.Counts) []string {
	parts := []string{th.Text.Render(fmt.Sprintf("%s/%s synced", widget.Count(c.Synced), widget.Count(c.Subscribed)))}
	for _, p := range []struct {
		n int
		s standing
	}{
		{c.Failing, standing{theme.ToneBad, "failed"}},
		{c.Running, standing{theme.ToneRunning, "running"}},
		{c.Waiting, standing{theme.ToneWaiting, "waiting"}},
		{c.Held, standing{theme.ToneHeld, "held"}},
		{c.Paused, standing{theme.TonePaused, "paused"}},
	} {
		if p.n > 0 {
			parts = append(parts, th.Of(p.s.tone).Render(fmt.Sprintf("%s %s %s", th.Mark(p.s.tone), widget.Count(p.n), p.s.word)))
		}
	}
	return parts
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return widget.Count(n) + " " + word + "s"
}
