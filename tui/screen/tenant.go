package screen

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kayra/reconciler/katalog"
	"kayra/tui/fleet"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// Tenant is one subscription: its run, the run's steps, and what has happened to it.
type Tenant struct {
	pager

	api, namespace string
}

// NewTenant makes the view of a namespace's subscription to an API.
func NewTenant(api, namespace string) *Tenant { return &Tenant{api: api, namespace: namespace} }

// Title is what the screen is called, escaped.
func (t *Tenant) Title() string { return safe(t.namespace) }

// Scroll goes so many lines down, or up.
func (t *Tenant) Scroll(_ *Data, by int) { t.scroll(by) }

// Subject is the subscription, with what there is to say of it.
func (t *Tenant) Subject(d *Data) Subject {
	s := Subject{API: t.api, Namespace: t.namespace, Text: t.namespace + "/" + t.api}
	if sub := d.Fleet.Subscription(t.api, t.namespace); sub != nil {
		s.Text += ": " + string(sub.Reason)
		if sub.Message != "" {
			s.Text += ": " + sub.Message
		}
	}
	return s
}

// Render draws the screen.
func (t *Tenant) Render(d *Data) string {
	sub := d.Fleet.Subscription(t.api, t.namespace)
	if sub == nil {
		text := fmt.Sprintf("%s is not subscribed to %s, or not any more. Esc goes back.", t.namespace, t.api)
		if why := untoldSubscriptions(d); why != "" {
			text = why
		}
		return t.draw(widget.Wrap(safe(text), t.width), d.Theme.Ellipsis)
	}
	lines := t.head(d, sub)
	detail := d.Fleet.Detail(t.api, t.namespace)
	if detail == nil {
		return t.draw(append(lines, "", d.Theme.Dim.Render("Reconcilers are being asked for its run and its events.")), d.Theme.Ellipsis)
	}
	if detail.Problem != "" {
		lines = append(lines, "")
		for _, line := range widget.Wrap(d.Theme.Alert+" "+safe(untold(d, detail)), t.width) {
			lines = append(lines, d.Theme.Warn.Render(line))
		}
	}
	if detail.Reconciler == "" && detail.Problem != "" { // what nobody tells is not known to be nothing
		return t.draw(lines, d.Theme.Ellipsis)
	}
	lines = append(lines, t.run(d, detail)...)
	return t.draw(append(lines, t.events(d, detail)...), d.Theme.Ellipsis)
}

// untold is why a run and events are not known, or not all of them.
func untold(d *Data, detail *fleet.Detail) string {
	const what = "its run, its steps and its events are not known: "
	s := d.Fleet.Source(fleet.AllReconcilers)
	switch {
	case detail.Reconciler != "":
		return detail.Problem
	case s.Trouble == fleet.Denied && s.Problem != "":
		return what + s.Problem
	}
	return what + detail.Problem
}

// head says how the subscription stands.
func (t *Tenant) head(d *Data, sub *fleet.Subscription) []string {
	th := d.Theme
	reason, state := reasonOf(sub.Reason), stateOf(sub.State)
	lines := []string{widget.Ends(
		th.Of(reason.tone).Render(reason.text(th))+"  "+th.Title.Render(safe(t.namespace))+th.Dim.Render(" at ")+th.Title.Render(safe(t.api)),
		th.Dim.Render("for "+widget.Since(d.Now, sub.Since)), t.width, th.Ellipsis)}
	for _, line := range widget.Wrap(safe(sub.Message), t.width) {
		if line != "" {
			lines = append(lines, th.Of(messageTone(reason)).Render(line))
		}
	}
	active := "not active yet"
	if sub.Active {
		active = "active"
	}
	lines = append(lines, "",
		field(th, "last sync", th.Of(state.tone).Render(state.text(th))+th.Dim.Render("  "+active)),
		field(th, "sync id", or(th, sub.CurrentSyncID)),
		field(th, "target", or(th, sub.ExpectedSyncID)))
	if sub.AttemptedSyncID != sub.ExpectedSyncID && sub.AttemptedSyncID != "" {
		lines = append(lines, field(th, "tried", or(th, sub.AttemptedSyncID)))
	}
	return lines
}

// messageTone keeps what is only said from looking like a fault.
func messageTone(s standing) theme.Tone {
	if s.tone == theme.ToneBad || s.tone == theme.ToneWarn {
		return s.tone
	}
	return theme.ToneNone
}

func field(th *theme.Theme, name, value string) string {
	const widest = 10
	return th.Dim.Render(widget.Pad(name, widest)) + value
}

func or(th *theme.Theme, text string) string {
	if text == "" {
		return th.Dim.Render("none")
	}
	return th.Text.Render(safe(text))
}

