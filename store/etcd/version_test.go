package etcd_test

import (
	"testing"

	"kayra/store/etcd"
)

func TestOldServers(t *testing.T) {
	t.Parallel()
	for version, old := range map[string]bool{
		"2.3.8": true, "3.4.23": true, "3.5.7": true, "3.5.8": false, "3.5.21": false, "3.6.0": false, "3.7.3": false,
		"4.0.0": false, "3.6.0-rc.1": false, "": false, "unknown": false,
	} {
		if got := etcd.IsOld(version); got != old {
			t.Errorf("%q is old: %t, want %t", version, got, old)
		}
	}
}
