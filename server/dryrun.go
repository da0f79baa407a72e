package server

import "net/http"

// dryRun is the query parameter of a write that is to be checked and not done.
const dryRun = "dry_run"

// isDryRun tells whether a request cannot have changed anything, since it asks for nothing but checks. That other routes do
// not take the parameter makes no difference: they refuse it.
func isDryRun(r *http.Request) bool { return r.URL.Query().Get(dryRun) == "true" }

// ofDryRun is the reply without the entity tag: a later write may come to the same one, and is not what was answered here.
func (r reply) ofDryRun() reply {
	r.tag = ""
	return r
}
