// Package store is the contract between Kayra and the place where it keeps its records.
//
// A [Store] is a flat, ordered map of string keys to byte values with one revision for the whole of it: every
// transaction that writes raises the revision by one, and every entry carries the revision it was created at and the
// one it was last written at. The model is etcd's, and so are the guarantees:
//
//   - Get, List and Txn are linearizable: they see every write that was acknowledged before they began.
//   - A Txn is atomic: its conditions and its operations see one revision, and all of its operations happen or none.
//   - A Watch delivers every change after the revision it starts from, in order, without a gap and without a repeat,
//     until it ends with an error. A revision that has been compacted away is [ErrCompacted]; one that the store has
//     not reached is [ErrFutureRevision] (a store restored from a backup). Both mean: list again, and compare.
//   - An acknowledged write survives a power cut.
//
// A [JobLocker] gives a process its [Session]. A key that is put through a session goes when the session ends, also
// when it ends because the process died, so such a key is a lock that nobody has to clean up.
//
// [Follow] is list-then-watch: it keeps a [Follower] up to date with a prefix for as long as it runs.
//
// The backends are store/etcd and store/local. Package store/storetest holds the one suite that both must pass, and
// nothing above this package can tell which of them is in use.
package store
