package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"kayra/cli/printer"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// shown is how many names the text lists of each kind. The document has all.
const shown = 20

// Text is the plan for people, in lines of at most 80 cells.
func (p *Plan) Text() string {
	t := &page{}
	t.Line("", "%s API registration %s", map[Action]string{Create: "Create", Update: "Update"}[p.Action], p.Name)
	t.Heading("Fields")
	p.fields(t)
	t.Heading("Start order")
	p.starts(t)
	t.Heading("Reconciled")
	p.Reconcile.who(t)
	if len(p.Reconcile.Due) > 0 {
		t.Heading("Order")
		p.Reconcile.sequence(t)
	}
	t.Heading("Requests")
	p.Requests.show(t)
	t.Heading("Nothing was written.")
	return t.String()
}

func (p *Plan) fields(t *page) {
	if len(p.Changes) == 0 {
		t.Line("  ", "none changes; the write counts as a trigger all the same")
	}
	const widest = 24
	width := 0
	for _, c := range p.Changes {
		width = max(width, min(len(c.Field), widest))
	}
	for _, c := range p.Changes {
		name := fmt.Sprintf("%-*s  ", width, c.Field)
		if p.Action == Create {
			t.Line("  ", "%s%s", name, readable(c.New))
			continue
		}
		t.Line("  ", "%s%s -> %s", name, readable(c.Old), readable(c.New))
	}
}

// readable is a field's value without the marks of JSON where it can do without.
func readable(value json.RawMessage) string {
	var text string
	var list []string
	var needs []catalog.Dependency
	switch {
	case value == nil:
		return "(none)"
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &list) == nil:
		return strings.Join(list, ", ")
	case json.Unmarshal(value, &needs) == nil && len(needs) > 0 && needs[0].Name != "":
		list = nil // what was tried left its marks
		for _, d := range needs {
			list = append(list, fmt.Sprintf("%s (%s)", d.Ref, d.Needs()))
		}
		return strings.Join(list, ", ")
	}
	return string(value)
}

func (p *Plan) starts(t *page) {
	skipped := max(0, len(p.StartOrder)-shown)
	for i, s := range p.StartOrder {
		if i >= shown-1 && i < len(p.StartOrder)-1 && skipped > 0 {
			continue
		}
		if i == len(p.StartOrder)-1 && skipped > 0 {
			t.Line("  ", "… and %d between, which -o json lists", skipped)
		}
		needs := make([]string, 0, len(s.Needs))
		for _, n := range s.Needs {
			needs = append(needs, fmt.Sprintf("%s (%s)", n.Name, n.Condition))
		}
		switch {
		case s.External:
			t.Line("  ", "%d. %s, of another scope", i+1, s.Name)
		case len(needs) > 0:
			t.Line("  ", "%d. %s, which needs %s", i+1, s.Name, strings.Join(needs, ", "))
		default:
			t.Line("  ", "%d. %s", i+1, s.Name)
		}
	}
}

func (r *Reconcile) who(t *page) {
	if len(r.Due) == 0 {
		t.Line("  ", "nobody: %s", r.Why)
	} else {
		t.Line("  ", "%s, since %s:", count(len(r.Due), r.Subscribers), r.Why)
		t.names("    ", r.Due, func(n Tenant) string {
			if n.Why == whyInactive {
				return n.Namespace + " (its first sync)"
			}
			return n.Namespace
		})
	}
	for _, why := range []struct{ word, says string }{
		{whyCanary, "held until the rollout is released or aborted:"}, {whyPaused, "due once it is not paused any more:"},
	} {
		var held []Tenant
		for _, n := range r.Held {
			if n.Why == why.word {
				held = append(held, n)
			}
		}
		if len(held) > 0 {
			t.Line("  ", "%s %s", count(len(held), r.Subscribers), why.says)
			t.names("    ", held, func(n Tenant) string { return n.Namespace })
		}
	}
}

func count(n, of int) string {
	if n == of && n == 1 {
		return "the only subscriber"
	}
	return fmt.Sprintf("%d of %d subscribers", n, of)
}

func (r *Reconcile) sequence(t *page) {
	for _, w := range r.Waves {
		when := "at once"
		if len(w.After) > 0 {
			when = "each as soon as " + strings.Join(w.After, ", and ")
		}
		if len(r.Waves) == 1 {
			t.Line("  ", "%s", when)
			break
		}
		t.Line("  ", "wave %d, %s:", w.Number, when)
		names := make([]Tenant, len(w.Namespaces))
		for i, ns := range w.Namespaces {
			names[i].Namespace = ns
		}
		t.names("    ", names, func(n Tenant) string { return n.Namespace })
	}
	if r.Order != "" {
		t.Line("  ", "%s", r.Order)
	}
}

func (q *Requests) show(t *page) {
	if q.Note != "" {
		t.Line("  ", "%s", q.Note)
		return
	}
	t.Line("  ", "of %s, by mode %s of %s:", q.Namespace, q.Mode, q.Config)
	for _, s := range q.Steps {
		q.step(t, s)
	}
}

func (q *Requests) step(t *page, s pipeline.RequestView) {
	at := fmt.Sprintf("  %d. ", s.Index+1)
	under := strings.Repeat(" ", len(at))
	title := s.Method + " " + s.URL
	if s.Name != "" {
		title += " (" + s.Name + ")"
	}
	t.Line(at, "%s", title)
	if s.Problem != "" {
		t.Line(under, "cannot be sent: %s", s.Problem)
		return
	}
	for _, h := range s.Headers {
		t.Line(under, "%s: %s", h.Name, h.Value)
	}
	if s.Body == nil {
		return
	}
	body, err := printer.Indent(s.Body)
	if err != nil {
		body = string(s.Body)
	}
	for line := range strings.Lines(body) {
		text := strings.TrimLeft(line, " ")
		t.Line(under+line[:len(line)-len(text)], "%s", strings.TrimSuffix(text, "\n"))
	}
}
