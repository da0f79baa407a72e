package server

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kayra/store/catalog"
)

// maxPage is the largest page that can be asked for.
const maxPage = 10_000

// paging are the query parameters of a list.
func paging() []string { return []string{"limit", "continue"} }

// readQuery refuses a query that says more than the route takes.
func readQuery(query string, takes []string) (url.Values, error) {
	if query == "" {
		return nil, nil //nolint:nilnil // a nil map is an empty one
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "the query string cannot be read (%v): percent-encode it", err)
	}
	var unknown []string
	for name, given := range values {
		switch {
		case !slices.Contains(takes, name):
			unknown = append(unknown, strconv.Quote(clip(name)))
		case len(given) > 1:
			return nil, refuse(http.StatusBadRequest, "the query parameter %s is given %d times: give it once", name, len(given))
		}
	}
	if len(unknown) == 0 {
		return values, nil
	}
	slices.Sort(unknown)
	allowed := "none is allowed here"
	if len(takes) > 0 {
		allowed = "allowed here: " + strings.Join(takes, ", ")
	}
	return nil, refuse(http.StatusBadRequest, "unknown query parameter %s; %s", strings.Join(unknown, ", "), allowed)
}

// page is the part of a list that the request asks for. valid tells whether a position can be one of the list's.
func (c *call) page(valid func(position string) bool) (catalog.PageRequest, error) {
	var page catalog.PageRequest
	if c.query.Has("limit") {
		n, err := strconv.Atoi(c.query.Get("limit"))
		if err != nil || n < 1 || n > maxPage {
			return page, refuse(http.StatusBadRequest, "the query parameter limit is %q; a number from 1 to %d is allowed",
				clip(c.query.Get("limit")), maxPage)
		}
		page.Limit = n
	}
	if c.query.Get("continue") == "" {
		return page, nil
	}
	after, err := base64.RawURLEncoding.DecodeString(c.query.Get("continue"))
	if err != nil || !valid(string(after)) {
		return page, refuse(http.StatusBadRequest, "the query parameter continue is not one that a list has answered: list from the start")
	}
	page.After = string(after)
	return page, nil
}

// next is the position as it is answered, and understood again by page.
func next(position string) string { return base64.RawURLEncoding.EncodeToString([]byte(position)) }

// pair tells whether a position is a registration and a namespace.
func pair(position string) bool {
	api, namespace, ok := strings.Cut(position, "/")
	return ok && catalog.ValidLongName(api) && catalog.ValidLabel(namespace)
}

// filter is what the request asks to narrow the list of all subscriptions to.
func (c *call) filter() (catalog.Filter, error) {
	f := catalog.Filter{API: c.query.Get("api"), State: catalog.State(c.query.Get("state"))}
	states := []catalog.State{catalog.StateInit, catalog.StateSuccess, catalog.StateError}
	switch {
	case c.query.Has("api") && !catalog.ValidLongName(f.API):
		return f, refuse(http.StatusBadRequest, "the query parameter api is %q, which cannot be the name of an API registration", clip(f.API))
	case c.query.Has("state") && !slices.Contains(states, f.State):
		return f, refuse(http.StatusBadRequest, "the query parameter state is %q; init, success and error are allowed", clip(string(f.State)))
	}
	if !c.query.Has("synced") {
		return f, nil
	}
	synced, err := c.flag("synced")
	f.Synced = &synced
	return f, err
}

// flag is a query parameter that is true or false; left out, it is false.
func (c *call) flag(name string) (bool, error) {
	switch value := c.query.Get(name); {
	case value == "true":
		return true, nil
	case value == "false", !c.query.Has(name):
		return false, nil
	default:
		return false, refuse(http.StatusBadRequest, "the query parameter %s is %q; true and false are allowed", name, clip(value))
	}
}
