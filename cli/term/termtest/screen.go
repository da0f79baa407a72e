// Package termtest is a terminal for tests.
package termtest

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Screen is as much of a terminal as a test of what is drawn needs. What has scrolled away is kept. Its methods may be called
// from several goroutines.
type Screen struct {
	Width, Height int // in cells; changed by Resize

	mu          sync.Mutex
	rows        [][]rune
	row, column int
	sequence    *regexp.Regexp
}

// New is an empty screen.
func New(width, height int) *Screen {
	return &Screen{Width: width, Height: height, sequence: regexp.MustCompile(`^\x1b\[([\d;]*)([A-Za-z])`)}
}

// Write implements [io.Writer]. It panics at what it does not know, so that no test is wrong about it.
func (v *Screen) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	text := string(p)
	for text != "" {
		if m := v.sequence.FindStringSubmatch(text); m != nil {
			v.obey(m[1], m[2])
			text = text[len(m[0]):]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\r':
			v.column = 0
		case '\n':
			v.row, v.column = v.row+1, 0 // as a terminal has it that is not raw
		default:
			if v.column == v.Width {
				v.row, v.column = v.row+1, 0
			}
			v.put(r)
		}
	}
	return len(p), nil
}

func (v *Screen) line(row int) []rune {
	for len(v.rows) <= row {
		v.rows = append(v.rows, nil)
	}
	return v.rows[row]
}

func (v *Screen) put(r rune) {
	line := v.line(v.row)
	for len(line) <= v.column {
		line = append(line, ' ')
	}
	line[v.column] = r
	v.rows[v.row] = line
	v.column++
}

func (v *Screen) obey(number, command string) {
	n, _ := strconv.Atoi(number)
	switch command {
	case "A":
		top := max(0, len(v.rows)-v.Height, v.row-v.Height+1)
		v.row = max(top, v.row-n)
	case "K":
		if line := v.line(v.row); v.column < len(line) {
			v.rows[v.row] = line[:v.column]
		} else if v.column == v.Width && len(line) == v.Width { // the cursor stands on the last cell still
			v.rows[v.row] = line[:v.Width-1]
		}
	case "J":
		v.obey("", "K")
		v.rows = v.rows[:v.row+1]
	case "m":
	default:
		panic("what is " + command + "?")
	}
}

// Resize breaks lines anew, as terminals do that keep text that was too long for a row together.
func (v *Screen) Resize(width, height int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var rows [][]rune
	row := v.row
	for i, line := range v.rows {
		if i == v.row {
			row = len(rows)
		}
		for len(line) > width {
			rows = append(rows, line[:width])
			line = line[width:]
		}
		rows = append(rows, line)
	}
	if v.row >= len(v.rows) {
		row = len(rows)
	}
	v.rows, v.row, v.Width, v.Height = rows, row, width, height
}

// String is what can be seen, and what has scrolled away above it, without the blanks at the ends.
func (v *Screen) String() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var lines []string
	for _, line := range v.rows {
		lines = append(lines, strings.TrimRight(string(line), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
