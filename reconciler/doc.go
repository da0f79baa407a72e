// Package reconciler brings what is stored to what is wanted: it activates namespaces, fetches the OpenAPI documents of
// registrations, and carries every subscription over to its registration's sync id.
//
// Any number of [Controller] processes may run on one store. Each follows the same records, decides from them alone what
// there is to do, and takes a job by writing its lock and its attempt in one transaction that also compares everything the
// decision rests on. So the processes need not talk to each other, and a process may be killed at any moment.
//
// # The decision
//
// ensureReconciled, in ensure.go, is the only place that decides whether a subscription is reconciled. Whatever happens
// (a write by a client, a document that arrives, a lock that goes, a start), the answer to "what now?" comes from there:
//
//	settled, held by a canary, paused, or locked              nothing to do now
//	its trigger is used up                                    nothing, until the next trigger or a time on its record
//	a dependency is not what it must be                       nothing, until the dependency changes
//	its document is not there                                 fetch it, or record that it cannot be fetched
//	an attempt has been cut off three times                   record that
//	its mode has no name                                      record that
//	its mode has no steps                                     record success
//	otherwise                                                 take the lock, and run the steps
//
// # Attempts
//
// A trigger is worth at most two attempts over all processes: the first and one immediate retry, both made under the lock
// that the first one took. The failure of the first is recorded before the second begins, and the state of the
// subscription once, after the last. An attempt that ends without an outcome, since its process died or was stopped, is
// repeated by whichever process sees its lock go. One that has been cut off twice is begun a last time, when its process
// makes no other such attempt, so that a job which kills its process is told from those that die with it. Where
// operator.retry asks for it, the record of a failure says when a further attempt follows, and how many there have been;
// where operator.resync does, a failure is a trigger again after the interval.
//
// # Order
//
// The workers of a registration start once its dependencies let them, in topological order, and stay. Whether new runs may
// begin is judged anew at each decision, by what is so then: nothing is latched. What a registration is to its dependents
// (there, started, its health) follows from the records, is kept up to date with each change of one (tally), and wakes
// the dependents when it changes. Of another scope's registrations it is what that scope's konductor has published.
//
// # What is decided once
//
// One process holds the konductor's lease, a key on its session. It alone publishes the health of registrations and takes
// back a sync id that too many have failed at, and each of its writes proves the lease. What it decides follows from the
// records as well, so that a successor decides the same. Whom it tells of what has happened follows from an account on the
// record of health, which moves on in the same write as what is still owed: see package telling. Events are delivered
// beside all else, and nothing waits for that.
//
// # Jobs
//
// A job is a name, never an instruction: what to do is decided when its turn comes. Each registration has a queue of its
// own, and the slots of the pool are shared fairly between them: see package kordinator. A job whose lock is held elsewhere
// is dropped: the event that the lock has gone brings it back, so no slot is spent waiting. After a change of a
// registration the jobs of its subscribers are queued in random order, so that processes do not contend for the same
// locks.
package reconciler
