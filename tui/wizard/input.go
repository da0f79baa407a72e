package wizard

import (
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
)

// mostTyped bounds what is typed, in bytes.
const mostTyped = 256

// input is a line that is typed.
type input struct{ text string }

// key takes a key that changes the line.
func (i *input) key(k tea.KeyMsg) {
	switch k.Type {
	case tea.KeyBackspace, tea.KeyCtrlH:
		if runes := []rune(i.text); len(runes) > 0 {
			i.text = string(runes[:len(runes)-1])
		}
	case tea.KeyCtrlU, tea.KeyCtrlW:
		i.text = ""
	case tea.KeySpace:
		i.text += " "
	default:
		typed := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, string(k.Runes))
		if len(i.text)+len(typed) <= mostTyped {
			i.text += typed
		}
	}
}
