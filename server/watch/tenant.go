package watch

import (
	"time"
	"unique"

	"kayra/store/catalog"
)

// tenant is a subscription as far as rows are made of it. It is small, since there may be a hundred thousand.
type tenant struct {
	group     *group
	namespace string
	there     bool          // otherwise there is a lock of it only
	lock      *catalog.Lock // of a run; nil: none

	active             bool
	touched            bool // it is among the hub's touched ones
	state              catalog.State
	current, attempted string // sync ids
	phase              catalog.Phase
	reason             catalog.Reason
	message            string
	generation         int64
	regGen, subGen     int64 // of the attempt
	n, retries         int
	updatedAt, retryAt time.Time
	alarm              time.Time // when the hub looks at it again; zero: that is not planned
}

// once has one copy of a text that many records share.
func once[T ~string](text T) T { return T(unique.Make(string(text)).Value()) }

// take takes over a record.
func (t *tenant) take(s *catalog.Subscription) {
	a := &s.Attempt
	t.there, t.active, t.state = true, s.Active, once(s.State)
	t.current, t.attempted = once(s.CurrentSyncID), once(a.SyncID)
	t.phase, t.reason, t.message = once(a.Phase), once(a.Reason), once(a.Message)
	t.generation, t.regGen, t.subGen = s.Generation, a.RegGen, a.SubGen
	t.n, t.retries, t.updatedAt, t.retryAt = a.N, a.Retries, s.UpdatedAt, a.RetryAt
}

// subscription is the record, without what rows are not made of.
func (t *tenant) subscription() catalog.Subscription {
	return catalog.Subscription{
		API: t.group.name, Namespace: t.namespace, Active: t.active, State: t.state, CurrentSyncID: t.current,
		Generation: t.generation, UpdatedAt: t.updatedAt,
		Attempt: catalog.Attempt{
			Trigger: catalog.Trigger{RegGen: t.regGen, SubGen: t.subGen},
			SyncID:  t.attempted, Phase: t.phase, Reason: t.reason, Message: t.message, N: t.n, Retries: t.retries, RetryAt: t.retryAt,
		},
	}
}
