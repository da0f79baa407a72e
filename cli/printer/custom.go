package printer

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// parseColumns reads HEADER:PATH,….
func parseColumns(text string) ([]column, error) {
	var columns []column
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		header, path, ok := strings.Cut(part, ":")
		if !ok || header == "" || path == "" {
			return nil, fmt.Errorf("%q is not a column: write HEADER:PATH, such as OWNER:.owner", part)
		}
		path = relaxed(path)
		if err := newPath().Parse(path); err != nil {
			return nil, fmt.Errorf("column %s: %w", header, err)
		}
		columns = append(columns, column{header: header, tone: toneOfColumn(header), cell: func(r row) string { return found(r, path) }})
	}
	if len(columns) == 0 {
		return nil, errors.New("there is no column")
	}
	return columns, nil
}

// found is what a path leads to in a row, or "".
func found(r row, path string) string {
	p := newPath().AllowMissingKeys(true)
	if p.Parse(path) != nil {
		return ""
	}
	results, err := p.FindResults(native(r.node, asIs))
	if err != nil {
		return ""
	}
	var parts []string
	for _, values := range results {
		for _, v := range values {
			parts = append(parts, inCell(v))
		}
	}
	return strings.Join(parts, ",")
}

func inCell(v reflect.Value) string {
	if !v.IsValid() || !v.CanInterface() || v.Interface() == nil {
		return ""
	}
	return fmt.Sprint(v.Interface())
}

func asIs(s string) string { return s }
