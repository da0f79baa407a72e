package manifest

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// decoded is the content as text, without a byte order mark. Only UTF-8 is taken: what editors save as UTF-16 is told apart
// from what is no text.
func decoded(file string, content []byte) (string, error) {
	refuse := func(line int, text string) (string, error) {
		return "", &Error{Place: Place{File: file, Line: line}, Text: text}
	}
	if bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")) {
		return refuse(1, "is UTF-16: save it as UTF-8")
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	text := string(content)
	if !utf8.ValidString(text) {
		return refuse(lineOf(text, invalidAt(text)), "is not UTF-8")
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return refuse(lineOf(text, at), "has a zero byte: it is no text")
	}
	return text, nil
}

func invalidAt(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return len(text)
}

// lineOf is the line, from 1, that an offset is in.
func lineOf(text string, offset int) int {
	return 1 + strings.Count(text[:min(max(offset, 0), len(text))], "\n")
}
