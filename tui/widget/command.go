package widget

import "kayra/cli/term"

// Command lays a command line out in lines that a POSIX shell takes as they stand: between words where it can, and within a word
// that is longer than a line. Escaped and quoted characters stay what they are (POSIX.1-2024, Shell Command Language, 2.2).
func Command(command string, width int) []string {
	const mark = 3 // at the end of a line: a space or a quote, a backslash, and half of a wide character
	l := layout{room: max(width-mark, 1)}
	for _, word := range split(term.Escape(command)) {
		l.add(word)
	}
	return append(l.lines, l.line)
}

// layout is what has been laid out, and the line that is being filled.
type layout struct {
	lines []string
	line  string
	room  int // in cells
}

func (l *layout) add(word []piece) {
	cells := 0
	for _, p := range word {
		cells += Width(p.text)
	}
	switch {
	case l.line == "":
	case Width(l.line)+1+cells <= l.room:
		l.line += " "
	default:
		l.end(" \\", "")
	}
	for i, p := range word {
		if Width(l.line+p.text) > l.room && i > 0 {
			if word[i-1].literal {
				l.end("'\\", "'")
			} else {
				l.end("\\", "")
			}
		}
		l.line += p.text
	}
}

// end ends a line with what has the shell go on in the next, which begins with a text.
func (l *layout) end(mark, next string) {
	l.lines = append(l.lines, l.line+mark)
	l.line = next
}

// piece is what cannot be broken: a character, with the backslash before it.
type piece struct {
	text    string
	literal bool // what follows is between single quotes, where a backslash means itself
}

// split splits a command line at the spaces between its words.
func split(command string) [][]piece {
	var words [][]piece
	var word []piece
	quote, escape := rune(0), ""
	for _, r := range command {
		switch {
		case escape != "":
			word = append(word, piece{escape + string(r), false})
			escape = ""
			continue
		case r == '\\' && quote != '\'':
			escape = `\`
			continue
		case r == ' ' && quote == 0:
			words, word = append(words, word), nil
			continue
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		}
		word = append(word, piece{string(r), quote == '\''})
	}
	return append(words, word)
}
