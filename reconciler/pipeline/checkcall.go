package pipeline

import (
	"strconv"
	"text/template/parse"
)

// call gives the shape of a function's result: a text made of everything that went in.
func (c *checker) call(cmd *parse.CommandNode, name string, dot shape, piped *shape) shape {
	switch name {
	case "env", "file":
		return c.read(cmd, name, piped)
	case "index":
		return c.index(cmd, dot, piped)
	}
	var from taint
	for _, arg := range cmd.Args[1:] {
		from |= c.argument(name, c.operand(arg, dot))
	}
	if piped != nil {
		from |= c.argument(name, *piped)
	}
	return shape{from: from}
}

func (c *checker) argument(function string, s shape) taint {
	bare := s.kind == outputs && (function == "len" || function == "not" || function == "and" || function == "or")
	if s.kind != scalar && s.kind != absent && !bare {
		c.refuse("%s takes texts and numbers: name a field", function)
	}
	return s.from
}

// read wants a literal name: one that came with an answer would let a server choose what is read.
func (c *checker) read(cmd *parse.CommandNode, name string, piped *shape) shape {
	if piped != nil || len(cmd.Args) != 2 || cmd.Args[1].Type() != parse.NodeString {
		return c.refuse("%s takes one quoted name, such as {{ %s %q }}", name, name, "NAME")
	}
	if c.rewrite {
		method := map[string]string{"env": "Env", "file": "File"}[name]
		cmd.Args[0] = scopeMethod(cmd.Pos, method)
	}
	return shape{from: fromSecret}
}

func (c *checker) index(cmd *parse.CommandNode, dot shape, piped *shape) shape {
	if piped != nil || len(cmd.Args) != 3 || c.operand(cmd.Args[1], dot).kind != outputs {
		return c.refuse("index takes .Previous.Outputs and one name")
	}
	if name, ok := cmd.Args[2].(*parse.StringNode); ok {
		return c.output(name.Text)
	}
	if s := c.operand(cmd.Args[2], dot); s.kind != scalar && s.kind != absent {
		return c.refuse("index takes .Previous.Outputs and one name")
	}
	return shape{from: fromOutput}
}

// emit is the call $.Emit FROM, to which the template passes the value that it would print.
func emit(pos parse.Pos, from taint) *parse.CommandNode {
	number := &parse.NumberNode{
		NodeType: parse.NodeNumber, Pos: pos, IsUint: true, Uint64: uint64(from), Text: strconv.Itoa(int(from)),
	}
	return &parse.CommandNode{
		NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{scopeMethod(pos, "Emit"), number},
	}
}

// scopeMethod names a method of the scope.
func scopeMethod(pos parse.Pos, name string) *parse.VariableNode {
	return &parse.VariableNode{NodeType: parse.NodeVariable, Pos: pos, Ident: []string{"$", name}}
}
