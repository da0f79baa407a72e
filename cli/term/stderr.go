package term

import (
	"os"

	"golang.org/x/term"
)

// ErrWidth is how many cells a line of the terminal has that Err is; 0: Err is none.
func (s Streams) ErrWidth() int {
	f, ok := s.Err.(*os.File)
	if !ok || !isTerminal(f) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return pageWidth
	}
	return width
}
