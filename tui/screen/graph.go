package screen

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"kayra/store/catalog"
	"kayra/tui/fleet"
	"kayra/tui/table"
	"kayra/tui/theme"
)

// graph is who needs whom.
type graph struct{}

// The columns of a graph.
const (
	graphHealth = iota
	graphAPI
	graphLevel
	graphNeeds
)

// NewGraph makes the view of which API needs which: below each API stand those that wait for it to start.
func NewGraph() *List {
	return newList(graph{}, table.Sort{Column: graphAPI},
		table.Column{Title: "HEALTH", Min: 13},
		table.Column{Title: "API", Min: 20, Max: 60},
		table.Column{Title: "LEVEL", Min: 5, Right: true, Drop: 2},
		table.Column{Title: "NEEDS", Min: 16, Max: 200, Drop: 1},
	)
}

func (graph) title() string { return "dependencies" }

func (graph) subject(_ *Data, key string) Subject { return Subject{API: key, Text: key} }

func (graph) above(d *Data, _ int) []string {
	return []string{d.Theme.Dim.Render("Below each API stand those that wait for it. Levels start one after the other."), ""}
}

func (graph) nothing(d *Data) string { return overview{}.nothing(d) }

func (graph) rows(d *Data, by table.Sort, f Filter) table.Rows {
	g := newWeb(d.Fleet)
	nodes := g.tree()
	nodes = slices.DeleteFunc(nodes, func(n *node) bool {
		return !f.Match(n.name, n.health().word, g.needs(n))
	})
	flat := by.Column != graphAPI
	if flat {
		slices.SortStableFunc(nodes, func(a, b *node) int {
			if by.Down {
				a, b = b, a
			}
			switch by.Column {
			case graphHealth:
				return cmp.Compare(a.health().rank(), b.health().rank())
			case graphNeeds:
				return cmp.Compare(len(b.parents), len(a.parents))
			}
			return cmp.Compare(a.level, b.level)
		})
	}
	return graphRows{data: d, web: g, nodes: nodes, flat: flat || !f.Empty()}
}

type graphRows struct {
	data  *Data
	web   *web
	nodes []*node
	flat  bool
}

func (r graphRows) Len() int         { return len(r.nodes) }
func (r graphRows) Key(i int) string { return r.nodes[i].name }

func (r graphRows) Cells(cells []table.Cell, i int) []table.Cell {
	n, th := r.nodes[i], r.data.Theme
	health := n.health()
	name := n.name
	if !r.flat {
		name = n.branch(th) + name
	}
	return append(cells,
		table.Cell{Text: health.text(th), Style: th.Of(health.tone)},
		table.Cell{Text: name, Style: th.Text},
		table.Cell{Text: strconv.Itoa(n.level), Style: th.Dim},
		table.Cell{Text: r.web.needs(n), Style: th.Dim},
	)
}

// node is an API in a web.
type node struct {
	name    string
	api     *fleet.API // nil: it is not registered, and others need it
	parents []catalog.Dependency
	level   int // 1: it needs nobody
	below   []*node
	last    []bool // of each of those above it and of itself: nothing follows on that level
	done    bool   // its level is known
}

func (n *node) health() standing {
	if n.api == nil {
		return standing{theme.ToneBad, "missing"}
	}
	return healthOf(n.api)
}

// branch is what stands before a node's name in a tree.
func (n *node) branch(th *theme.Theme) string {
	var b strings.Builder
	for i := 1; i < len(n.last); i++ {
		switch own := i == len(n.last)-1; {
		case own && n.last[i]:
			b.WriteString(th.LastChild + " ")
		case own:
			b.WriteString(th.Branch + " ")
		case n.last[i]:
			b.WriteString("  ")
		default:
			b.WriteString(th.Trunk + " ")
		}
	}
	return b.String()
}

// web is who needs whom in this scope.
type web struct {
	nodes map[string]*node
	names []string // in order
}

func newWeb(f *fleet.Fleet) *web {
	w := &web{nodes: map[string]*node{}}
	for _, a := range f.APIs() {
		n := w.node(a.Name)
		n.api = a
		for _, dep := range a.DependsOn {
			if local(a, dep) {
				w.node(dep.Name)
			}
			n.parents = append(n.parents, dep)
		}
	}
	slices.Sort(w.names)
	return w
}

func (w *web) node(name string) *node {
	n := w.nodes[name]
	if n == nil {
		n = &node{name: name}
		w.nodes[name] = n
		w.names = append(w.names, name)
	}
	return n
}

// tree has each node once, below the one of those it needs that is the last to start.
func (w *web) tree() []*node {
	var roots []*node
	for _, name := range w.names {
		n := w.nodes[name]
		if above := w.above(n); above != nil {
			above.below = append(above.below, n)
		} else {
			roots = append(roots, n)
		}
	}
	out := make([]*node, 0, len(w.names))
	var walk func(all []*node, last []bool)
	walk = func(all []*node, last []bool) {
		for i, n := range all {
			n.last = append(slices.Clone(last), i == len(all)-1)
			out = append(out, n)
			walk(n.below, n.last)
		}
	}
	walk(roots, nil)
	return out
}

// above finds a node's level, and the node that it stands below; nil: none.
func (w *web) above(n *node) *node {
	w.count(n)
	var found *node
	for _, dep := range n.parents {
		if p := w.parent(n, dep); p != nil && p.level < n.level && (found == nil || p.level > found.level) {
			found = p
		}
	}
	return found
}

// parent is the node of a dependency; nil: it is in another scope.
func (w *web) parent(n *node, dep catalog.Dependency) *node {
	if n.api == nil || !local(n.api, dep) {
		return nil
	}
	return w.nodes[dep.Name]
}

// count finds a node's level. The server lets no cycle happen; a copy that is half up to date may have one, which ends here.
func (w *web) count(n *node) int {
	if n.done {
		return n.level
	}
	n.done, n.level = true, 1
	for _, dep := range n.parents {
		if p := w.parent(n, dep); p != nil {
			n.level = max(n.level, w.count(p)+1)
		}
	}
	return n.level
}

// needs are the APIs that one needs, with the condition of each.
func (w *web) needs(n *node) string {
	parts := make([]string, len(n.parents))
	for i, dep := range n.parents {
		name := dep.Name
		if w.parent(n, dep) == nil {
			name = dep.Platform + "/" + dep.Region + "/" + name
		}
		parts[i] = name + " " + string(dep.Needs())
	}
	return strings.Join(parts, ", ")
}
