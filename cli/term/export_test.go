package term

// Colored tells whether what is written may be coloured.
func Colored(env func(string) string, tty bool) bool { return colored(env, tty) }
