package screen_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"kayra/tui/screen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// FuzzFilter reads anything as a filter. It means the same however it is spelled, and takes nothing that a word of it rules out.
func FuzzFilter(f *testing.F) {
	for _, text := range []string{"", "dns", "!dns team", "! !", "!!a", "DNS", "\u0130", "\xff", " a\tb\n"} {
		f.Add(text, "team-net dns.example.com")
	}
	f.Fuzz(func(t *testing.T, text, row string) {
		filter := screen.ParseFilter(text)
		takes := filter.Match(row)
		if again := screen.ParseFilter(filter.String()); again.Match(row) != takes || again.Empty() != filter.Empty() {
			t.Errorf("%q is another filter than %q", filter, text)
		}
		if filter.Empty() && !takes {
			t.Errorf("%q takes not all", text)
		}
		for word := range strings.FieldsSeq(strings.ToLower(text)) {
			not, negated := strings.CutPrefix(word, "!")
			has := strings.Contains(strings.ToLower(row), not)
			if takes && not != "" && has == negated {
				t.Errorf("%q takes %q in spite of %q", text, row, word)
			}
		}
		if parts := strings.Fields(row); takes && len(parts) > 0 && !filter.Match(append(parts, row)...) {
			t.Errorf("%q takes %q, and not in several texts", text, row)
		}
	})
}