// run is the last run with its steps.
func (t *Tenant) run(d *Data, detail *fleet.Detail) []string {
	th := d.Theme
	if detail.Run == nil && detail.Attempt == nil {
		return []string{"", th.Heading.Render("RUN"), th.Dim.Render("None that is remembered.")}
	}
	lines := []string{"", th.Heading.Render("RUN") + "  " + t.runLine(d, detail)}
	if len(detail.Steps) == 0 {
		return append(lines, th.Dim.Render("No step of it is remembered."))
	}
	name := 4
	for i := range detail.Steps {
		name = max(name, min(len(safe(detail.Steps[i].Name)), 28))
	}
	heading := "   " + widget.Pad("STEP", name) + " STATUS        TOOK  SENT CODE"
	if t.width >= roomy {
		heading += " CALL"
	}
	lines = append(lines, th.Heading.Render(heading))
	for i := range detail.Steps {
		lines = append(lines, t.step(d, i, name, &detail.Steps[i])...)
	}
	return lines
}

func (t *Tenant) runLine(d *Data, detail *fleet.Detail) string {
	th := d.Theme
	var parts []string
	if a := detail.Attempt; a != nil {
		s := phaseOf(string(a.Phase))
		parts = append(parts, th.Of(s.tone).Render(s.text(th)), th.Text.Render("attempt "+strconv.Itoa(a.Number)))
		if a.Retries > 0 {
			parts = append(parts, th.Text.Render(fmt.Sprintf("retry %d", a.Retries)))
		}
		if !a.StartedAt.IsZero() {
			parts = append(parts, th.Dim.Render("began "+widget.Since(d.Now, a.StartedAt)+" ago"))
		}
		if a.RetryAt.After(d.Now) {
			parts = append(parts, th.Warn.Render("next in "+widget.Age(a.RetryAt.Sub(d.Now))))
		}
	}
	if r := detail.Run; r != nil {
		parts = append(parts, th.Dim.Render("took "+widget.Took(milliseconds(r.Status.DurationMs))), th.Dim.Render(safe(r.Name)))
	}
	return strings.Join(parts, "  ")
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func phaseOf(phase string) standing {
	switch phase {
	case "running":
		return standing{theme.ToneRunning, "running"}
	case "success":
		return standing{theme.ToneOK, "success"}
	case "error", "failed":
		return standing{theme.ToneBad, phase}
	}
	return standing{theme.ToneNone, safe(phase)}
}

// stepState is how a step went.
func stepState(state string) standing {
	switch state {
	case "ok":
		return standing{theme.ToneOK, "ok"}
	case "running":
		return standing{theme.ToneRunning, "running"}
	case "pending":
		return standing{theme.ToneWaiting, "pending"}
	case "failed", "interrupted":
		return standing{theme.ToneBad, state}
	}
	return standing{theme.ToneNone, safe(state)}
}

func (t *Tenant) step(d *Data, i, name int, c *katalog.ChildSummary) []string {
	th := d.Theme
	s := stepState(c.Status.State)
	code := "-"
	if c.Status.Code > 0 {
		code = strconv.Itoa(c.Status.Code)
	}
	line := fmt.Sprintf("%2d %s %s %s %s %s", i+1,
		widget.Pad(widget.Fit(safe(c.Name), name, th.Ellipsis), name),
		th.Of(s.tone).Render(widget.Pad(s.text(th), 12)),
		widget.PadLeft(widget.Took(milliseconds(c.Status.DurationMs)), 5),
		widget.PadLeft(strconv.Itoa(c.Status.Attempts), 5), widget.PadLeft(code, 4))
	if t.width >= roomy {
		line += " " + th.Dim.Render(strings.ToUpper(safe(c.Status.Method))+" "+safe(c.Status.Endpoint))
	}
	lines := []string{line}
	if c.Status.Reason != "" {
		for _, text := range widget.Wrap(safe(c.Status.Reason), t.width-3) {
			lines = append(lines, "   "+th.Of(messageTone(s)).Render(text))
		}
	}
	return lines
}

// events are what has happened, the newest first.
func (t *Tenant) events(d *Data, detail *fleet.Detail) []string {
	th := d.Theme
	lines := []string{"", th.Heading.Render("EVENTS")}
	if len(detail.Events) == 0 {
		return append(lines, th.Dim.Render("None that is remembered."))
	}
	for i := range detail.Events {
		e := &detail.Events[i]
		tone := theme.ToneOK
		if e.Type != "Normal" {
			tone = theme.ToneWarn
		}
		times := ""
		if e.Count > 1 {
			times = fmt.Sprintf(" (%d times)", e.Count)
		}
		head := fmt.Sprintf("%s %s ", widget.PadLeft(widget.Since(d.Now, e.At), 4), th.Of(tone).Render(th.Mark(tone)+" "+safe(string(e.Reason))))
		const indent = "       "
		text := widget.Wrap(safe(e.Message)+times, t.width-len(indent))
		lines = append(lines, head)
		for _, line := range text {
			lines = append(lines, indent+th.Dim.Render(line))
		}
	}
	return lines
}
