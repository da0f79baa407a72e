package catalog

import (
	"fmt"
	"strings"
)

// Limits on what a request may carry.
const (
	MaxCanaries     = 100      // namespaces of one canary
	MaxDependencies = 50       // entries of depends_on
	MaxNamespaces   = 1000     // of allowed_namespaces and of restricted_namespaces
	maxText         = 64 << 10 // bytes of owner, description and mode
	maxDNSName      = 253      // RFC 1035, section 2.3.4, without the trailing dot
	syncIDAllowed   = "1 to 128 of A-Z a-z 0-9 . _ : - and not . or .."
	labelAllowed    = "a DNS label: 1 to 63 of a-z 0-9 -, not beginning or ending with -"
	longNameAllowed = "a lower-case DNS name of two labels or more, such as compute.example.com"
)

// check collects what is wrong with a request.
type check struct {
	fields []FieldError
}

// refuse notes what is wrong with a field. Beyond so many, what is left to be said would bury what has been.
func (c *check) refuse(pointer, format string, args ...any) {
	const most = 50
	if len(c.fields) == most {
		return
	}
	c.fields = append(c.fields, FieldError{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}

func (c *check) err() error {
	if len(c.fields) == 0 {
		return nil
	}
	return &Error{Kind: ErrInvalid, Detail: "the request has invalid fields", Fields: c.fields}
}

func (c *check) label(pointer, value string) {
	if !ValidLabel(value) {
		c.refuse(pointer, "%q is not %s", clip(value), labelAllowed)
	}
}

func (c *check) longName(pointer, value string) {
	if !ValidLongName(value) {
		c.refuse(pointer, "%q is not %s", clip(value), longNameAllowed)
	}
}

func (c *check) syncID(pointer, value string) {
	if !validSyncID(value) {
		c.refuse(pointer, "%q is not a sync id: %s", clip(value), syncIDAllowed)
	}
}

func (c *check) text(pointer string, value *string) {
	if value != nil && len(*value) > maxText {
		c.refuse(pointer, "is %d bytes long; at most %d are allowed", len(*value), maxText)
	}
}

func (c *check) change(ch RegistrationChange) {
	if ch.ShortName != nil && *ch.ShortName != "" {
		c.label("/short_name", *ch.ShortName)
	}
	c.text("/owner", ch.Owner)
	c.text("/description", ch.Description)
	c.text("/mode", ch.Mode)
	if ch.DependsOn != nil {
		c.dependencies(*ch.DependsOn)
	}
	c.namespaces("/allowed_namespaces", ch.AllowedNamespaces)
	c.namespaces("/restricted_namespaces", ch.RestrictedNamespaces)
	if ch.Operator != nil {
		c.operator("/operator", ch.Operator)
	}
}

// namespaces refuses what cannot be a list of namespaces. Whether they are there does not matter.
func (c *check) namespaces(pointer string, list *[]string) {
	if list == nil {
		return
	}
	if n := len(*list); n > MaxNamespaces {
		c.refuse(pointer, "has %d names; at most %d are allowed", n, MaxNamespaces)
		return
	}
	for i, ns := range *list {
		c.label(fmt.Sprintf("%s/%d", pointer, i), ns)
	}
}

// ValidLabel tells whether the value is a DNS label (RFC 1123, section 2.1) in lower case.
func ValidLabel(value string) bool {
	const most = 63
	return value != "" && len(value) <= most && value[0] != '-' && value[len(value)-1] != '-' &&
		!strings.ContainsFunc(value, func(c rune) bool { return !isLower(c) && !isDigit(c) && c != '-' })
}

// ValidLongName tells whether the value can be the name of a registration: a DNS name of two labels or more, in lower
// case and without the trailing dot.
func ValidLongName(value string) bool {
	if len(value) > maxDNSName || !strings.Contains(value, ".") {
		return false
	}
	for label := range strings.SplitSeq(value, ".") {
		if !ValidLabel(label) {
			return false
		}
	}
	return true
}

func validSyncID(value string) bool {
	const most = 128
	return value != "" && len(value) <= most && value != "." && value != ".." &&
		!strings.ContainsFunc(value, func(c rune) bool {
			return !isLower(c) && !isDigit(c) && (c < 'A' || c > 'Z') && !strings.ContainsRune("._:-", c)
		})
}

func isLower(c rune) bool { return c >= 'a' && c <= 'z' }

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// clip keeps an error readable, whatever was sent.
func clip(value string) string {
	const most = 80
	return shorten(value, most)
}

// shorten cuts off what is beyond so many bytes.
func shorten(value string, most int) string {
	if len(value) <= most {
		return value
	}
	return strings.ToValidUTF8(value[:most], "") + "…"
}
