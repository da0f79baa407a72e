package why

import (
	"fmt"
	"time"

	"kayra/cli/term"
)

// shown is how many events the text has. The document has all.
const shown = 5

// Text is the answer for people, in lines of at most 80 cells but for commands, which are there to be copied.
func (a *Answer) Text() string {
	p := &term.Page{}
	p.Cell("", "%s", a.headline())
	p.WriteString("\n")
	for _, g := range a.Gates {
		status := map[Status]string{OK: "ok", Blocks: "BLOCKS", Beyond: "-"}[g.Status]
		p.Cell(fmt.Sprintf("  %-13s %-7s ", g.Name, status), "%s", g.Evidence)
	}
	if len(a.Open) > 0 {
		p.Heading("To open it:")
	}
	for _, s := range a.Open {
		p.Line("  ", "%s", s.Say)
		if s.Run != "" {
			p.Verbatim("    ", s.Run)
		}
	}
	a.events(p)
	return p.String()
}

func (a *Answer) headline() string {
	if a.Synced {
		return fmt.Sprintf("%s is synced to %s, at sync_id %s", a.Namespace, a.API, a.At)
	}
	if a.At != "" && a.At == a.Target {
		return fmt.Sprintf("%s is at the sync_id of %s, but was tried at another one since and has to be taken back: %s",
			a.Namespace, a.API, a.Because)
	}
	return fmt.Sprintf("%s is not synced to %s: %s", a.Namespace, a.API, a.Because)
}

func (a *Answer) events(p *term.Page) {
	if len(a.Events) == 0 {
		return
	}
	p.Heading("What has happened, as reconciler " + term.Escape(a.Reconciler) + " knows it:")
	for _, e := range a.Events[:min(len(a.Events), shown)] {
		times := ""
		if e.Count > 1 {
			times = fmt.Sprintf(", %d times", e.Count)
		}
		p.Line("  ", "%s  %s%s: %s", e.At.UTC().Format(time.RFC3339), e.Reason, times, e.Message)
	}
}
