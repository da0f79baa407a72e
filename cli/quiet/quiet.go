// Package quiet keeps terminals from being asked for their background colour before main has begun.
//
// Bubble Tea asks from an init function, so that every command of a program that links it would write an escape sequence
// and, at a terminal that does not answer, wait for seconds. It asks none where the variable CI is set, since it takes that for no
// terminal. This package sets the variable. It imports syscall alone, and its path sorts before "os": since Go initialises of those
// packages that can be initialised the first by path, this one comes before everything that imports os.
package quiet

import "syscall"

const variable = "CI"

// was is the variable as the process was given it.
var was = silence() //nolint:gochecknoglobals // there is no other way to do something before the packages that are imported

type environment struct {
	value string
	found bool
}

func silence() environment {
	value, found := syscall.Getenv(variable)
	if value == "" {
		_ = syscall.Setenv(variable, "1") // if it fails, the terminal is asked
	}
	return environment{value: value, found: found}
}

// Restore gives the process the environment back that it was started with. It is called before anything reads the environment.
func Restore() {
	if was.found {
		_ = syscall.Setenv(variable, was.value) // it has been set before
		return
	}
	_ = syscall.Unsetenv(variable)
}
