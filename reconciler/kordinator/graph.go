package kordinator

import (
	"container/heap"
	"slices"
)

// graph is what is left to be put in order.
type graph struct {
	deps  [][]int
	users [][]int // who depends on each, once for each time that it says so
	open  []int   // how many dependencies of each are not in the order yet
	ready numbers
	order []int
}

// ordered is the topological order of numbers, the smallest first where there is a choice, with cycles as [Order] has
// them.
func ordered(deps [][]int) []int {
	g := &graph{deps: deps, users: make([][]int, len(deps)), open: make([]int, len(deps)), order: make([]int, 0, len(deps))}
	for user, list := range deps {
		g.open[user] = len(list)
		for _, dep := range list {
			g.users[dep] = append(g.users[dep], user)
		}
		if len(list) == 0 {
			g.ready = append(g.ready, user) // they ascend, which makes them a heap
		}
	}
	g.release()
	if len(g.order) < len(deps) {
		return append(g.order, g.rest()...)
	}
	return g.order
}

// release puts in order all that are ready, and that become so by it.
func (g *graph) release() {
	for len(g.ready) > 0 {
		next := heap.Pop(&g.ready).(int)
		g.order = append(g.order, next)
		for _, user := range g.users[next] {
			if g.open[user]--; g.open[user] == 0 {
				heap.Push(&g.ready, user)
			}
		}
	}
}

// rest is the order of those that wait for each other, and of those that wait for them: the order of the cycles, which
// themselves form none. One that is on no cycle counts as a cycle of one.
func (g *graph) rest() []int {
	cycles, of := g.cycles()
	deps := make([][]int, len(cycles))
	for cycle, members := range cycles {
		for _, member := range members {
			for _, dep := range g.deps[member] {
				if g.open[dep] > 0 && of[dep] != cycle {
					deps[cycle] = append(deps[cycle], of[dep])
				}
			}
		}
	}
	var order []int
	for _, cycle := range ordered(deps) {
		order = append(order, cycles[cycle]...)
	}
	return order
}

// cycles are all that are left, those together that depend on each other, by Kosaraju's algorithm, and for each of them
// its cycle. The members and the cycles ascend.
func (g *graph) cycles() (cycles [][]int, of []int) {
	var finished []int
	seen := make([]bool, len(g.deps))
	for start := range g.deps {
		g.walk(g.deps, start, seen, &finished)
	}
	clear(seen)
	for _, start := range slices.Backward(finished) {
		var members []int
		if g.walk(g.users, start, seen, &members); len(members) > 0 {
			slices.Sort(members)
			cycles = append(cycles, members)
		}
	}
	slices.SortFunc(cycles, slices.Compare)
	of = make([]int, len(g.deps))
	for cycle, members := range cycles {
		for _, member := range members {
			of[member] = cycle
		}
	}
	return cycles, of
}

// walk appends what can be reached from one, has not been seen and is left, each after those it leads to.
func (g *graph) walk(edges [][]int, from int, seen []bool, out *[]int) {
	if seen[from] || g.open[from] == 0 {
		return
	}
	seen[from] = true
	for _, next := range edges[from] {
		g.walk(edges, next, seen, out)
	}
	*out = append(*out, from)
}

// numbers is a heap with the smallest on top.
type numbers []int

func (n numbers) Len() int           { return len(n) }
func (n numbers) Less(i, k int) bool { return n[i] < n[k] }
func (n numbers) Swap(i, k int)      { n[i], n[k] = n[k], n[i] }

// Push implements [heap.Interface].
func (n *numbers) Push(number any) { *n = append(*n, number.(int)) }

// Pop implements [heap.Interface].
func (n *numbers) Pop() any {
	last := len(*n) - 1
	number := (*n)[last]
	*n = (*n)[:last]
	return number
}
