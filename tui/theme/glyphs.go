package theme

// Glyphs are the characters that are drawn with. Each is one cell wide, and its twin of ASCII, too.
type Glyphs struct {
	Check, Alert, Cross, Hold, Run, Wait, Stop, Unknown string // see [Theme.Mark]

	Pointer   string // before the row that is selected
	Up, Down  string // the order of a column
	Ellipsis  string // for what was cut off
	Step      string // between the parts of a path
	Dot       string // between things in a line
	Line      string // horizontal
	Full      string // the part of a bar that is done
	Broken    string // the part that failed
	Empty     string // the part that is to come
	Branch    string // of a tree
	LastChild string
	Trunk     string
	Arrow     string
	Live      string // new data arrive
	Offline   string // none do

	Sparks []string // from nothing to the most
}

func unicodeGlyphs() Glyphs {
	return Glyphs{
		Check: "✓", Alert: "▲", Cross: "✗", Hold: "◆", Run: "▶", Wait: "○", Stop: "‖", Unknown: "·",
		Pointer: "▸", Up: "↑", Down: "↓", Ellipsis: "…", Step: "›", Dot: "·", Line: "─",
		Full: "█", Broken: "▓", Empty: "░", Branch: "├", LastChild: "└", Trunk: "│", Arrow: "→", Live: "●", Offline: "○",
		Sparks: []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	}
}

func asciiGlyphs() Glyphs {
	return Glyphs{
		Check: "+", Alert: "!", Cross: "x", Hold: "#", Run: ">", Wait: "o", Stop: "=", Unknown: "?",
		Pointer: ">", Up: "^", Down: "v", Ellipsis: "~", Step: ">", Dot: "-", Line: "-",
		Full: "#", Broken: "x", Empty: ".", Branch: "|", LastChild: "`", Trunk: "|", Arrow: ">", Live: "*", Offline: "o",
		Sparks: []string{" ", ".", ":", "-", "=", "+", "*", "#", "@"},
	}
}
