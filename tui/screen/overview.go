package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kayra/tui/fleet"
	"kayra/tui/table"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// overview is all registrations.
type overview struct{}

// The columns of an overview.
const (
	overviewName = iota
	overviewHealth
	overviewSynced
	overviewFailed
	overviewCanary
	overviewBusy
	overviewQueue
	overviewRate
	overviewHistory
)

// NewOverview makes the view of all registrations, by name.
func NewOverview() *List {
	return newList(overview{}, table.Sort{},
		table.Column{Title: "API", Min: 20, Max: 44},
		table.Column{Title: "HEALTH", Min: 13},
		table.Column{Title: "SYNCED", Min: 16, Max: 30, Drop: 2},
		table.Column{Title: "FAIL", Min: 5, Right: true, Drop: 1},
		table.Column{Title: "CANARY", Min: 6, Max: 8, Drop: 3},
		table.Column{Title: "BUSY", Min: 5, Max: 9, Right: true, Drop: 4},
		table.Column{Title: "QUEUE", Min: 5, Max: 7, Right: true, Drop: 5},
		table.Column{Title: "/MIN", Min: 5, Max: 7, Right: true, Drop: 6},
		table.Column{Title: "LAST 5 MINUTES", Min: 14, Max: 30, Drop: 7},
	)
}

func (overview) title() string { return "overview" }

func (overview) subject(_ *Data, key string) Subject { return Subject{API: key, Text: key} }

func (overview) above(d *Data, width int) []string {
	return append(append(summary(d, width), deserted(d, width)...), "")
}

func (overview) nothing(d *Data) string {
	switch s := d.Fleet.Source(fleet.Registrations); {
	case s.Trouble == fleet.Denied:
		if why := untoldSubscriptions(d); why != "" {
			return why
		}
		return "There is no subscription that you may see."
	case !s.Synced:
		return "Nothing has been told yet."
	}
	return "No API is registered here. `kayra create catalog apiregistrations -f FILE` registers one."
}

func (overview) rows(d *Data, by table.Sort, f Filter) table.Rows {
	all := d.Fleet.APIs()
	r := overviewRows{data: d, apis: make([]*fleet.API, 0, len(all))}
	for _, a := range all {
		if f.Empty() || f.Match(a.Name, a.ShortName, a.Owner, healthOf(a).word, rolling(a)) {
			r.apis = append(r.apis, a)
			r.text = max(r.text, len(synced(&a.Counts)))
		}
	}
	compare := byColumn(by.Column)
	slices.SortStableFunc(r.apis, func(a, b *fleet.API) int {
		if by.Down {
			return compare(b, a)
		}
		return compare(a, b)
	})
	return r
}

// rolling is the word for an API whose rollout is pending, by which it is found.
func rolling(a *fleet.API) string {
	if a.Pending() {
		return "canary"
	}
	return ""
}

// byColumn orders APIs. Of numbers the greatest comes first, and of states those that somebody has to look at.
func byColumn(column int) func(a, b *fleet.API) int {
	switch column {
	case overviewHealth:
		return func(a, b *fleet.API) int { return cmp.Compare(healthOf(a).rank(), healthOf(b).rank()) }
	case overviewSynced:
		return func(a, b *fleet.API) int { return cmp.Compare(part(a), part(b)) }
	case overviewFailed:
		return func(a, b *fleet.API) int { return cmp.Compare(b.Counts.Failing, a.Counts.Failing) }
	case overviewCanary:
		return func(a, b *fleet.API) int {
			return cmp.Or(cmp.Compare(len(b.CanaryNamespaces), len(a.CanaryNamespaces)), cmp.Compare(b.Counts.Held, a.Counts.Held))
		}
	case overviewBusy:
		return func(a, b *fleet.API) int { return cmp.Compare(b.Busy, a.Busy) }
	case overviewQueue:
		return func(a, b *fleet.API) int { return cmp.Compare(b.Queue, a.Queue) }
	case overviewRate, overviewHistory:
		return func(a, b *fleet.API) int { return cmp.Compare(b.RatePerMinute, a.RatePerMinute) }
	}
	return func(a, b *fleet.API) int { return strings.Compare(a.Name, b.Name) }
}

// part is how much of an API is synced.
func part(a *fleet.API) float64 {
	if a.Counts.Subscribed == 0 {
		return 1
	}
	return float64(a.Counts.Synced) / float64(a.Counts.Subscribed)
}

type overviewRows struct {
	data *Data
	apis []*fleet.API
	text int // cells that the longest text beside a bar takes
}

func (r overviewRows) Len() int         { return len(r.apis) }
func (r overviewRows) Key(i int) string { return r.apis[i].Name }

func (r overviewRows) Cells(cells []table.Cell, i int) []table.Cell {
	a, th := r.apis[i], r.data.Theme
	health := healthOf(a)
	return append(cells,
		table.Cell{Text: a.Name, Style: th.Text},
		table.Cell{Text: health.text(th), Style: th.Of(health.tone)},
		table.Cell{Drawn: func(width int) string { return progress(th, width, r.text, &a.Counts) }},
		count(th, a.Counts.Failing, theme.ToneBad),
		canary(th, a),
		table.Cell{Text: busy(a), Style: th.Text},
		table.Cell{Text: number(a.Queue, a.Told+a.Untold > 0), Style: th.Text},
		table.Cell{Text: rate(a.RatePerMinute), Style: th.Text},
		table.Cell{Drawn: func(width int) string { return widget.Spark(th, width, a.History) }},
	)
}

// progress is a bar with how many are synced of how many, which takes so many cells in the row where that is longest.
func progress(th *theme.Theme, width, longest int, c *fleet.Counts) string {
	if c.Subscribed == 0 {
		return th.Dim.Render("no subscribers")
	}
	const least = 4
	if bar := width - longest - 1; bar >= least {
		return widget.Bar(th, bar, c.Synced, c.Failing, c.Subscribed) + " " + th.Text.Render(widget.PadLeft(synced(c), longest))
	}
	return th.Text.Render(synced(c))
}

func synced(c *fleet.Counts) string { return fmt.Sprintf("%d/%d", c.Synced, c.Subscribed) }

// count is a number with the glyph of its tone, or nothing where there is nothing.
func count(th *theme.Theme, n int, tone theme.Tone) table.Cell {
	if n == 0 {
		return table.Cell{Text: "0", Style: th.Dim}
	}
	return table.Cell{Text: th.Mark(tone) + " " + widget.Short(float64(n)), Style: th.Of(tone)}
}

// canary tells how many namespaces a pending rollout has reached.
func canary(th *theme.Theme, a *fleet.API) table.Cell {
	if !a.Pending() {
		return table.Cell{Text: "", Style: th.Dim}
	}
	return table.Cell{Text: th.Hold + " " + strconv.Itoa(len(a.CanaryNamespaces)), Style: th.Held}
}

func busy(a *fleet.API) string {
	switch {
	case a.Told == 0:
		return "?"
	case !a.Known():
		return strconv.Itoa(a.Busy) + "/?"
	}
	return fmt.Sprintf("%d/%d", a.Busy, a.Workers)
}

func number(n int, known bool) string {
	if !known {
		return "?"
	}
	return widget.Short(float64(n))
}

func rate(perMinute float64) string {
	if perMinute == 0 {
		return ""
	}
	return widget.Short(perMinute)
}
