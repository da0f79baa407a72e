// Package rollout is how an API registration is brought to another sync id: what may be asked for, what it would do, the
// one request that does it, and whether it has come about. The command line, the wizard and the dashboard share it, so
// that they send the same requests and judge progress alike.
//
// A [State] is what there is. [State.Start], [State.Release], [State.Abort] and [State.All] make a [Plan] of it, which
// carries the sync id that somebody has seen: it fails with a [ChangedError] when that is another one by the time that it
// is carried out. A [Goal] is what is waited for afterwards.
//
// Nothing is remembered from one call to the next: whoever went away comes back to what [Engine.Load] tells.
package rollout
