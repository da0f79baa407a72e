package theme

import "github.com/charmbracelet/lipgloss"

// palette has the colours of a theme. Those for text have a contrast of 4.5 or more on the backgrounds that terminals usually
// have; those that fill have less, since a word
// stands beside them.
type palette struct {
	dim, border, ok, running, warn, bad, held lipgloss.CompleteColor
	bar, barBad, barRest                      lipgloss.CompleteColor
	selected, selectedText                    lipgloss.CompleteColor
	label, labelText                          lipgloss.CompleteColor
}

// color is one of 16 million, of 256 and of 16 colours.
func color(rgb, of256, of16 string) lipgloss.CompleteColor {
	return lipgloss.CompleteColor{TrueColor: rgb, ANSI256: of256, ANSI: of16}
}

func darkPalette() palette {
	return palette{
		dim: color("#9AA4AE", "247", "7"), border: color("#6C7883", "243", "7"),
		ok: color("#56B4E9", "74", "14"), running: color("#8FD0F5", "117", "15"),
		warn: color("#E69F00", "214", "11"), bad: color("#F5793A", "208", "9"), held: color("#DDA0C8", "182", "13"),
		bar: color("#0072B2", "32", "6"), barBad: color("#D55E00", "166", "9"), barRest: color("#6C7883", "243", "7"),
		selected: color("#0072B2", "25", "4"), selectedText: color("#FFFFFF", "231", "15"),
		label: color("#D55E00", "166", "1"), labelText: color("#000000", "16", "15"),
	}
}

func lightPalette() palette {
	return palette{
		dim: color("#5B646C", "241", "8"), border: color("#7F8992", "245", "8"),
		ok: color("#006BA6", "25", "4"), running: color("#00558A", "24", "4"),
		warn: color("#855400", "94", "5"), bad: color("#B03A00", "124", "1"), held: color("#8E3B6E", "89", "5"),
		bar: color("#0072B2", "25", "4"), barBad: color("#D55E00", "166", "1"), barRest: color("#7F8992", "245", "8"),
		selected: color("#0072B2", "25", "4"), selectedText: color("#FFFFFF", "231", "15"),
		label: color("#D55E00", "166", "1"), labelText: color("#000000", "16", "15"),
	}
}

func colored(plain lipgloss.Style, p palette) Styles {
	in := func(c lipgloss.CompleteColor) lipgloss.Style { return plain.Foreground(c) }
	return Styles{
		Text: plain, Title: plain.Bold(true), Heading: in(p.dim).Bold(true), Dim: in(p.dim), Key: in(p.ok).Bold(true),
		Selected: in(p.selectedText).Background(p.selected), Match: in(p.warn).Underline(true).UnderlineSpaces(true), Border: in(p.border),
		Banner: in(p.labelText).Background(p.label), Label: in(p.labelText).Background(p.label).Bold(true),
		OK: in(p.ok), Warn: in(p.warn), Bad: in(p.bad).Bold(true), Held: in(p.held), Running: in(p.running).Bold(true), Waiting: in(p.dim),
		Bar: in(p.bar), BarBad: in(p.barBad), BarRest: in(p.barRest), Spark: in(p.ok),
	}
}

// mono has no colours.
func mono(plain lipgloss.Style) Styles {
	bold, faint, reverse := plain.Bold(true), plain.Faint(true), plain.Reverse(true)
	return Styles{
		Text: plain, Title: bold, Heading: bold, Dim: faint, Key: bold,
		Selected: reverse, Match: plain.Underline(true).UnderlineSpaces(true), Border: faint, Banner: reverse, Label: reverse.Bold(true),
		OK: plain, Warn: bold, Bad: bold, Held: plain, Running: bold, Waiting: plain,
		Bar: plain, BarBad: bold, BarRest: faint, Spark: plain,
	}
}

// contrast brings its own background along wherever it has a colour, and dims nothing.
func contrast(plain lipgloss.Style) Styles {
	bold := plain.Bold(true)
	on := func(text, back lipgloss.CompleteColor) lipgloss.Style { return bold.Foreground(text).Background(back) }
	black, white := color("#000000", "16", "0"), color("#FFFFFF", "231", "15")
	alarm, caution, hold, busy := color("#9E1C00", "88", "1"), color("#FFD24D", "221", "11"), color("#E5C7FF", "189", "13"), color("#7FD4FF", "117", "14")
	return Styles{
		Text: plain, Title: bold, Heading: bold, Dim: plain, Key: bold.Underline(true).UnderlineSpaces(true),
		Selected: bold.Reverse(true), Match: on(black, caution), Border: plain, Banner: on(white, alarm), Label: on(white, alarm),
		OK: plain, Warn: on(black, caution), Bad: on(white, alarm), Held: on(black, hold), Running: on(black, busy), Waiting: plain,
		Bar: plain, BarBad: on(white, alarm), BarRest: plain, Spark: plain,
	}
}
