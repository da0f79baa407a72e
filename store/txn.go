package store

import "fmt"

// Txn is a transaction: If all conditions hold, Then, otherwise Else.
type Txn struct {
	If   []Cond
	Then []Op
	Else []Op
}

// Result is what a transaction did.
type Result struct {
	OK       bool             // the conditions held, and Then was carried out
	Revision int64            // the store's revision after the transaction: that of its writes, if it wrote
	Got      map[string]Entry // what the Get operations found; a key that is not there is not in the map
}

// CondKind is what a condition compares.
type CondKind int

// The conditions.
const (
	CondAbsent  CondKind = iota + 1 // no key Key
	CondPresent                     // a key Key, whatever its value
	CondModRev                      // Key was last written at Revision
	CondCreated                     // Key was created at Revision
	CondEmpty                       // no key begins with Key
)

// Cond is one condition of a transaction.
type Cond struct {
	Kind     CondKind
	Key      string
	Revision int64
}

// Absent holds when there is no such key.
func Absent(key string) Cond { return Cond{Kind: CondAbsent, Key: key} }

// Present holds when there is such a key.
func Present(key string) Cond { return Cond{Kind: CondPresent, Key: key} }

// Unchanged holds when e is still as it was read; for an entry that was not found (ModRevision 0), when it is absent.
func Unchanged(e Entry) Cond {
	if e.ModRevision == 0 {
		return Absent(e.Key)
	}
	return Cond{Kind: CondModRev, Key: e.Key, Revision: e.ModRevision}
}

// CreatedAt holds when the key there now is the one that was created at the revision.
func CreatedAt(key string, revision int64) Cond {
	return Cond{Kind: CondCreated, Key: key, Revision: revision}
}

// Empty holds when no key begins with prefix. On etcd it costs as much as listing them all, so it is for prefixes that
// hold little.
func Empty(prefix string) Cond { return Cond{Kind: CondEmpty, Key: prefix} }

// OpKind is what an operation does.
type OpKind int

// The operations.
const (
	OpGet OpKind = iota + 1
	OpPut
	OpDelete
)

// Op is one operation of a transaction. A transaction writes a key at most once.
type Op struct {
	Kind    OpKind
	Key     string
	Value   []byte
	Session string // of a put: the id of the session whose end deletes the key; "" for a key that stays
}

// Get reads a key into Result.Got.
func Get(key string) Op { return Op{Kind: OpGet, Key: key} }

// Put writes a key that stays.
func Put(key string, value []byte) Op { return Op{Kind: OpPut, Key: key, Value: value} }

// PutSession writes a key that goes when the session ends.
func PutSession(key string, value []byte, session string) Op {
	return Op{Kind: OpPut, Key: key, Value: value, Session: session}
}

// Delete deletes a key, if it is there.
func Delete(key string) Op { return Op{Kind: OpDelete, Key: key} }

// Check tells what every backend refuses alike: more than MaxOps conditions or operations (ErrTooLarge), a branch that
// writes a key twice, and a condition or an operation of no known kind.
func (t Txn) Check() error {
	if n := max(len(t.If), len(t.Then), len(t.Else)); n > MaxOps {
		return fmt.Errorf("%d conditions or operations, at most %d are allowed: %w", n, MaxOps, ErrTooLarge)
	}
	for _, c := range t.If {
		if c.Kind < CondAbsent || c.Kind > CondEmpty {
			return fmt.Errorf("unknown kind %d of the condition on %q", c.Kind, c.Key)
		}
	}
	if err := checkOps(t.Then); err != nil {
		return err
	}
	return checkOps(t.Else)
}

func checkOps(ops []Op) error {
	written := make(map[string]bool, len(ops))
	for _, op := range ops {
		if op.Kind < OpGet || op.Kind > OpDelete {
			return fmt.Errorf("unknown kind %d of the operation on %q", op.Kind, op.Key)
		}
		if op.Kind == OpGet {
			continue
		}
		if written[op.Key] {
			return fmt.Errorf("key %q is written twice", op.Key)
		}
		written[op.Key] = true
	}
	return nil
}
