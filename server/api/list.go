package api

// Ack is a request without content: an empty object.
type Ack struct{}

// List is part of a list.
type List[T any] struct {
	Items    []T    `json:"items"`
	Continue string `json:"continue" doc:"Pass it as ?continue= for what follows; empty at the end."`
}

// NewList is how a page is answered. next is the position that the following page starts from, in the form it is
// passed in, or "".
func NewList[T, R any](items []R, next string, answer func(*R) T) List[T] {
	out := List[T]{Items: make([]T, len(items)), Continue: next}
	for i := range items {
		out.Items[i] = answer(&items[i])
	}
	return out
}
