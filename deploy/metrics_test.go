package deploy_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

// documented are the rows of docs/operations.md that are about metrics: by name its labels, and what is said of it.
type documented struct {
	labels []string
	says   string
}

func readDocumentation(t *testing.T) map[string]documented {
	t.Helper()
	content, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(kayra_[a-z_]+)(?:\\{([a-z,]+)\\})?` \\| (.*) \\|$").FindAllStringSubmatch(string(content), -1)
	out := map[string]documented{}
	for _, row := range rows {
		d := documented{says: row[3]}
		if row[2] != "" {
			d.labels = strings.Split(row[2], ",")
		}
		out[row[1]] = d
	}
	return out
}

// labelsOf are those of a family, beside those that every bucket and quantile has.
func labelsOf(family *dto.MetricFamily) []string {
	seen := map[string]bool{}
	for _, m := range family.GetMetric() {
		for _, pair := range m.GetLabel() {
			seen[pair.GetName()] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Each metric of a process is documented with its labels, and each that is documented is there.
func TestMetrics(t *testing.T) {
	t.Parallel()
	found, docs := metrics(t), readDocumentation(t)
	for name, family := range found {
		if !strings.HasPrefix(name, "kayra_") {
			continue
		}
		d, ok := docs[name]
		if !ok {
			t.Errorf("%s%v is not in docs/operations.md: %s", name, labelsOf(family), family.GetHelp())
			continue
		}
		if got := labelsOf(family); !slices.Equal(got, slices.Sorted(slices.Values(d.labels))) {
			t.Errorf("%s has the labels %v, and is documented with %v", name, got, d.labels)
		}
	}
	for name := range docs {
		if found[name] == nil {
			t.Errorf("no process has %s, which is in docs/operations.md", name)
		}
	}
}
