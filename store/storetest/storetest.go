// Package storetest holds the suite that every backend of package store must pass.
package storetest

import (
	"io"
	"testing"

	"kayra/store"
)

// Store is a handle on a store under test.
type Store interface {
	store.Store
	store.JobLocker
	io.Closer
}

// Place is where a store is kept.
type Place interface {
	// Open opens one more handle, which the end of the test closes.
	Open(tb testing.TB) Store
	// Compact forgets the history up to the present revision.
	Compact(tb testing.TB)
}

// Backend makes places that hold nothing yet.
type Backend interface {
	// Fresh makes a place that may share its revisions with others. Its history is not compacted.
	Fresh(tb testing.TB) Place
	// Alone makes a place whose revisions only its own writes raise.
	Alone(tb testing.TB) Place
}

// Run runs the suite.
func Run(t *testing.T, b Backend) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Place){
		"revisions":             testRevisions,
		"conditions":            testConditions,
		"empty condition":       testEmpty,
		"operations":            testOperations,
		"refused transactions":  testRefused,
		"contention":            testContention,
		"values":                testValues,
		"prefixes":              testPrefixes,
		"paging":                testPaging,
		"long listing":          testLongListing,
		"listing is a snapshot": testSnapshot,
		"cancellation":          testCancellation,
		"close":                 testClose,
		"watch events":          testWatchEvents,
		"watch prefixes":        testWatchPrefixes,
		"watch life":            testWatchLife,
		"watch ends":            testWatchEnds,
		"watch without a gap":   testWatchGap,
		"sessions":              testSessions,
		"session's end":         testSessionEnd,
		"follow":                testFollow,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, b.Fresh(t))
		})
	}
	for name, test := range map[string]func(*testing.T, Place){
		"compaction":           testCompaction,
		"bounds":               testBounds,
		"follow on compaction": testFollowCompaction,
		"model":                testModel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, b.Alone(t))
		})
	}
}
