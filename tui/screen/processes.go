package screen

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kayra/tui/fleet"
	"kayra/tui/table"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// processes is all reconcilers.
type processes struct{}

// The columns of a view of processes.
const (
	processName = iota
	processRole
	processReady
	processBusy
	processQueue
	processUptime
	processVersion
	processEndpoint
	processReached
)

// NewProcesses makes the view of all reconcilers.
func NewProcesses() *List {
	return newList(processes{}, table.Sort{},
		table.Column{Title: "RECONCILER", Min: 16, Max: 36},
		table.Column{Title: "ROLE", Min: 9, Drop: 3},
		table.Column{Title: "READY", Min: 11},
		table.Column{Title: "BUSY", Min: 4, Max: 6, Right: true, Drop: 1},
		table.Column{Title: "QUEUE", Min: 5, Max: 7, Right: true, Drop: 1},
		table.Column{Title: "UP", Min: 4, Right: true, Drop: 2},
		table.Column{Title: "VERSION", Min: 7, Max: 24, Drop: 5},
		table.Column{Title: "ENDPOINT", Min: 14, Max: 40, Drop: 4},
		table.Column{Title: "WHAT IT SAYS", Min: 16, Max: 120, Drop: 6},
	)
}

func (processes) title() string { return "reconcilers" }

func (processes) subject(_ *Data, key string) Subject { return Subject{Text: key} }

func (processes) above(d *Data, width int) []string {
	th := d.Theme
	all := d.Fleet.Reconcilers()
	lines := []string{th.Title.Render(plural(len(all), "reconciler"))}
	if len(all) > 0 && !slices.ContainsFunc(all, func(r *fleet.Reconciler) bool { return r.Konductor }) {
		lines = append(lines, th.Warn.Render(th.Alert+" none of them decides for all yet"))
	}
	for _, r := range all {
		if r.Problem != "" {
			lines = append(lines, th.Warn.Render(widget.Fit(th.Alert+" "+safe(processNamed(r)+" is not asked: "+r.Problem), width, th.Ellipsis)))
		}
	}
	return append(lines, "")
}

func (processes) nothing(d *Data) string {
	switch s := d.Fleet.Source(fleet.AllReconcilers); {
	case s.Trouble == fleet.Denied:
		return "You may not see reconcilers: that is for sysadmins."
	case !s.Synced:
		return "Nothing has been told of reconcilers yet."
	}
	return "No reconciler is running: nothing is synced until one is. `kayra reconciler` starts one."
}

func (processes) rows(d *Data, by table.Sort, f Filter) table.Rows {
	r := processRows{data: d}
	for _, p := range d.Fleet.Reconcilers() {
		if f.Match(p.ID, processNamed(p), p.Endpoint, p.Version, role(p), readiness(p).word, p.Problem) {
			r.all = append(r.all, p)
		}
	}
	slices.SortStableFunc(r.all, func(a, b *fleet.Reconciler) int {
		if by.Down {
			a, b = b, a
		}
		return compareProcesses(by.Column, d, a, b)
	})
	return r
}

func compareProcesses(column int, d *Data, a, b *fleet.Reconciler) int {
	switch column {
	case processRole:
		return strings.Compare(role(a), role(b))
	case processReady, processReached:
		return cmp.Compare(readiness(a).rank(), readiness(b).rank())
	case processBusy, processQueue:
		busyA, queueA := load(a)
		busyB, queueB := load(b)
		if column == processBusy {
			return cmp.Compare(busyB, busyA)
		}
		return cmp.Compare(queueB, queueA)
	case processUptime:
		return cmp.Compare(d.Now.Sub(b.StartedAt), d.Now.Sub(a.StartedAt))
	case processVersion:
		return strings.Compare(a.Version, b.Version)
	case processEndpoint:
		return strings.Compare(a.Endpoint, b.Endpoint)
	}
	return strings.Compare(processNamed(a), processNamed(b))
}

// longAgo is when it is worth to say that something was told a while ago.
const longAgo = 30 * time.Second

type processRows struct {
	data *Data
	all  []*fleet.Reconciler
}

func (r processRows) Len() int         { return len(r.all) }
func (r processRows) Key(i int) string { return r.all[i].ID }

func (r processRows) Cells(cells []table.Cell, i int) []table.Cell {
	p, th := r.all[i], r.data.Theme
	ready := readiness(p)
	busy, queue := load(p)
	roleStyle := th.Text
	if !p.Konductor {
		roleStyle = th.Dim
	}
	said, style := "", th.Dim
	switch {
	case p.Problem != "":
		said, style = p.Problem, th.Warn
	case p.Katalog == nil:
		said = "nothing yet"
	case r.data.Now.Sub(p.Asked) > longAgo:
		said = "told " + widget.Since(r.data.Now, p.Asked) + " ago"
	case p.Katalog.DegradedReason != "":
		said, style = p.Katalog.DegradedReason, th.Text
	}
	known := p.Katalog != nil && p.Problem == ""
	return append(cells,
		table.Cell{Text: processNamed(p), Style: th.Text},
		table.Cell{Text: role(p), Style: roleStyle},
		table.Cell{Text: ready.text(th), Style: th.Of(ready.tone)},
		table.Cell{Text: number(busy, known), Style: th.Text},
		table.Cell{Text: number(queue, known), Style: th.Text},
		table.Cell{Text: widget.Since(r.data.Now, p.StartedAt), Style: th.Text},
		table.Cell{Text: p.Version, Style: th.Dim},
		table.Cell{Text: hostOf(p.Endpoint), Style: th.Dim},
		table.Cell{Text: said, Style: style},
	)
}

// processNamed is the name that people know a process by.
func processNamed(p *fleet.Reconciler) string { return p.Host + ":" + strconv.Itoa(p.PID) }

func role(p *fleet.Reconciler) string {
	if p.Konductor {
		return "konductor"
	}
	return "worker"
}

// readiness is whether a process works, as far as it can be asked.
func readiness(p *fleet.Reconciler) standing {
	switch {
	case p.Problem != "":
		return standing{theme.ToneWarn, "not asked"}
	case p.Katalog == nil:
		return standing{theme.ToneNone, "unknown"}
	case p.Katalog.OrkReady:
		return standing{theme.ToneOK, "ready"}
	}
	return standing{theme.ToneBad, "not ready"}
}

// load is how many of a process's workers are busy, and how many jobs wait for one.
func load(p *fleet.Reconciler) (busy, queue int) {
	if p.Katalog == nil {
		return 0, 0
	}
	for i := range p.Katalog.CRDs {
		busy += int(p.Katalog.CRDs[i].WorkersProcessing)
		queue += p.Katalog.CRDs[i].QueueDepth
	}
	return busy, queue
}

func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return endpoint
	}
	return u.Host
}
