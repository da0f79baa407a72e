package cli

import "fmt"

// colorFlag says whether output is coloured. Its zero value is auto.
type colorFlag string

const (
	colorAuto   colorFlag = "auto"
	colorAlways colorFlag = "always"
	colorNever  colorFlag = "never"
)

func (c *colorFlag) String() string {
	if c == nil || *c == "" {
		return string(colorAuto)
	}
	return string(*c)
}

func (c *colorFlag) Type() string { return "WHEN" }

func (c *colorFlag) Set(s string) error {
	switch v := colorFlag(s); v {
	case colorAuto, colorAlways, colorNever:
		*c = v
		return nil
	}
	return fmt.Errorf("%q is not allowed: use auto, always or never", s)
}

// decide gives whether output is coloured, where auto would have it so or not.
func (c *colorFlag) decide(auto bool) bool {
	switch *c {
	case colorAlways:
		return true
	case colorNever:
		return false
	case colorAuto:
	}
	return auto
}
