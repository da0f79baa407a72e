package store

import (
	"context"
	"errors"
)

// MaxValue is the largest value, in bytes, that every backend must take. It leaves room for a document of 1 MiB in a
// request of etcd's default limit of 1.5 MiB.
const MaxValue = 1 << 20

// MaxOps is the largest number of conditions, and of operations in each branch, of one transaction: etcd's default
// --max-txn-ops.
const MaxOps = 128

// Errors that every backend wraps, to be tested with [errors.Is].
var (
	// ErrNotFound: the key is not there.
	ErrNotFound = errors.New("key not found")
	// ErrCompacted: the history from the revision asked for is no longer kept.
	ErrCompacted = errors.New("revision has been compacted")
	// ErrFutureRevision: the store has not reached the revision asked for; it was restored from a backup.
	ErrFutureRevision = errors.New("revision is in the store's future")
	// ErrSilent: a watch has had neither a change nor a sign of life for too long.
	ErrSilent = errors.New("watch is silent")
	// ErrUnavailable: the store cannot be reached or did not answer in time. Whether a write has happened is not known.
	ErrUnavailable = errors.New("store is unavailable")
	// ErrSessionLost: the session that an operation names has ended.
	ErrSessionLost = errors.New("session is lost")
	// ErrTooLarge: a value, or a transaction as a whole, is larger than the store takes.
	ErrTooLarge = errors.New("value is too large")
	// ErrSchema: the store was written by a newer version of Kayra, or is not one of Kayra's.
	ErrSchema = errors.New("store has an unsupported schema")
	// ErrCorrupt: what the store holds is damaged, and has to be restored from a backup.
	ErrCorrupt = errors.New("store is damaged")
	// ErrMissing: there is no store yet, and none was to be made.
	ErrMissing = errors.New("there is no store")
	// ErrExists: there is something already where a store was to be made.
	ErrExists = errors.New("there is something already")
	// ErrInUse: another process holds what may be held once.
	ErrInUse = errors.New("store is in use by another process")
)

// Entry is a key as it was at one revision.
type Entry struct {
	Key            string
	Value          []byte
	CreateRevision int64  // of the write that created the key
	ModRevision    int64  // of the last write to the key
	Session        string // the id of the session that the key is bound to, or ""
}

// ListOptions narrow a List. The zero value lists everything.
type ListOptions struct {
	After string // only keys that sort after this one
	Limit int    // at most this many entries; 0: all
}

// Listing is what a List read, in key order, all of it at one revision.
type Listing struct {
	Entries  []Entry
	Revision int64
	More     bool // Limit cut the listing short
}

// Store keeps records. Its methods may be called from any number of goroutines.
type Store interface {
	// Get reads one key, or fails with ErrNotFound.
	Get(ctx context.Context, key string) (Entry, error)
	// List reads the keys that begin with prefix. However many there are, all are read at one revision.
	List(ctx context.Context, prefix string, opts ListOptions) (Listing, error)
	// Txn carries out Then if every condition of If holds, and Else otherwise.
	Txn(ctx context.Context, txn Txn) (Result, error)
	// Watch calls fn with every change to the keys that begin with prefix, from revision from (1 or more) on, until ctx
	// ends, fn fails, or the watch cannot go on. The first call comes as soon as the watch stands, with an empty batch
	// if need be, and further ones at least every few seconds. Watch never returns nil: the error wraps ctx's, fn's or
	// one of this package's. fn is called from one goroutine at a time.
	Watch(ctx context.Context, prefix string, from int64, fn func(Batch) error) error
}

// Batch is the changes of one or more revisions, in order; a revision is never split over two batches. A batch without
// events is a sign of life: it says that the store has nothing to tell up to Revision.
type Batch struct {
	Events   []Event
	Revision int64 // every change up to and including this revision has now been delivered
}

// Event is one change. Of a deleted entry only Key and ModRevision (the revision of the deletion) are set.
type Event struct {
	Entry
	Deleted bool
}

// JobLocker is a store that lends sessions, and with them locks for jobs over several processes.
type JobLocker interface {
	// NewSession begins a session. A backend whose file has one owner refuses a second one with ErrInUse.
	NewSession(ctx context.Context) (Session, error)
}

// Session is the presence of one process in the store. The keys that were put through it are deleted when it ends.
type Session interface {
	// ID names the session; no two sessions of a store have the same. It goes into [Op] Session.
	ID() string
	// Done is closed when the session has ended, or must be taken for ended since it could not be kept alive in time.
	Done() <-chan struct{}
	// Close ends the session at once.
	Close(ctx context.Context) error
}
