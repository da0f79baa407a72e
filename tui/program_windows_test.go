package tui_test

import "syscall"

// poke has a row change.
const poke = syscall.SIGTERM
