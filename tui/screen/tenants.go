package screen

import (
	"cmp"
	"strings"
	"time"

	"kayra/tui/fleet"
	"kayra/tui/table"
	"kayra/tui/widget"
)

// tenants is one API: what its subscribers make of its sync id.
type tenants struct {
	api string

	shown  *fleet.Rows // for
	by     table.Sort
	filter string
}

// The columns of a view of tenants.
const (
	tenantName = iota
	tenantReason
	tenantState
	tenantAge
	tenantSyncID
	tenantMessage
)

// NewTenants makes the view of the subscriptions to an API. Those that somebody has to look at come first.
func NewTenants(api string) *List {
	return newList(&tenants{api: api}, table.Sort{Column: tenantReason}, tenantColumns("NAMESPACE")...)
}

func tenantColumns(first string) []table.Column {
	return []table.Column{
		{Title: first, Min: 14, Max: 32},
		{Title: "STATUS", Min: 13},
		{Title: "LAST SYNC", Min: 9, Drop: 4},
		{Title: "AGE", Min: 4, Right: true, Drop: 1},
		{Title: "SYNC ID", Min: 8, Max: 36, Drop: 2},
		{Title: "MESSAGE", Min: 30, Max: 200, Drop: 3},
	}
}

func (t *tenants) title() string { return safe(t.api) }

func (t *tenants) subject(_ *Data, key string) Subject {
	if key == "" {
		return Subject{API: t.api, Text: t.api}
	}
	return Subject{API: t.api, Namespace: key, Text: key}
}

func (t *tenants) nothing(d *Data) string {
	if why := untoldSubscriptions(d); why != "" {
		return why
	}
	if d.Fleet.API(t.api) == nil {
		return t.api + " is not registered here, or not any more. Esc goes back."
	}
	return "No namespace is subscribed to " + t.api + ". `kayra create catalog -n NAMESPACE subscriptions -d '{\"api\": \"" + t.api + "\"}'` subscribes one."
}

func (t *tenants) rows(d *Data, by table.Sort, f Filter) table.Rows {
	if t.shown == nil || t.by != by || t.filter != f.String() {
		t.shown, t.by, t.filter = fleet.NewRows(orderOf(by), matchOf(f)), by, f.String()
	}
	return tenantRows{data: d, all: t.shown.Of(d.Fleet, t.api), key: func(s *fleet.Subscription) string { return s.Namespace }}
}

func matchOf(f Filter) func(*fleet.Subscription) bool {
	if f.Empty() {
		return nil
	}
	return func(s *fleet.Subscription) bool {
		return f.Match(s.Namespace, reasonOf(s.Reason).word, string(s.Reason), string(s.State), s.CurrentSyncID, s.Message)
	}
}

// orderOf orders subscriptions. Of times the latest comes first.
func orderOf(by table.Sort) func(a, b *fleet.Subscription) int {
	compare := func(a, b *fleet.Subscription) int { return strings.Compare(a.Namespace, b.Namespace) }
	switch by.Column {
	case tenantReason:
		compare = func(a, b *fleet.Subscription) int {
			return cmp.Compare(reasonOf(a.Reason).rank(), reasonOf(b.Reason).rank())
		}
	case tenantState:
		compare = func(a, b *fleet.Subscription) int { return strings.Compare(string(a.State), string(b.State)) }
	case tenantAge:
		compare = func(a, b *fleet.Subscription) int { return b.Since.Compare(a.Since) }
	case tenantSyncID:
		compare = func(a, b *fleet.Subscription) int { return strings.Compare(a.CurrentSyncID, b.CurrentSyncID) }
	case tenantMessage:
		compare = func(a, b *fleet.Subscription) int { return strings.Compare(a.Message, b.Message) }
	}
	if by.Down {
		return func(a, b *fleet.Subscription) int { return compare(b, a) }
	}
	return compare
}

type tenantRows struct {
	data *Data
	all  []*fleet.Subscription
	key  func(*fleet.Subscription) string // what tells one from the others
}

func (r tenantRows) Len() int         { return len(r.all) }
func (r tenantRows) Key(i int) string { return r.key(r.all[i]) }

func (r tenantRows) Cells(cells []table.Cell, i int) []table.Cell {
	s, th := r.all[i], r.data.Theme
	reason, state := reasonOf(s.Reason), stateOf(s.State)
	id := table.Cell{Text: s.CurrentSyncID, Style: th.Text}
	if s.CurrentSyncID != s.ExpectedSyncID {
		id.Style = th.Dim
	}
	if s.CurrentSyncID == "" {
		id.Text = "-"
	}
	return append(cells,
		table.Cell{Text: r.key(s), Style: th.Text},
		table.Cell{Text: reason.text(th), Style: th.Of(reason.tone)},
		table.Cell{Text: string(s.State), Style: th.Of(state.tone)},
		table.Cell{Text: widget.Since(r.data.Now, s.Since), Style: th.Text},
		id,
		table.Cell{Text: brief(s), Style: th.Text},
	)
}

// brief is a subscription's message without what stands in other columns.
func brief(s *fleet.Subscription) string {
	return strings.Replace(s.Message, " to reach sync_id "+s.AttemptedSyncID+" is running", "", 1)
}

// eta is how long the rest of a fan-out takes at the rate of the last half minute, if that has been even. It is zero where
// nothing can be said.
func eta(a *fleet.API) time.Duration {
	const slots = 6
	rest := a.Counts.Waiting + a.Counts.Running
	if len(a.History) <= slots || rest == 0 {
		return 0
	}
	least, most, sum := a.History[len(a.History)-2], 0, 0
	for _, n := range a.History[len(a.History)-1-slots : len(a.History)-1] { // the last one is not over yet
		least, most, sum = min(least, n), max(most, n), sum+n
	}
	if least == 0 || most > 2*least {
		return 0
	}
	return time.Duration(rest) * slots * fleet.HistoryInterval / time.Duration(sum)
}
