//go:build !race

package server_test

// racing is whether the race detector runs, which takes memory of its own.
const racing = false
