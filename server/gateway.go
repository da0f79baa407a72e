package server

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"kayra/server/api"
	"kayra/server/katalog"
	"kayra/store/catalog"
)

func (s *Server) getKatalog(*call) (reply, error) {
	if err := s.listed(); err != nil {
		return reply{}, err
	}
	return reply{body: api.NewKatalog(s.version, s.katalog.Figures())}, nil
}

func (s *Server) getFigures(c *call) (reply, error) {
	if err := s.listed(); err != nil {
		return reply{}, err
	}
	name := c.PathValue("api")
	figures, ok := s.katalog.Of(name)
	if !ok {
		return reply{}, refuse(http.StatusNotFound, "there is no API registration %q", name)
	}
	return reply{body: api.NewKatalogOne(&figures)}, nil
}

func (s *Server) listed() error {
	if s.katalog.Listed() {
		return nil
	}
	return refuse(http.StatusServiceUnavailable, "it is not known yet which registrations there are: try again")
}

// tally counts the requests for a route that writes to registrations or subscriptions. A nil one counts nothing.
type tally struct {
	katalog *katalog.Katalog
	route   *route
	path    string // the wildcard that has the registration's name, or "" where the body has it
	body    string // the key that has it there
}

// tally is the route's, or nil where there is nothing to count.
func (s *Server) tally(rt *route) *tally {
	t := &tally{katalog: s.katalog, route: rt}
	switch {
	case !rt.writes():
		return nil
	case rt.resource == "apiregistrations", rt.resource == "apiregistrations/sync":
		t.path, t.body = "name", "name"
	case rt.resource == "subscriptions", rt.resource == "subscriptions/sync":
		t.path, t.body = "api", "api"
	default:
		return nil
	}
	if rt.verb == "create" {
		t.path = ""
	}
	return t
}

// about is the registration that a call is about, as far as it says so.
func (t *tally) about(c *call) string {
	if t.path != "" {
		return c.PathValue(t.path)
	}
	var name string
	if c.body != nil {
		_ = json.Unmarshal(c.body.values[t.body], &name) // what is no text is no name
	}
	return name
}

// refused counts a call that was not even begun. One that the gate has kept out is none of the registration's.
func (t *tally) refused(c *call) {
	if t != nil && c.admitted && !isDryRun(c.Request) {
		t.katalog.Count(t.write(c, t.about(c), asRefusal(c.refused).status))
	}
}

// begin gives what counts the call once it is done.
func (t *tally) begin(c *call) func(reply) {
	if t == nil || isDryRun(c.Request) {
		return func(reply) {}
	}
	name, left, began := t.about(c), leftOut(t.route, c.body), time.Now()
	return func(rep reply) {
		w := t.write(c, name, cmp.Or(rep.status, http.StatusOK))
		w.Took = time.Since(began)
		if c.refused != nil {
			w.Status = asRefusal(c.refused).status
		} else {
			w.Filled = left.any() || t.mints(c)
		}
		t.katalog.Count(w)
	}
}

func (t *tally) write(c *call, name string, status int) katalog.Write {
	w := katalog.Write{
		API: name, Status: status, Deletes: t.route.verb == "delete",
		Subscribes: t.route.resource == "subscriptions" && t.route.verb == "create", Warned: c.body != nil && c.body.ignored,
	}
	if ch := c.change; ch != nil && ch.After != nil {
		w.Revision = ch.After.Revision
		if ch.Before == nil && ch.ID.Kind == catalog.KindRegistration {
			w.Created = ch.After.UID
		}
	}
	return w
}

// mints tells whether a call for a sync had a sync_id made, as against a release, which has none, and an abort, which takes
// an old one.
func (t *tally) mints(c *call) bool {
	if t.route.resource != "apiregistrations/sync" || c.change == nil || c.change.Before == nil || c.change.After == nil {
		return false
	}
	before, after := c.change.Before, c.change.After
	return after.SyncID != before.SyncID && after.SyncID != before.ReleasedSyncID
}

// omission is what a body leaves to the server of what a client may say of a registration.
type omission struct {
	plainly      bool            // the sync_id of a new one, or whether it is active
	dependencies json.RawMessage // whose scope may be left out, too
}

// leftOut looks at a body before it is read. In a new registration what is left out takes its default, as null does always.
func leftOut(rt *route, body *object) omission {
	if rt.resource != "apiregistrations" || body == nil {
		return omission{}
	}
	empty := func(key string) bool {
		value, there := body.values[key]
		return there && (string(value) == "null" || string(value) == `""`) || !there && rt.verb == "create"
	}
	return omission{rt.verb == "create" && empty("sync_id") || empty("active"), body.values["depends_on"]}
}

// any is asked of a body that was found right, which bounds the dependencies.
func (o omission) any() bool {
	type scope struct{ Platform, Region string }
	var of []scope
	_ = json.Unmarshal(o.dependencies, &of) // nothing, if there are none
	return o.plainly || slices.ContainsFunc(of, func(s scope) bool { return s.Platform == "" || s.Region == "" })
}
