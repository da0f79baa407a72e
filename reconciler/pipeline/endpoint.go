package pipeline

import (
	"bytes"
	"net/url"
	"strings"
)

const fieldEndpoint = "endpoint"

// position is where in a URL the next byte stands.
type position uint8

const (
	inScheme position = iota
	inAuthority
	inPath
	inQueryName
	inQueryValue
	inFragment
)

// endpointBuilder puts a URL together, escaping values by where they stand, and beside it the form that may be shown.
type endpointBuilder struct {
	label       func(span) string // what is shown for an output or a secret
	url, shown  []byte
	at          position
	authorityAt int  // where the authority begins in shown
	nameAt      int  // where the name of the present query parameter begins in shown
	outputHost  bool // an output has part in the host
	unreadable  bool // an output or a secret gave the URL's beginning
}

// masked is what is shown for an output or a secret where nothing is known that could be shown instead.
func masked(span) string { return mask }

// buildEndpoint makes a URL of what an endpoint's template gave, and beside an error as much of it as is known.
func buildEndpoint(spans []span, label func(span) string) (*endpointBuilder, error) {
	spans = trimSpace(spans)
	b := &endpointBuilder{label: label}
	if len(spans) == 1 && spans[0].from&fromOutput != 0 {
		b.outputHost = true
		b.hide(spans[0].text, spans[0])
		return b, nil
	}
	for _, sp := range spans {
		if err := b.add(sp); err != nil {
			return b, err
		}
	}
	return b, nil
}

// trimSpace drops the space around an endpoint that a block of YAML text leaves.
func trimSpace(spans []span) []span {
	for len(spans) > 0 && spans[0].from == 0 && strings.TrimSpace(spans[0].text) == "" {
		spans = spans[1:]
	}
	for n := len(spans); n > 0 && spans[n-1].from == 0 && strings.TrimSpace(spans[n-1].text) == ""; n-- {
		spans = spans[:n-1]
	}
	trimmed := append([]span(nil), spans...)
	if n := len(trimmed); n > 0 && trimmed[0].from == 0 {
		trimmed[0].text = strings.TrimLeft(trimmed[0].text, " \t\r\n")
	}
	if n := len(trimmed); n > 0 && trimmed[n-1].from == 0 {
		trimmed[n-1].text = strings.TrimRight(trimmed[n-1].text, " \t\r\n")
	}
	return trimmed
}

func (b *endpointBuilder) add(sp span) error {
	switch {
	case sp.from == 0:
		b.show(sp.text)
	case sp.from&fromOutput != 0:
		return b.output(sp)
	case sp.from&fromSecret != 0:
		b.secret(sp)
	default:
		return b.subscription(sp.text)
	}
	return nil
}

func (b *endpointBuilder) output(sp span) error {
	switch b.at {
	case inScheme:
		return plainError("an output is either the whole endpoint or stands behind http:// or https://")
	case inAuthority:
		b.outputHost = true
	case inPath:
		if sp.text == "" {
			return plainError("an output in the path is empty")
		}
	default: // in a query it may be anything
	}
	b.hide(b.escape(sp.text), sp)
	return nil
}

// secret trusts what the operator wrote as far as a whole address, as in {{ env "BASE_URL" }}/path.
func (b *endpointBuilder) secret(sp span) {
	if b.at == inScheme {
		b.hide(sp.text, sp)
		return
	}
	b.hide(b.escape(sp.text), sp)
}

func (b *endpointBuilder) subscription(text string) error {
	switch {
	case b.at == inScheme:
		return plainError("a value of .Subscription stands behind http:// or https:// only")
	case b.at == inAuthority && !isHostPart(text):
		return plainError("a value of .Subscription is empty or cannot be a part of a host name")
	}
	b.show(b.escape(text))
	return nil
}

func isHostPart(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && r != '.' && r != '-' && r != '_'
	})
}

