package tui

import (
	"fmt"
	"os"
	"strings"
	"sync"

	osc52 "github.com/aymanbagabas/go-osc52/v2"

	"kayra/tui/theme"
)

// output is a terminal that several may write to. What one writes at once stays together.
type output struct {
	*os.File

	mu sync.Mutex
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.File.Write(p) //nolint:wrapcheck // stands in for it
}

// input is a terminal that says when it has gone.
type input struct {
	*os.File

	gone func()
}

func (i *input) Read(p []byte) (int, error) {
	n, err := i.File.Read(p)
	if err != nil {
		i.gone()
	}
	return n, err //nolint:wrapcheck // stands in for it
}

// copyTo has a terminal bring a text to the clipboard, which works over ssh, too. A multiplexer between here and the terminal
// passes it on if it is let: tmux when set-clipboard or allow-passthrough is on.
func copyTo(o *output, text string, env theme.Lookup) error {
	plain := osc52.New(text)
	sequence := plain.String()
	term, _ := env("TERM")
	if tmux, _ := env("TMUX"); tmux != "" {
		sequence += plain.Tmux().String()
	} else if strings.HasPrefix(term, "screen") {
		sequence = plain.Screen().String()
	}
	if _, err := o.Write([]byte(sequence)); err != nil {
		return fmt.Errorf("write to clipboard: %w", err)
	}
	return nil
}
