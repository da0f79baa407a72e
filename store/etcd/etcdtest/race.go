//go:build race

package etcdtest

const racing = true
