package catalog

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"kayra/store"
)

// Limits on roles and role bindings.
const (
	MaxRules    = 100  // of a role
	MaxEntries  = 100  // of each list in a rule
	MaxSubjects = 1000 // of a role binding

	roleNameAllowed = "1 to 128 of A-Z a-z 0-9 . _ : -, beginning and ending with a letter or a digit"
	resourceAllowed = `a resource such as machines or subscriptions/sync: at most 253 letters, digits, - _ . and single slashes inside; or "*"`
	verbAllowed     = `a verb: 1 to 64 letters, digits, - and _; or "*"`
)

// ValidRoleName tells whether the value can be the name of a role or of a role binding.
func ValidRoleName(value string) bool {
	const most = 128
	return value != "" && len(value) <= most && isWord(value[0]) && isWord(value[len(value)-1]) && only(value, "._:-")
}

func validResource(value string) bool {
	return value != "" && len(value) <= maxDNSName && only(value, "-_./") &&
		value[0] != '/' && value[len(value)-1] != '/' && !strings.Contains(value, "//")
}

func validVerb(value string) bool {
	const most = 64
	return value != "" && len(value) <= most && only(value, "-_")
}

func isWord(c byte) bool {
	return isLower(rune(c)) || isDigit(rune(c)) || c >= 'A' && c <= 'Z'
}

// only tells whether the value has nothing but letters and digits of ASCII, and the others.
func only(value, others string) bool {
	for i := range len(value) {
		if !isWord(value[i]) && strings.IndexByte(others, value[i]) < 0 {
			return false
		}
	}
	return true
}

func (c *check) roleName(pointer, value string) {
	if !ValidRoleName(value) {
		c.refuse(pointer, "%q is not a name: %s", clip(value), roleNameAllowed)
	}
}

func (c *check) rules(rules *[]Rule) {
	if rules == nil {
		return
	}
	if n := len(*rules); n > MaxRules {
		c.refuse("/rules", "has %d entries; at most %d are allowed", n, MaxRules)
		return
	}
	for i, rule := range *rules {
		at := fmt.Sprintf("/rules/%d/", i)
		c.ruleList(at+"apis", rule.APIs, ValidLongName, longNameAllowed+`; or "*"`)
		c.ruleList(at+"resources", rule.Resources, validResource, resourceAllowed)
		c.ruleList(at+"verbs", rule.Verbs, validVerb, verbAllowed)
	}
}

func (c *check) ruleList(pointer string, list []string, valid func(string) bool, allowed string) {
	if n := len(list); n == 0 || n > MaxEntries {
		c.refuse(pointer, `has %d entries; 1 to %d are allowed, and "*" stands for all`, n, MaxEntries)
		return
	}
	for i, value := range list {
		at := fmt.Sprintf("%s/%d", pointer, i)
		switch {
		case value == Everything && len(list) > 1:
			c.refuse(at, `"*" stands for all, so that it must be the only entry`)
		case value != Everything && !valid(value):
			c.refuse(at, "%q is not %s", clip(value), allowed)
		}
	}
}

func (c *check) roleBinding(ch RoleBindingChange) {
	if ch.Role != nil {
		c.roleName("/role", *ch.Role)
	}
	if ch.Namespace != nil && *ch.Namespace != "" {
		c.label("/namespace", *ch.Namespace)
	}
	if ch.Subjects == nil {
		return
	}
	if n := len(*ch.Subjects); n > MaxSubjects {
		c.refuse("/subjects", "has %d entries; at most %d are allowed", n, MaxSubjects)
		return
	}
	for i, s := range *ch.Subjects {
		c.subject(fmt.Sprintf("/subjects/%d/", i), s)
	}
}

func (c *check) subject(at string, s Subject) {
	if s.Kind != SubjectUser && s.Kind != SubjectGroup {
		c.refuse(at+"kind", "%q is not one of %s and %s", clip(string(s.Kind)), SubjectUser, SubjectGroup)
	}
	const most = 512
	switch {
	case s.Name == "":
		c.refuse(at+"name", "is empty; it must be the name of a user or a group as the caller's token has it")
	case len(s.Name) > most:
		c.refuse(at+"name", "is %d bytes long; at most %d are allowed", len(s.Name), most)
	case !utf8.ValidString(s.Name) || strings.ContainsFunc(s.Name, unicode.IsControl):
		c.refuse(at+"name", "%q has a control character", clip(s.Name))
	case strings.TrimSpace(s.Name) != s.Name:
		c.refuse(at+"name", "%q begins or ends with a space", clip(s.Name))
	}
}

// putBounded is put for a record that may grow too large by what stands at the pointer.
func putBounded(key, pointer string, v record) (store.Op, error) {
	op, err := put(key, v)
	if err == nil && len(op.Value) > store.MaxValue {
		c := &check{}
		c.refuse(pointer, "takes %d bytes as JSON with what else there is; at most %d are allowed", len(op.Value), store.MaxValue)
		err = c.err()
	}
	return op, err
}
