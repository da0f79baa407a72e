// Package kordinator decides when what belongs to a registration is done, and how much of it at the same time.
//
// # Queues
//
// [Queues] holds one queue of jobs for each registration, and shares the slots of one pool between them. A job is a name,
// never an instruction, so that jobs can coalesce: one that waits is not queued a second time, and one that is added
// while it runs has exactly one more turn after that. No job is lent to two workers at once.
//
// A slot that is free goes to the queue with the fewest turns that run, among those that have a job waiting and may run
// one more. Of equal ones it goes to the queue whose last turn began the longest ago, one that has had none first. So
// whatever the others have queued, a newcomer has the next slot that frees, and equal ones alternate.
//
// Within a queue a [Live] job comes before a [Bulk] one, but every fourth turn is the oldest Bulk job's, so that neither
// keeps the other out.
//
// A limit on the workers of a queue holds for the turns that begin: lowering it ends none that runs, and loses no job.
// Jobs are lost where somebody has said so only: those of a queue that is closed, those over [Limits].MaxDepth, and all
// at the end.
//
// # Vitals, limits and order
//
// What decides about a registration only computes, from what it is given: it starts no goroutine, and reads no clock but
// the one that it is given. [Vitals] is what one process knows of the registration's attempts, with their latest in
// windows of time. An [Autoscaler] reads their [Metrics] at intervals and says which limits hold. [Order] says
// in which order registrations start and stop, and [Backoff] when what has failed is tried again.
package kordinator