// escape leaves a text that can end neither the part of the URL nor the query value that it stands in.
func (b *endpointBuilder) escape(text string) string {
	switch {
	case b.at >= inQueryName:
		return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	case b.at == inAuthority:
		return strings.ReplaceAll(url.PathEscape(text), "@", "%40")
	}
	return url.PathEscape(text)
}

// hide appends text, and shows for it what stands for the span that it was made of.
func (b *endpointBuilder) hide(text string, of span) {
	if b.at < inQueryValue {
		b.shown = append(b.shown, b.label(of)...)
	}
	b.unreadable = b.unreadable || b.at == inScheme
	for i := range len(text) {
		b.url = append(b.url, text[i])
		b.move(text[i], false)
	}
}

// show appends text and shows it, but for userinfo, query values and the fragment.
func (b *endpointBuilder) show(text string) {
	for i := range len(text) {
		b.url = append(b.url, text[i])
		if b.at < inQueryValue && text[i] != '#' {
			b.shown = append(b.shown, text[i])
		}
		b.move(text[i], true)
	}
}

func (b *endpointBuilder) move(c byte, visible bool) {
	switch {
	case c == '#':
		b.bare("")
		b.at = inFragment
	case b.at == inScheme:
		if bytes.HasSuffix(b.url, []byte("://")) {
			b.at, b.authorityAt = inAuthority, len(b.shown)
		}
	case b.at == inAuthority:
		b.moveInAuthority(c, visible)
	case b.at == inPath && c == '?':
		b.beginName()
	case b.at == inQueryName && c == '&':
		if visible {
			b.bare("&")
		}
		b.beginName()
	case b.at == inQueryName && c == '=':
		b.at = inQueryValue
		if visible {
			b.shown = append(b.shown, mask...)
		}
	case b.at == inQueryValue && c == '&':
		if visible {
			b.shown = append(b.shown, '&')
		}
		b.beginName()
	}
}

func (b *endpointBuilder) moveInAuthority(c byte, visible bool) {
	switch {
	case c == '/':
		b.at = inPath
	case c == '?':
		b.beginName()
	case c == '@' && visible:
		b.shown = append(b.shown[:b.authorityAt], mask+"@"...)
	}
}

func (b *endpointBuilder) beginName() { b.at, b.nameAt = inQueryName, len(b.shown) }

// bare masks the query parameter that has just ended, with what stands behind it, if it has no value: it may be a token
// by itself.
func (b *endpointBuilder) bare(behind string) {
	if b.at == inQueryName && len(b.shown) > b.nameAt+len(behind) {
		b.shown = append(b.shown[:b.nameAt], mask+behind...)
	}
}

// display is the form that may be shown.
func (b *endpointBuilder) display() string {
	b.bare("")
	return string(b.shown)
}

// host is the URL's host, with its port if it has one, in the form that may be shown and in lower case.
func (b *endpointBuilder) host() string {
	_, rest, found := strings.Cut(b.display(), "://")
	if b.unreadable || !found {
		return mask
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.ToLower(rest[strings.LastIndexByte(rest, '@')+1:])
}

// parse checks the URL as a whole.
func (b *endpointBuilder) parse() (*url.URL, error) {
	u, err := url.Parse(string(b.url))
	switch {
	case err != nil:
		return nil, plainError("is not a valid URL once rendered")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, plainError("is not an http or https URL once rendered")
	case u.Hostname() == "":
		return nil, plainError("has no host once rendered")
	case b.outputHost && u.User != nil:
		return nil, plainError("an output may not carry a user or password")
	}
	for part := range strings.SplitSeq(u.EscapedPath(), "/") {
		if name, _ := url.PathUnescape(part); name == "." || name == ".." {
			return nil, plainError("has a . or .. in its path once rendered")
		}
	}
	u.Fragment, u.RawFragment = "", ""
	u.RawQuery = strings.ReplaceAll(u.RawQuery, " ", "%20")
	return u, nil
}
