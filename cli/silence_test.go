package cli_test

import (
	"net"
	"testing"
)

// silence is the address of one that takes connections and never says a word.
func silence(tb testing.TB) string {
	tb.Helper()
	var c net.ListenConfig
	l, err := c.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	ended := make(chan struct{})
	tb.Cleanup(func() {
		_ = l.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close() //nolint:errcheck,gocritic // until the end
		}
	}()
	return l.Addr().String()
}
