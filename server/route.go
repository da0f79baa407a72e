package server

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"kayra/server/auth"
	"kayra/server/docs"
	"kayra/store/catalog"
)

// requestTimeout bounds the work for one request, and with it how long a client waits for a store that does not answer.
const requestTimeout = 15 * time.Second

// route is one line of the table.
type route struct {
	method   string
	path     string // as net/http's ServeMux takes it
	resource string // "": the route is not a resource
	verb     string // of the resource: list, get, create, update, patch or delete
	gate     gate
	handle   func(*call) (reply, error)
	query    []string // the query parameters it takes
	in       any      // the wire type of the body it takes; nil: none
	out      any      // the wire type of its answer; nil: none
}

// group is the API that the route is part of, or "".
func (rt *route) group() string {
	rest, ok := strings.CutPrefix(rt.path, "/apis/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// raw stands for an answer that is not one of the wire types.
type raw struct{}

// call is a request that has passed the gate.
type call struct {
	*http.Request

	who   auth.Identity
	query url.Values
	body  *object // of a route that takes one

	admitted bool            // it has passed the gate
	change   *catalog.Change // what it has written
	refused  error           // why it was not carried out
}

// reply is a successful answer.
type reply struct {
	status   int    // 0: 200
	tag      string // entity tag, without the quotes
	location string
	body     any          // sent as JSON
	raw      []byte       // sent as it is, and is JSON
	handler  http.Handler // writes the answer itself
	stream   *stream      // nil: the answer has an end
}

// mux serves the routes, and has a problem for everything else.
func (s *Server) mux(routes []route) http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for i := range routes {
		rt := &routes[i]
		mux.Handle(rt.method+" "+rt.path, s.serve(rt))
		methods[rt.path] = append(methods[rt.path], rt.method)
		if rt.method == http.MethodGet {
			methods[rt.path] = append(methods[rt.path], http.MethodHead)
		}
	}
	for path, allowed := range methods {
		slices.Sort(allowed)
		mux.Handle(path, s.refuseMethod(strings.Join(allowed, ", ")))
	}
	mux.HandleFunc("GET "+docsPath+"/{$}", toDocs)
	nowhere := http.HandlerFunc(s.refusePath)
	mux.Handle("/", nowhere)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		escaped := r.URL.EscapedPath()
		if tidy := path.Clean(escaped); (tidy != escaped && escaped != docsPath+"/") || escaped[0] != '/' { // the mux would redirect, or say nothing
			nowhere(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) refusePath(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, refuse(http.StatusNotFound, "there is nothing at this path; /-/openapi.json lists the paths there are, and /-/docs shows them"))
}

func (s *Server) refuseMethod(allowed string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allowed)
		s.fail(w, r, refuse(http.StatusMethodNotAllowed, "this path does not take the method; it takes %s", allowed))
	})
}

// serve answers a request for a route. How long the body took to arrive does not count against the work.
func (s *Server) serve(rt *route) http.Handler {
	names, tally := namesIn(rt.path), s.tally(rt)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r}
		defer s.record(r.Context(), rt, c, w)
		if c.refused = s.receive(rt, names, w, c); c.refused != nil {
			tally.refused(c)
			s.fail(w, r, c.refused)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
		defer cancel()
		c.Request = r.WithContext(s.observed(ctx, rt, c))
		var rep reply
		count := tally.begin(c)
		rep, c.refused = rt.handle(c)
		count(rep)
		if c.refused != nil {
			s.fail(w, r, c.refused)
			return
		}
		if rep.stream != nil {
			s.stream(w, r, rt, rep.stream)
			return
		}
		s.send(w, c.Request, rep)
	})
}

// receive takes in a request, in this order: gate, names in the path, query, body.
func (s *Server) receive(rt *route, names []kindOfName, w http.ResponseWriter, c *call) error {
	var err error
	if c.who, err = s.admit(c.Request, rt); err != nil {
		return err
	}
	c.admitted = true
	if err := checkNames(c.Request, names); err != nil {
		return err
	}
	if c.query, err = readQuery(c.URL.RawQuery, rt.query); err != nil {
		return err
	}
	if rt.in != nil {
		c.body, err = readObject(w, c.Request)
	}
	return err
}

// wildcards are the names of the path's wildcards.
func wildcards(path string) []string {
	var names []string
	for _, found := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
		names = append(names, found[1])
	}
	return names
}

// kindOfName is what a wildcard in a path is the name of.
type kindOfName struct {
	wildcard string
	valid    func(string) bool
	what     string
}

// namesIn has the kind of each wildcard of the path, or none where it is not known.
func namesIn(path string) []kindOfName {
	known := []kindOfName{
		{"ns", catalog.ValidLabel, "a namespace"},
		{"name", catalog.ValidLongName, "an API registration"},
		{"api", catalog.ValidLongName, "an API registration"},
		{"role", catalog.ValidRoleName, "a role"},
		{"binding", catalog.ValidRoleName, "a role binding"},
		{"file", docs.Has, "a file of the page at " + docsPath},
	}
	var names []kindOfName
	for _, w := range wildcards(path) {
		if at := slices.IndexFunc(known, func(k kindOfName) bool { return k.wildcard == w }); at >= 0 {
			names = append(names, known[at])
		}
	}
	return names
}

// checkNames refuses what cannot be the name of anything, so that it never becomes part of a key.
func checkNames(r *http.Request, names []kindOfName) error {
	for _, n := range names {
		if value := r.PathValue(n.wildcard); !n.valid(value) {
			return refuse(http.StatusNotFound, "%q cannot be the name of %s, so there is none", clip(value), n.what)
		}
	}
	return nil
}
