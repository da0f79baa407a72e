package etcdtest

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// Shared is one server for all tests of a package. The zero value is ready: the server starts when it is first needed.
type Shared struct {
	mu     sync.Mutex
	dir    string
	server *Server
	err    error
}

// Server returns the server that is shared.
func (s *Shared) Server(tb testing.TB) *Server {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil && s.err == nil {
		s.server, s.err = s.launch()
	}
	if s.err != nil {
		tb.Fatalf("start shared etcd: %v", s.err)
	}
	return s.server
}

func (s *Shared) launch() (*Server, error) {
	dir, err := os.MkdirTemp("", "etcdtest")
	if err != nil {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	s.dir = dir
	return launch(dir)
}

// Tests is what Around runs; *testing.M is one.
type Tests interface{ Run() int }

// Around returns tests that run m and stop the server after it.
func (s *Shared) Around(m Tests) Tests { return around{shared: s, tests: m} }

type around struct {
	shared *Shared
	tests  Tests
}

// Run runs the tests. Their result is that of the run, even if the server's data cannot be removed.
func (a around) Run() int {
	waitTogether()
	code := a.tests.Run()
	if a.shared.server != nil {
		a.shared.server.Stop()
	}
	if a.shared.dir != "" {
		_ = os.RemoveAll(a.shared.dir)
	}
	return code
}

// waitTogether has more tests run side by side than there are processors, unless somebody has said how many: they wait for
// processes more than they compute. Not so under the race detector, which makes them compute.
func waitTogether() {
	const together = 4
	if Racing {
		return
	}
	if !flag.Parsed() {
		flag.Parse()
	}
	said := runtime.GOMAXPROCS(0) >= together
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", strconv.Itoa(together)) // is there in every test
	}
}
