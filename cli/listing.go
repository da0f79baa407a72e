package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/rows"
	"kayra/store/catalog"
)

// listing says which things of a list are shown, how many of them, and in which order.
type listing struct {
	limit    int
	selector selectorFlag
	order    orderFlag
}

func addListing(cmd *cobra.Command, l *listing) {
	cmd.Flags().IntVar(&l.limit, "limit", 0, "list at most this many; 0: all")
	cmd.Flags().Var(&l.selector, "field-selector", "list those whose keys have these values, as in state=error,synced!=true; operator.workers is a key of a key")
	cmd.Flags().Var(&l.order, "sort-by", "order by a key, a column or a JSON path; by -KEY the other way round")
}

// narrows tells that there is more to be done than to show a list as it is answered.
func (l *listing) narrows() bool { return !l.selector.Empty() || l.order.by != "" }

// selectorFlag is the value of --field-selector.
type selectorFlag struct {
	rows.Selector

	typed string
}

func (f *selectorFlag) String() string { return f.typed }
func (f *selectorFlag) Type() string   { return "SELECTOR" }

func (f *selectorFlag) Set(s string) (err error) {
	f.Selector, err = rows.ParseSelector(s)
	f.typed = s
	return err //nolint:wrapcheck // the flag's name is put before it
}

// orderFlag is the value of --sort-by.
type orderFlag struct {
	by         string // a column, a key or a path; "": as it is answered
	path       printer.Path
	descending bool
}

func (f *orderFlag) String() string { return f.by }
func (f *orderFlag) Type() string   { return "KEY" }

func (f *orderFlag) Set(s string) (err error) {
	f.by, f.descending = strings.CutPrefix(s, "-")
	if f.by == "" {
		return fmt.Errorf("%q is not a key: use one such as name", s)
	}
	f.path, err = printer.ParsePath(f.by)
	return err //nolint:wrapcheck // the flag's name is put before it
}

// key is the key that the path begins with, or "" where that cannot be told.
func (f *orderFlag) key() string {
	key := strings.Trim(f.by, "{}.$")
	if strings.ContainsAny(key, "[]{}()*?@ ") {
		return ""
	}
	return key
}

// texts are what the things of a list are ordered by.
func (f *orderFlag) texts(resource string, items []json.RawMessage) []string {
	if cells, ok := printer.Cells(resource, f.by, items); ok {
		return cells
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = f.path.Find(item)
	}
	return texts
}

// checkKeys refuses keys that the things cannot have. Those of an app's things are not known.
func (l *listing) checkKeys(r *route) error {
	known := keysOf(r.resource)
	if r.app != "" || known == nil {
		return nil
	}
	for _, key := range l.selector.Keys() {
		if !slices.Contains(known, key) {
			return unknownKey("--field-selector", key, r.resource, known)
		}
		if err := l.checkValues(key); err != nil {
			return err
		}
	}
	headers := printer.Headers(r.resource)
	isHeader := slices.ContainsFunc(headers, func(h string) bool { return strings.EqualFold(h, l.order.by) })
	if key := l.order.key(); key != "" && !isHeader && !slices.Contains(known, key) {
		return unknownKey("--sort-by", key, r.resource, known)
	}
	return nil
}

// checkValues refuses values that a key cannot have: what is misspelt would mean none of the things, or all of them.
func (l *listing) checkValues(key string) error {
	allowed := valuesOfKey(key)
	for _, value := range l.selector.Values(key) {
		switch {
		case key == "api" && !catalog.ValidLongName(value):
			return usage("write a long one, such as compute.example.com; `apis` lists those there are", "--field-selector has the API %q, which is not the long name of one", value)
		case len(allowed) > 0 && !slices.Contains(allowed, value):
			return usage("it is one of "+strings.Join(allowed, ", "), "--field-selector has %q for %s, which that cannot be", value, key)
		}
	}
	return nil
}

func unknownKey(flag, key, resource string, known []string) error {
	own := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return strings.Contains(k, ".") })
	hint := "they have " + strings.Join(own, ", ")
	if len(own) < len(known) {
		nested := known[slices.IndexFunc(known, func(k string) bool { return strings.Contains(k, ".") })]
		hint += ", and keys of these, such as " + nested
	}
	err := unknown(key, known, fmt.Sprintf("%s names the key %q, and %s have none of that name", flag, key, resource), hint)
	if f, ok := errors.AsType[*failure](err); ok {
		f.code = codeUsage
	}
	return err
}

// sent is the part of the selector that the server applies, as a query. It is not applied again.
func (l *listing) sent(r *route) url.Values {
	query := url.Values{}
	if r.app != "" || r.resource != "subscriptions" || !r.everywhere {
		return query
	}
	for _, key := range []string{"api", "state", "synced"} {
		if value, ok := l.selector.Take(key); ok {
			query.Set(key, value)
		}
	}
	return query
}

// narrow gives a list as it is to be shown, and tells whether there are more than the limit lets through.
func (l *listing) narrow(e *env, resource string, document []byte) (narrowed []byte, more bool, err error) {
	list, isPage := readPage(document)
	more = isPage && list.Continue != ""
	if !l.narrows() {
		return document, more, nil
	}
	key, items := "items", list.Items
	if !isPage {
		var status struct{ Subscriptions []json.RawMessage }
		if json.Unmarshal(document, &status) != nil || status.Subscriptions == nil {
			return nil, false, usage("", "--field-selector and --sort-by are about lists, and the answer is none")
		}
		key, items = "subscriptions", status.Subscriptions
	}
	items = l.chosen(e, items)
	l.sort(resource, items)
	if more = l.limit > 0 && len(items) > l.limit; more {
		items = items[:l.limit]
	}
	document, err = withList(document, key, items)
	return document, more, err
}

// sort orders items as was asked for.
func (l *listing) sort(resource string, items []json.RawMessage) {
	if l.order.by != "" {
		rows.Sort(items, l.order.texts(resource, items), l.order.descending)
	}
}

// chosen are the items that the selector means.
func (l *listing) chosen(e *env, items []json.RawMessage) []json.RawMessage {
	for _, key := range l.selector.Keys() {
		has := func(item json.RawMessage) bool { return rows.Has(item, key) }
		if len(items) > 0 && !slices.ContainsFunc(items, has) {
			e.tell("none of them has the key %q of --field-selector", key)
		}
	}
	return slices.DeleteFunc(items, func(item json.RawMessage) bool { return !l.selector.Matches(item) })
}
