package feed_test

import (
	"testing"

	"go.uber.org/goleak"

	"kayra/store/etcd/etcdtest"
)

var cluster etcdtest.Shared

func TestMain(m *testing.M) { goleak.VerifyTestMain(cluster.Around(m)) }
