package pipeline

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"
)

const errNested = plainError("define, template and block are not available")

// kind is what the checker knows of a value's type.
type kind uint8

const (
	scalar kind = iota
	root
	subscription
	previousStep
	outputs
	absent // of what does not exist, which has been said already
)

// shape is what the checker knows of a value.
type shape struct {
	kind kind
	from taint
}

// outputNames are the outputs that may be named: those that the step before declares.
type outputNames struct {
	first bool // there is no step before
	names []string
}

// checker walks a template's tree. It looks for fields and outputs that do not exist, finds out of which values every
// printed text is made, and, in its last pass, writes the calls into the tree that hand those texts to the scope.
type checker struct {
	declared outputNames
	vars     map[string]shape
	changed  bool
	rewrite  bool
	unknown  []string // what is named and does not exist
	refused  []string // what is not allowed
}

// check walks until what is known of the variables does not change any more: a loop may use one before it sets it.
func check(list *parse.ListNode, declared outputNames) (unknown, refused []string) {
	c := &checker{declared: declared, vars: map[string]shape{}, changed: true}
	for c.changed {
		c.changed, c.unknown, c.refused = false, nil, nil
		c.list(list, shape{kind: root})
	}
	if len(c.refused) == 0 && len(c.unknown) == 0 {
		c.rewrite = true
		c.list(list, shape{kind: root})
	}
	return c.unknown, c.refused
}

func (c *checker) missing(format string, args ...any) shape {
	c.unknown = append(c.unknown, fmt.Sprintf(format, args...))
	return shape{kind: absent}
}

func (c *checker) refuse(format string, args ...any) shape {
	c.refused = append(c.refused, fmt.Sprintf(format, args...))
	return shape{}
}

func (c *checker) list(list *parse.ListNode, dot shape) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		c.node(n, dot)
	}
}

func (c *checker) node(n parse.Node, dot shape) {
	switch n := n.(type) {
	case *parse.ActionNode:
		c.action(n, dot)
	case *parse.IfNode:
		c.pipe(n.Pipe, dot)
		c.list(n.List, dot)
		c.list(n.ElseList, dot)
	case *parse.WithNode:
		c.list(n.List, c.pipe(n.Pipe, dot))
		c.list(n.ElseList, dot)
	case *parse.RangeNode:
		c.rangeOver(n, dot)
	case *parse.TemplateNode:
		c.refuse("%s", errNested)
	}
}

func (c *checker) action(n *parse.ActionNode, dot shape) {
	s := c.pipe(n.Pipe, dot)
	if len(n.Pipe.Decl) > 0 {
		return
	}
	if s.kind != scalar && s.kind != absent {
		c.refuse("%s is not a text: name one of its fields", n.Pipe)
	}
	if c.rewrite {
		n.Pipe.Cmds = append(n.Pipe.Cmds, emit(n.Pos, s.from))
	}
}

// rangeOver allows for loops over outputs alone, which are few, so that every template ends.
func (c *checker) rangeOver(n *parse.RangeNode, dot shape) {
	decl := n.Pipe.Decl
	over := c.expression(n.Pipe, dot)
	if over.kind != outputs && over.kind != absent {
		c.refuse("range goes over .Previous.Outputs only")
	}
	element := shape{from: over.from}
	for _, v := range decl {
		c.set(v, element)
	}
	c.list(n.List, element)
	c.list(n.ElseList, dot)
}

// pipe gives the value of a pipeline and assigns it to the variables that it declares.
func (c *checker) pipe(p *parse.PipeNode, dot shape) shape {
	s := c.expression(p, dot)
	for _, v := range p.Decl {
		c.set(v, s)
	}
	return s
}

func (c *checker) expression(p *parse.PipeNode, dot shape) shape {
	var s shape
	for i, cmd := range p.Cmds {
		var piped *shape
		if i > 0 {
			before := s
			piped = &before
		}
		s = c.command(cmd, dot, piped)
	}
	return s
}

// set joins a variable's shape with those it had before. Names are not told apart by scope, which errs to the safe side.
func (c *checker) set(v *parse.VariableNode, s shape) {
	name := v.Ident[0]
	if name == "$" {
		c.refuse("$ cannot be set")
		return
	}
	old, known := c.vars[name]
	joined := shape{s.kind, s.from | old.from}
	if known && old.kind != s.kind {
		if old.kind != absent && s.kind != absent {
			c.refuse("%s cannot hold values of different kinds", name)
			return
		}
		joined.kind = absent
	}
	if !known || joined != old {
		c.vars[name], c.changed = joined, true
	}
}

func (c *checker) command(cmd *parse.CommandNode, dot shape, piped *shape) shape {
	if name, ok := cmd.Args[0].(*parse.IdentifierNode); ok {
		return c.call(cmd, name.Ident, dot, piped)
	}
	if len(cmd.Args) > 1 || piped != nil {
		return c.refuse("%s takes no arguments", cmd.Args[0])
	}
	return c.operand(cmd.Args[0], dot)
}

func (c *checker) operand(n parse.Node, dot shape) shape {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return c.chain(dot, n.Ident)
	case *parse.VariableNode:
		return c.chain(c.variable(n.Ident[0]), n.Ident[1:])
	case *parse.ChainNode:
		return c.chain(c.operand(n.Node, dot), n.Field)
	case *parse.PipeNode:
		return c.expression(n, dot)
	case *parse.IdentifierNode:
		return c.refuse("%s cannot be an argument: put it and its arguments in parentheses", n.Ident)
	}
	return shape{}
}

func (c *checker) variable(name string) shape {
	if name == "$" {
		return shape{kind: root}
	}
	return c.vars[name]
}

func (c *checker) chain(s shape, fields []string) shape {
	for _, f := range fields {
		s = c.field(s, f)
	}
	return s
}

func (c *checker) field(s shape, name string) shape {
	switch {
	case s.kind == root && name == "Subscription":
		return shape{subscription, fromSubscription}
	case s.kind == root && name == "Previous":
		return shape{previousStep, fromOutput}
	case s.kind == root:
		return c.missing("there is no .%s: use .Subscription or .Previous.Outputs", name)
	case s.kind == subscription:
		return c.subscriptionField(name)
	case s.kind == previousStep && name == "Outputs":
		return shape{outputs, fromOutput}
	case s.kind == previousStep:
		return c.missing("there is no .Previous.%s: use .Previous.Outputs", name)
	case s.kind == outputs:
		return c.output(name)
	case s.kind == absent:
		return s
	}
	return c.missing("a text has no field .%s", name)
}

func (c *checker) subscriptionField(name string) shape {
	fields := reflect.VisibleFields(reflect.TypeFor[Subscription]())
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.Name
	}
	if !slices.Contains(known, name) {
		return c.missing("there is no .Subscription.%s: use one of %s", name, strings.Join(known, ", "))
	}
	return shape{from: fromSubscription}
}

func (c *checker) output(name string) shape {
	switch {
	case c.declared.first:
		return c.missing("there is no .Previous.Outputs.%s: the first step has none before it", name)
	case len(c.declared.names) == 0:
		return c.missing("there is no .Previous.Outputs.%s: the step before declares no outputs", name)
	case !slices.Contains(c.declared.names, name):
		return c.missing("there is no .Previous.Outputs.%s: the step before declares %s", name, strings.Join(c.declared.names, ", "))
	}
	return shape{from: fromOutput}
}
