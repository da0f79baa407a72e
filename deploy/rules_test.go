package deploy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"

	"kayra/store/etcd/etcdtest"
)

// query is an expression, and the labels that what is beside it names of its result.
type query struct {
	where, expr string
	named       []string
}

// target has the labels that Prometheus puts on what it scrapes.
var target = []string{"job", "instance"}

func TestQueries(t *testing.T) {
	t.Parallel()
	etcdtest.Start(t) // keeps its metrics in the registry of the process
	known := metrics(t)
	maps.Copy(known, etcdMetrics(t))
	docs := readDocumentation(t)
	queries := append(alerts(t), dashboard(t)...)
	if len(queries) < 40 {
		t.Errorf("only %d queries were found", len(queries))
	}
	p := parser.NewParser(parser.Options{})
	for _, q := range queries {
		expr, err := p.ParseExpr(q.expr)
		if err != nil {
			t.Errorf("%s: %v", q.where, err)
			continue
		}
		has := map[string]bool{}
		parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
			if s, ok := n.(*parser.VectorSelector); ok {
				for _, label := range checkSelector(t, q, s, known, docs) {
					has[label] = true
				}
			}
			return nil
		})
		parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
			if a, ok := n.(*parser.AggregateExpr); ok {
				for _, label := range a.Grouping {
					if !has[label] {
						t.Errorf("%s groups by %s, which no metric in it has: %s", q.where, label, q.expr)
					}
				}
			}
			return nil
		})
		left := result(expr, has)
		for _, label := range q.named {
			if !left[label] {
				t.Errorf("%s names the label %s, which the result of %s does not have", q.where, label, q.expr)
			}
		}
	}
}

// checkSelector checks that there is such a metric with such labels, and gives all labels that it has.
func checkSelector(t *testing.T, q query, s *parser.VectorSelector, known map[string]*dto.MetricFamily, docs map[string]documented) []string {
	t.Helper()
	family := known[s.Name]
	has := slices.Clone(target)
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		base, ok := strings.CutSuffix(s.Name, suffix)
		if histogram := known[base]; ok && histogram != nil && histogram.GetType() == dto.MetricType_HISTOGRAM {
			family = histogram
			if suffix == "_bucket" {
				has = append(has, "le")
			}
		}
	}
	if family == nil {
		t.Errorf("%s: no process has %s", q.where, s.Name)
		return has
	}
	has = append(has, labelsOf(family)...)
	for _, m := range s.LabelMatchers {
		if m.Name == model.MetricNameLabel {
			continue
		}
		if !slices.Contains(has, m.Name) {
			t.Errorf("%s: %s has no label %s", q.where, s.Name, m.Name)
		}
		for _, value := range values(m) {
			if !seen(family, m.Name, value) && !strings.Contains(docs[family.GetName()].says, "`"+value+"`") {
				t.Errorf("%s: neither does %s ever have %s=%q here, nor is that documented", q.where, s.Name, m.Name, value)
			}
		}
	}
	return has
}

// values are those that a matcher names, as far as it is no pattern.
func values(m *labels.Matcher) []string {
	all := strings.Split(m.Value, "|")
	return slices.DeleteFunc(all, func(value string) bool { return strings.ContainsAny(value, ".*+") })
}

func seen(family *dto.MetricFamily, name, value string) bool {
	return slices.ContainsFunc(family.GetMetric(), func(m *dto.Metric) bool {
		return slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName() == name && l.GetValue() == value })
	})
}

// result has the labels that the outermost aggregations leave.
func result(expr parser.Expr, has map[string]bool) map[string]bool {
	switch e := expr.(type) {
	case *parser.AggregateExpr:
		if e.Op == parser.TOPK {
			return result(e.Expr, has)
		}
		out := map[string]bool{}
		for _, label := range e.Grouping {
			out[label] = true
		}
		return out
	case *parser.BinaryExpr:
		out := result(e.LHS, has)
		if e.Op == parser.LOR {
			out = maps.Clone(out)
			maps.Copy(out, result(e.RHS, has))
		}
		return out
	case *parser.ParenExpr:
		return result(e.Expr, has)
	case *parser.Call:
		out := maps.Clone(has)
		for _, arg := range e.Args {
			if arg.Type() == parser.ValueTypeVector {
				out = maps.Clone(result(arg, has))
			}
		}
		delete(out, "le")
		return out
	}
	return has
}

// etcdMetrics are those of the etcd that runs.
func etcdMetrics(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*dto.MetricFamily{}
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), "etcd_") {
			out[family.GetName()] = family
		}
	}
	return out
}

// rules is a file of rules, with every key that one may have.
type rules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr         string
			For                 time.Duration
			Labels, Annotations map[string]string
		}
	}
}

func alerts(t *testing.T) []query {
	t.Helper()
	content, err := os.Open(filepath.Join("prometheus", "kayra-alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close() //nolint:errcheck // only read from
	var file rules
	decoder := yaml.NewDecoder(content)
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	var out []query
	names := map[string]bool{}
	for _, group := range file.Groups {
		for _, r := range group.Rules {
			if names[r.Alert] || r.Alert == "" || r.Annotations["summary"] == "" || r.Labels["severity"] != "page" && r.Labels["severity"] != "ticket" {
				t.Errorf("alert %q: has it been there already, has it a summary, and a severity? %+v", r.Alert, r)
			}
			names[r.Alert] = true
			for annotation := range r.Annotations {
				if annotation != "summary" && annotation != "description" {
					t.Errorf("alert %s: what is %s?", r.Alert, annotation)
				}
			}
			text := r.Annotations["summary"] + r.Annotations["description"]
			out = append(out, query{"alert " + r.Alert, r.Expr, captured(`\$labels\.([a-z_]+)`, text)})
		}
	}
	return out
}

func captured(pattern, text string) []string {
	var out []string
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		out = append(out, match[1])
	}
	return out
}

// dashboard gives the queries of the Grafana dashboard, with its variables filled in.
func dashboard(t *testing.T) []query {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("grafana", "kayra.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ Expr, LegendFormat string }
		}
		Annotations struct {
			List []struct{ Name, Expr, TitleFormat string }
		}
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	if err := json.Unmarshal(content, &board); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("$__rate_interval", "5m", "$api", "compute.example.com|x.*")
	var out []query
	ids, taken := map[int]bool{}, map[string]bool{}
	for _, panel := range board.Panels {
		at := fmt.Sprintf("%d,%d", panel.GridPos.X, panel.GridPos.Y)
		if ids[panel.ID] || taken[at] || panel.GridPos.X+panel.GridPos.W > 24 {
			t.Errorf("panel %q is where another one is, or beside the board", panel.Title)
		}
		ids[panel.ID], taken[at] = true, true
		for _, q := range panel.Targets {
			out = append(out, query{"panel " + panel.Title, fill.Replace(q.Expr), captured(`\{\{([a-z_]+)\}\}`, q.LegendFormat)})
		}
	}
	for _, a := range board.Annotations.List {
		out = append(out, query{"annotation " + a.Name, fill.Replace(a.Expr), captured(`\{\{([a-z_]+)\}\}`, a.TitleFormat)})
	}
	for _, v := range board.Templating.List {
		if inner, ok := strings.CutPrefix(v.Definition, "label_values("); ok {
			metric, label, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ", ")
			out = append(out, query{"variable " + v.Name, metric, []string{label}})
		}
	}
	return out
}
