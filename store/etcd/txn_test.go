package etcd_test

import (
	"context"
	"errors"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"kayra/store/etcd"
)

// A transaction that only reads is repeated while the cluster changes its leader, and for no other reason.
func TestReadsInsist(t *testing.T) {
	t.Parallel()
	other := errors.New("another error")
	for name, c := range map[string]struct {
		answers []error
		want    error
		calls   int
	}{
		"answered":                 {[]error{nil}, nil, 1},
		"answered at last":         {[]error{rpctypes.ErrLeaderChanged, rpctypes.ErrNoLeader, nil}, nil, 3},
		"not for want of a leader": {[]error{rpctypes.ErrLeaderChanged, rpctypes.ErrPermissionDenied}, rpctypes.ErrPermissionDenied, 2},
		"too large":                {[]error{rpctypes.ErrTooManyOps, other}, rpctypes.ErrTooManyOps, 1},
	} {
		calls := 0
		err := etcd.Insisting(func(context.Context) error {
			calls++
			return c.answers[calls-1]
		})(t.Context())
		if !errors.Is(err, c.want) || calls != c.calls {
			t.Errorf("%s: %v after %d calls, not %v after %d", name, err, calls, c.want, c.calls)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	err := etcd.Insisting(func(context.Context) error { return rpctypes.ErrLeaderChanged })(ended)
	if !errors.Is(err, rpctypes.ErrLeaderChanged) {
		t.Errorf("out of time: %v, not what was answered last", err)
	}
}
