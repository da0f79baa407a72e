package printer

import (
	"encoding/json"
	"fmt"
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
		to, err := ParsePath(path)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", header, err)
		}
		columns = append(columns, column{header: header, tone: toneOfColumn(header), cell: func(r row) string { return to.in(r.node) }})
	}
	return columns, nil
}

// Cells gives what stands in a column of the table of a resource, for each of the items of a list; ok tells whether there is
// such a column, by its header in any case.
func Cells(resource, header string, items []json.RawMessage) (cells []string, ok bool) {
	rows := make([]row, len(items))
	for i, item := range items {
		node, err := parse(item)
		if err != nil {
			return nil, false
		}
		rows[i].node = node
	}
	columns := columnsOf(resource)
	if columns == nil {
		columns = guess(rows)
	}
	for _, c := range columns {
		if strings.EqualFold(c.header, header) {
			for _, r := range rows {
				cells = append(cells, c.cell(r))
			}
			return cells, true
		}
	}
	return nil, false
}

// Headers are those of the table of a resource of Kayra itself, none for one of an app.
func Headers(resource string) []string {
	var headers []string
	for _, c := range columnsOf(resource) {
		headers = append(headers, c.header)
	}
	return headers
}
