package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fence   = regexp.MustCompile("(?s)```.*?```")
)

// Each link to a file of the repository leads somewhere, and its anchor to a heading.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("reference/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(append(pages, more...), "../README.md", "../ARCHITECTURE.md")
	for _, page := range pages {
		for _, match := range link.FindAllStringSubmatch(fence.ReplaceAllString(read(t, page), ""), -1) {
			path, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", page, match[1])
			} else if anchor != "" && !hasAnchor(read(t, target), anchor) {
				t.Errorf("%s links to %s, which has no such heading", page, match[1])
			}
		}
	}
	if len(pages) < 10 {
		t.Errorf("only %d pages were found", len(pages))
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// hasAnchor tells whether a page has a heading that GitHub gives the anchor.
func hasAnchor(page, anchor string) bool {
	for _, match := range heading.FindAllStringSubmatch(page, -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(match[1]) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				b.WriteRune(r)
			}
		}
		if b.String() == anchor {
			return true
		}
	}
	return false
}
