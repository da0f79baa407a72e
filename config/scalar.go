package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// How YAML 1.2 writes its values. The parser takes more of them, as YAML 1.1 had it: 1_000, 0b1, dates.
var (
	boolText  = regexp.MustCompile(`^(?:true|True|TRUE|false|False|FALSE)$`)
	intText   = regexp.MustCompile(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	floatText = regexp.MustCompile(`^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// coreTag is a node's tag by the rules of YAML 1.2: what is no boolean, number or null there is text.
func coreTag(n *yaml.Node) string {
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode {
		return tag
	}
	switch {
	case tag == tagFloat && n.Style&yaml.TaggedStyle == 0 && intText.MatchString(n.Value):
		return tagInt // one of more than 64 bits
	case tag == "!!timestamp", tag == tagMerge,
		tag == tagBool && !boolText.MatchString(n.Value),
		tag == tagInt && !intText.MatchString(n.Value),
		tag == tagFloat && !floatText.MatchString(n.Value):
		return tagStr
	}
	return tag
}

// jsonTag reports that the node is something that JSON knows.
func jsonTag(n *yaml.Node) bool {
	switch n.Kind {
	case yaml.MappingNode:
		return n.Tag == tagMap
	case yaml.SequenceNode:
		return n.Tag == tagSeq
	default:
		return n.Tag == tagStr || n.Tag == tagBool || n.Tag == tagInt || n.Tag == tagFloat || n.Tag == tagNull
	}
}

func isMapping(n *yaml.Node) bool { return n.Kind == yaml.MappingNode }

func isNull(n *yaml.Node) bool { return n.ShortTag() == tagNull }

// hasAny reports that a mapping has one of the names.
func hasAny(n *yaml.Node, names ...string) bool {
	for _, name := range names {
		if member(n, name) != nil {
			return true
		}
	}
	return false
}

// member finds a mapping's value by its name.
func member(n *yaml.Node, name string) *yaml.Node {
	if n == nil || !isMapping(n) {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// describe shows a value in an error: as it was written, or only its kind where it may be a secret.
func describe(n *yaml.Node, secret bool) string {
	kind := map[string]string{
		tagBool: "a boolean", tagInt: "a number", tagFloat: "a number", tagStr: "this text", tagNull: "null",
	}[n.ShortTag()]
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case kind == "":
		return "this value"
	case secret || isNull(n):
		return kind
	case n.ShortTag() == tagStr:
		return quote(n.Value)
	}
	return fmt.Sprintf("%s (%s)", n.Value, kind)
}

// quote shows a text without what would be secret in a URL, and not more of it than helps.
func quote(text string) string {
	const enough = 80
	text = maskURL(text)
	if i := strings.LastIndex(text, "@"); i >= 0 { // whatever it is, a password could stand before it
		text = mask + text[i:]
	}
	if runes := []rune(text); len(runes) > enough {
		text = string(runes[:enough]) + "…"
	}
	return strconv.Quote(text)
}

// jsonNumber reads a YAML 1.2 number for JSON. A whole number keeps all its digits.
func jsonNumber(n *yaml.Node) (any, error) {
	text := n.Value
	if digits := strings.TrimLeft(text, "+-"); len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789") == "" {
		return nil, errors.New("a number without leading zeros, or text in quotes")
	}
	if n.Tag == tagInt {
		whole, ok := new(big.Int).SetString(text, 0)
		switch {
		case !ok:
			return nil, errors.New("a number")
		case whole.IsInt64():
			return whole.Int64(), nil
		}
		return json.Number(whole.String()), nil
	}
	float, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(float, 0) || math.IsNaN(float) {
		return nil, errors.New("a number that JSON can express")
	}
	return float, nil
}
