package server

import (
	"net/http"
	"slices"
	"strings"

	"kayra/store/catalog"
)

// match is the condition that If-Match puts on a write (RFC 9110, section 13.1.1), or nil.
func (c *call) match() (catalog.Match, error) {
	lines := c.Header["If-Match"]
	if len(lines) == 0 {
		return nil, nil //nolint:nilnil // no condition is a Match, too
	}
	all := strings.TrimSpace(strings.Join(lines, ","))
	if all == "*" {
		return func(string) bool { return true }, nil
	}
	var tags []string
	for tag := range strings.SplitSeq(all, ",") {
		tag = strings.TrimSpace(tag)
		weak := strings.HasPrefix(tag, "W/")
		text, quoted := strings.CutPrefix(strings.TrimPrefix(tag, "W/"), `"`)
		text, closed := strings.CutSuffix(text, `"`)
		if !quoted || !closed || strings.Contains(text, `"`) {
			return nil, refuse(http.StatusBadRequest, `the header If-Match is neither * nor a list of entity tags in double quotes, such as "9f1c-3"`)
		}
		if !weak { // a weak one never matches
			tags = append(tags, text)
		}
	}
	return func(tag string) bool { return slices.Contains(tags, tag) }, nil
}
