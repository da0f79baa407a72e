package kordinator

import "container/heap"

// pile is a heap of things that know their place in it, so that one whose rank has changed can be moved or taken out.
type pile[T any] struct {
	before func(a, b T) bool
	place  func(T) *int // where the thing keeps its place, from 1; 0: it is not in the pile
	things []T
}

// put adds a thing, or moves it to where it belongs by now.
func (p *pile[T]) put(thing T) {
	if at := *p.place(thing); at > 0 {
		heap.Fix(p, at-1)
	} else {
		heap.Push(p, thing)
	}
}

// remove takes a thing out if it is in.
func (p *pile[T]) remove(thing T) {
	if at := *p.place(thing); at > 0 {
		heap.Remove(p, at-1)
	}
}

// first returns the thing that is before all others. There must be one.
func (p *pile[T]) first() T { return p.things[0] }

// Len, Less, Swap, Push and Pop are what container/heap asks for.
func (p *pile[T]) Len() int { return len(p.things) }

// Less is for container/heap.
func (p *pile[T]) Less(i, k int) bool { return p.before(p.things[i], p.things[k]) }

// Swap is for container/heap.
func (p *pile[T]) Swap(i, k int) {
	p.things[i], p.things[k] = p.things[k], p.things[i]
	*p.place(p.things[i]), *p.place(p.things[k]) = i+1, k+1
}

// Push is for container/heap.
func (p *pile[T]) Push(x any) {
	thing, _ := x.(T)
	p.things = append(p.things, thing)
	*p.place(thing) = len(p.things)
}

// Pop is for container/heap. An empty pile keeps no memory.
func (p *pile[T]) Pop() any {
	last := len(p.things) - 1
	thing := p.things[last]
	clear(p.things[last:])
	p.things = p.things[:last]
	if last == 0 {
		p.things = nil
	}
	*p.place(thing) = 0
	return thing
}
