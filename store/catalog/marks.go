package catalog

import "slices"

// thisWrite stands in a record for the revision of the write that it is part of, which nobody knows before. Whoever reads
// the record knows it, and the next write stores the number.
const thisWrite = -1

// stamp says at which revision the record was written.
func stamp(v record, revision int64) {
	v.meta().Revision = revision
	if sub, ok := v.(*Subscription); ok {
		sub.resolve(revision)
	}
}

// resolve puts the revision where thisWrite stands. A mark from the future is one of a store that this one was copied or
// restored from: what it marks was there at this write at the latest.
func (s *Subscription) resolve(revision int64) {
	unknown := func(mark int64) bool { return mark == thisWrite || mark > revision }
	if unknown(s.Succeeded) {
		s.Succeeded = revision
	}
	for i, mark := range s.Failures {
		if unknown(mark) { // otherwise others may be reading it
			s.Failures[i] = revision
		}
	}
	if s.Succeeded == 0 && s.Attempt.Phase == PhaseSuccess {
		s.Succeeded = 1 // of a version that kept no marks
	}
}

// markSuccess notes that a success is being recorded.
func (s *Subscription) markSuccess() { s.Succeeded, s.Failures = thisWrite, nil }

// markFailure notes that a failed attempt is being recorded.
func (s *Subscription) markFailure() {
	kept := s.Failures[max(0, len(s.Failures)-MaxFailureThreshold+1):]
	s.Failures = append(slices.Clone(kept), thisWrite)
}
