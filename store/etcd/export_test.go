package etcd

import "context"

// IsOld tells whether a server of the version is warned of.
func IsOld(version string) bool { return isOld(version) }

// Insisting is how a transaction that only reads is made.
func Insisting(request func(context.Context) error) func(context.Context) error {
	return insisting(request)
}
