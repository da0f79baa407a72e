package screen

import (
	"slices"
	"strings"

	"kayra/tui/fleet"
	"kayra/tui/table"
)

// namespace is what one namespace is subscribed to.
type namespace struct{ name string }

// NewNamespace makes the view of all subscriptions of a namespace.
func NewNamespace(name string) *List {
	columns := tenantColumns("API")
	return newList(namespace{name}, table.Sort{Column: tenantReason}, columns...)
}

func (n namespace) title() string { return "namespace " + safe(n.name) }

func (n namespace) subject(_ *Data, key string) Subject {
	if key == "" {
		return Subject{Text: n.name}
	}
	return Subject{API: key, Namespace: n.name, Text: key}
}

func (namespace) above(*Data, int) []string { return nil }

func (n namespace) nothing(d *Data) string {
	if why := untoldSubscriptions(d); why != "" {
		return why
	}
	return n.name + " is subscribed to nothing here."
}

func (n namespace) rows(d *Data, by table.Sort, f Filter) table.Rows {
	r := tenantRows{data: d, key: func(s *fleet.Subscription) string { return s.API }}
	takes := matchOf(f)
	for _, a := range d.Fleet.APIs() {
		if s := d.Fleet.Subscription(a.Name, n.name); s != nil && (takes == nil || takes(s) || f.Match(s.API)) {
			r.all = append(r.all, s)
		}
	}
	if by.Column == tenantName {
		slices.SortFunc(r.all, func(a, b *fleet.Subscription) int {
			if by.Down {
				a, b = b, a
			}
			return strings.Compare(a.API, b.API)
		})
		return r
	}
	slices.SortStableFunc(r.all, orderOf(by))
	return r
}
