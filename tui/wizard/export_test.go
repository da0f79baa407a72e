package wizard

// Broken is a command in lines.
func Broken(command string, width int) []string { return broken(command, width) }
