package etcd

// IsOld tells whether a server of the version is warned of.
func IsOld(version string) bool { return isOld(version) }
