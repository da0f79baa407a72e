// Package manifest reads files of documents, each of which says what one thing is to be: YAML with any number of documents
// in a file, or JSON, one after another or as lists. It finds out what a document is about from the document alone, and
// knows nothing of a server.
package manifest

import (
	"fmt"
	"strings"
)

// Document is one thing as a file has it.
type Document struct {
	Place

	Header

	Body Object // what there is to say about the thing, without what only says which thing it is
}

// Place is where a document, or a mistake, is found.
type Place struct {
	File   string // as the user named it
	Number int    // of the document in its file, from 1; each item of a list counts as one
	Line   int    // where it begins, from 1
}

// String is the place as a compiler would print it.
func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Error is a mistake in a file.
type Error struct {
	Place

	Text string
}

// Error has the file and the line, and the document's number where the file has been read that far.
func (e *Error) Error() string {
	if e.Number == 0 {
		return fmt.Sprintf("%s: %s", e.Place, e.Text)
	}
	return fmt.Sprintf("%s (document %d): %s", e.Place, e.Number, e.Text)
}

// Parse reads all documents of one file. Every mistake that can be told apart from the others is an [Error] of its own,
// joined with the others.
func Parse(file string, content []byte) ([]Document, error) {
	found, err := split(file, content)
	if err != nil {
		return nil, err
	}
	return identify(file, found)
}

// raw is an object of a file before it is known what it is about.
type raw struct {
	line int
	Object
}

func split(file string, content []byte) ([]raw, error) {
	text, err := decoded(file, content)
	if err != nil {
		return nil, err
	}
	if isJSON(file, text) {
		return splitJSON(file, text)
	}
	return splitYAML(file, text)
}

// isJSON goes by what the text begins with, unless the file's name says that it is YAML. Brackets may begin YAML, too, but not
// with a key in quotes behind them.
func isJSON(file, text string) bool {
	if strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".yml") {
		return false
	}
	text = strings.TrimLeft(text, " \t\r\n")
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return strings.HasSuffix(file, ".json") && text != ""
	}
	first := strings.TrimLeft(text, "{[ \t\r\n")
	return strings.HasSuffix(file, ".json") || first == "" || strings.ContainsAny(first[:1], `"}]`)
}
