//go:build !race

package etcdtest

const racing = false
