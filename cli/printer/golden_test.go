package printer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"kayra/cli/printer"
	"kayra/cli/term"
)

const id1, id2 = "32178b2a-9360-1ba6-6270-a28196209bad", "95b343f9-c635-cbc1-5dcc-a91233276ff0"

const subscriptions = `{"items":[
 {"api":"compute.example.com","namespace":"sre","active":true,"state":"success","current_sync_id":"` + id1 + `","expected_sync_id":"` + id1 + `",
  "synced":true,"reason":"synced","message":"","attempted_sync_id":"` + id1 + `","updated_at":"2026-11-30T14:00:52Z"},
 {"api":"compute.example.com","namespace":"applications","active":true,"state":"error","current_sync_id":"` + id1 + `","expected_sync_id":"` + id2 + `",
  "synced":false,"reason":"step_failed","message":"step 1 (sync): the answer was 500 Internal Server Error, and one of 2xx was wanted","attempted_sync_id":"` + id2 + `","updated_at":"2026-11-30T14:00:53Z"},
 {"api":"dns.example.com","namespace":"世界","active":false,"state":"init","current_sync_id":"","expected_sync_id":"2026-01-01T00Z-and-some-more",
  "synced":false,"reason":"canary_hold","message":"a rollout is pending","attempted_sync_id":"","updated_at":"2026-11-30T14:00:54Z"}]}`

// documents are those that the golden files have tables of.
func documents() map[string]string {
	return map[string]string{
		"apiregistrations": registrations,
		"subscriptions":    subscriptions,
		"apiregistrations/status": `{"name":"compute.example.com","sync_id":"` + id2 + `","subscriptions":[
		 {"namespace":"sre","state":"success","current_sync_id":"` + id1 + `","synced":false,"reason":"queued","message":"","updated_at":"2026-11-30T14:00:52Z"},
		 {"namespace":"a-namespace-of-a-long-name","state":"error","current_sync_id":"","synced":false,"reason":"timeout","message":"no answer in time","updated_at":"2026-11-30T14:00:52Z"}]}`,
		"machines": `{"items":[{"id":"7f","name":"m1","status":"ready","flavor":"c4-large-with-a-long-name","zone":"eu-west-1a","image":"debian-12","note":"the first one of all"},
		 {"id":"80","name":"m2","status":"failed","flavor":"small","zone":"eu-west-1b","image":"debian-13"}]}`,
		"reconcilers": `{"items":[{"id":"` + id1 + `","host":"kayra-reconciler-0.kayra.svc","pid":1,"endpoint":"https://kayra-reconciler-0.kayra.svc:8081","version":"v1.2.3","started_at":"2026-11-30T14:00:52Z","konductor":true}]}`,
	}
}

// TestGolden has the tables at terminals of several widths. After a wanted change, run it with -update and look at the diff.
func TestGolden(t *testing.T) {
	t.Parallel()
	for resource, document := range documents() {
		for _, format := range []printer.Format{printer.Table, printer.Wide} {
			name := strings.ReplaceAll(resource, "/", "-") + "-" + string(format)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var all strings.Builder
				for _, width := range []int{40, 80, 120, 0} {
					for _, color := range []bool{false, true} {
						fmt.Fprintf(&all, "== %d columns, colour %v\n", width, color)
						p := printer.Printer{Format: format, Width: width, Terminal: width > 0, Color: color}
						all.WriteString(strings.ReplaceAll(show(t, p, resource, document), "\x1b", "␛"))
					}
				}
				golden.RequireEqual(t, all.String())
			})
		}
	}
}

// Whatever there is to show, no line is wider than the terminal, and what is most important is there: a row for each thing,
// with something of its first column.
func TestNoLineWraps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z世é]{0,30}`)
		var rows []string
		n := rapid.IntRange(1, 4).Draw(t, "rows")
		for range n {
			rows = append(rows, fmt.Sprintf(`{"api":%q,"namespace":%q,"state":"error","reason":%q,"message":%q,"current_sync_id":%q}`,
				text.Draw(t, "api"), "n"+text.Draw(t, "namespace"), text.Draw(t, "reason"), text.Draw(t, "message"), id1))
		}
		resource := rapid.SampledFrom([]string{"subscriptions", "machines", "apiregistrations/status"}).Draw(t, "resource")
		key := map[bool]string{true: "subscriptions", false: "items"}[strings.HasSuffix(resource, "status")]
		width := rapid.IntRange(1, 140).Draw(t, "width")
		var out strings.Builder
		p := printer.Printer{
			Out: &out, Format: rapid.SampledFrom([]printer.Format{printer.Table, printer.Wide}).Draw(t, "format"),
			Width: width, Terminal: rapid.Bool().Draw(t, "terminal"),
		}
		if err := p.Print(resource, []byte(`{"`+key+`":[`+strings.Join(rows, ",")+`]}`)); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != n+1 {
			t.Fatalf("%d lines for %d rows:\n%s", len(lines), n, out.String())
		}
		for _, line := range lines {
			if term.Width(line) > width || strings.TrimSpace(line) == "" {
				t.Fatalf("%q is %d cells wide, of %d", line, term.Width(line), width)
			}
		}
	})
}

// A table that has room shows all of its columns as they are.
func TestWhatFitsIsNotCut(t *testing.T) {
	t.Parallel()
	p := printer.Printer{Format: printer.Table}
	full := show(t, p, "subscriptions", subscriptions)
	width := 0
	for line := range strings.Lines(full) {
		width = max(width, term.Width(strings.TrimSuffix(line, "\n")))
	}
	if p.Width = width; show(t, p, "subscriptions", subscriptions) != full {
		t.Error("something was cut where all fits")
	}
	if p.Width--; show(t, p, "subscriptions", subscriptions) == full {
		t.Error("nothing was cut where not all fits")
	}
}
