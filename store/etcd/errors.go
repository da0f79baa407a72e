package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kayra/store"
)

// ErrDenied says that the cluster does not take the user and the password, or does not let the user at the prefix.
var ErrDenied = errors.New("access to etcd is denied")

// errClosed is what a store says once Close was called.
var errClosed = fmt.Errorf("store is closed: %w", store.ErrUnavailable)

// classify wraps the store's error that says what etcd's means. ctx is the caller's: if it has ended, that is the error.
func classify(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err() //nolint:wrapcheck // the caller does
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		// The context was one of ours. Nobody is to take it for the caller's.
		return fmt.Errorf("no answer in time: %w", store.ErrUnavailable)
	}
	err = rpctypes.Error(err)
	if kind := meaning(err); kind != nil {
		return fmt.Errorf("%w: %w", err, kind)
	}
	if denied(err) {
		return fmt.Errorf("%w: %w", ErrDenied, err)
	}
	if code(err) == codes.Unimplemented {
		return errors.New("what answers there is not etcd, or not its version 3") // gRPC would quote the answer
	}
	return err //nolint:wrapcheck // the caller does
}

// meaning is nil for an error that trying again does not mend, such as a wrong password.
func meaning(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return store.ErrCompacted
	case errors.Is(err, rpctypes.ErrFutureRev):
		return store.ErrFutureRevision
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		return store.ErrSessionLost
	case errors.Is(err, rpctypes.ErrRequestTooLarge), errors.Is(err, rpctypes.ErrTooManyOps):
		return store.ErrTooLarge
	case errors.Is(err, rpctypes.ErrInvalidAuthToken), errors.Is(err, rpctypes.ErrAuthOldRevision):
		return store.ErrUnavailable // the next try has a new token
	}
	switch code(err) {
	case codes.ResourceExhausted:
		if strings.Contains(err.Error(), "larger than max") { // what gRPC says, on either side
			return store.ErrTooLarge
		}
		return store.ErrUnavailable
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Internal, codes.Aborted, codes.Unknown:
		return store.ErrUnavailable
	default:
		return nil
	}
}

func denied(err error) bool {
	return errors.Is(err, rpctypes.ErrAuthFailed) || errors.Is(err, rpctypes.ErrPermissionDenied) || errors.Is(err, rpctypes.ErrUserEmpty)
}

// code is the one that gRPC or etcd gave the error.
func code(err error) codes.Code {
	if e, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		return e.Code()
	}
	return status.Code(err)
}
