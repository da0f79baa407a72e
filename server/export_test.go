package server

// Route is a line of the table, for tests.
type Route struct{ Method, Path, Resource, Verb, Gate string }

// Table is every route.
func (s *Server) Table() []Route {
	gates := map[gate]string{open: "open", authenticated: "authenticated", byRole: "rbac", sysadmin: "sysadmin"}
	var out []Route
	for _, rt := range s.routes() {
		out = append(out, Route{rt.method, rt.path, rt.resource, rt.verb, gates[rt.gate]})
	}
	return out
}

// CheckRoute tells whether New would take a route.
func CheckRoute(path, resource, verb string, g int) error {
	return checkRoutes([]route{{method: "GET", path: path, resource: resource, verb: verb, gate: gate(g)}})
}
