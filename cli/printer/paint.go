package printer

import "strings"

// tone is how a word asks for attention. It never carries the meaning alone: the word does.
type tone int

const (
	plainTone tone = iota
	goodTone
	waitTone
	badTone
)

// The colours are those of a palette that people who do not see all colours can tell apart (Okabe and Ito, 2008): blue,
// orange and vermilion, in those of a terminal's 256 that can be read on dark and on light.
func (t tone) sgr() string {
	switch t {
	case goodTone:
		return "38;5;32"
	case waitTone:
		return "38;5;172"
	case badTone:
		return "1;38;5;166"
	case plainTone:
	}
	return ""
}

// toneOfColumn is how the words of a column are coloured, of which only the name is known; nil: they are not.
func toneOfColumn(name string) func(string) tone {
	switch strings.ToLower(name) {
	case "state", "status", "reason", "health", "phase":
		return toneOf
	}
	return nil
}

func toneOf(word string) tone {
	switch word {
	case "success", "synced", "healthy", "started", "allowed", "done", "ok", "ready":
		return goodTone
	case "error", "failed", "degraded", "missing", "refused", "spec_unavailable", "no_mode", "step_failed", "timeout", "interrupted":
		return badTone
	case "init", "queued", "running", "pending", "paused", "canary_hold", "waiting_dependency", "backoff", "not started":
		return waitTone
	}
	return plainTone
}

// waiting is the tone of a column that only says what is waited for.
func waiting(text string) tone {
	if text == "" {
		return plainTone
	}
	return waitTone
}

func (p Printer) paint(t tone, text string) string {
	if sgr := t.sgr(); p.Color && sgr != "" {
		return "\x1b[" + sgr + "m" + text + "\x1b[0m"
	}
	return text
}
