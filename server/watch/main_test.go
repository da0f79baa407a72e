package watch_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"kayra/store/etcd/etcdtest"
)

var cluster etcdtest.Shared

// TestMain has properties checked a few times only, unless -rapid.checks asks for more: each check starts servers.
func TestMain(m *testing.M) {
	few := "12"
	if etcdtest.Racing {
		few = "4"
	}
	if err := flag.Set("rapid.checks", few); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(cluster.Around(m))
}
