package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var (
	yamlLine   = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	yamlAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)
)

// parse reads the one document of a file.
func parse(file string, content []byte) (root *yaml.Node, err error) {
	defer func() { // the parser panics on input that it believes impossible
		if r := recover(); r != nil {
			root, err = nil, wrong(file, 0, "not valid YAML: it cannot be read")
		}
	}()
	if line := unreadable(content); line > 0 {
		return nil, wrong(file, line, "not valid YAML: only UTF-8 without control characters is allowed")
	}
	decoder, document := yaml.NewDecoder(bytes.NewReader(content)), yaml.Node{}
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tagNull}, nil
	} else if err != nil {
		return nil, syntaxError(file, content, err.Error())
	}
	next := yaml.Node{}
	if err := decoder.Decode(&next); err == nil {
		return nil, wrong(file, next.Line, "a second document is not allowed: use one")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(file, content, err.Error())
	}
	return document.Content[0], nil
}

// unreadable finds the first line that the parser would refuse without saying which, or 0.
func unreadable(content []byte) int {
	line := 1
	for len(content) > 0 {
		r, size := utf8.DecodeRune(content)
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && size == 1, isControl(r) && r != '\t' && r != '\r':
			return line
		}
		content = content[size:]
	}
	return 0
}

// syntaxError words a parser's error as every other, and mends its line: the parser counts from 0 where it missed
// something that it expected, and leaves a first line out.
func syntaxError(file string, content []byte, text string) error {
	found := yamlLine.FindStringSubmatch(text)
	if found == nil {
		return wrong(file, 0, "not valid YAML: "+text)
	}
	text = text[len(found[0]):]
	line, _ := strconv.Atoi(found[1])
	if line == 0 || strings.HasPrefix(text, "did not find expected") {
		line = min(line+1, 1+bytes.Count(bytes.TrimRight(content, "\n"), []byte("\n")))
	}
	if anchor := yamlAnchor.FindStringSubmatch(text); anchor != nil {
		// The name stays out of the error: it is a secret where someone wrote a token that begins with * without quotes.
		before, _, _ := bytes.Cut(content, []byte("*"+anchor[1]))
		line = 1 + bytes.Count(before, []byte("\n"))
		text = "text that begins with * must be in quotes, unless it is an alias of an anchor"
	}
	return wrong(file, line, "not valid YAML: "+text)
}

func wrong(file string, line int, text string) error {
	return failure([]problem{{place: place{file, line}, text: text}})
}
