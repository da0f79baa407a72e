package server

import (
	"cmp"
	"strings"
)

// summary says in a few words what a route does.
func summary(rt route) string {
	return cmp.Or(ofResource(rt), ofSystem(rt.path), ofThing(rt))
}

func ofResource(rt route) string {
	switch rt.resource + " " + rt.verb {
	case "apiregistrations/sync patch":
		return "Give an API a fresh sync_id; release or abort a canary"
	case "apiregistrations/status get":
		return "Tell where each subscription of an API is, and why"
	case "apiregistrations/openapi.json get":
		return "Show the OpenAPI document of an API"
	case "subscriptions/sync patch":
		return "Have a subscription synced again"
	case "reconcilers list":
		return "List the reconcilers that run"
	case "check create":
		return "Ask whether you, or somebody else, may do something"
	case "whoami get":
		return "Tell who you are to the server"
	case "katalog list":
		return "Tell how each API is doing, and what was refused"
	case "katalog get":
		return "Tell how one API is doing, and what was refused"
	case "notifications create":
		return "Have a team told of an event"
	}
	return ""
}

func ofSystem(path string) string {
	switch path {
	case "/apis":
		return "List all APIs with their resources"
	case "/-/healthz":
		return "Tell whether the process is alive"
	case "/-/readyz":
		return "Tell whether the process can answer requests"
	case "/-/metrics":
		return "Show the metrics, for Prometheus"
	case "/-/metadata":
		return "Tell which deployment and which version this is"
	case "/-/openapi.json":
		return "Show this document"
	case docsPath:
		return "Show this document as a page"
	case docsPath + "/{file}":
		return "Fetch a file of that page"
	}
	return ""
}

// ofThing is of the routes that all kinds of things have.
func ofThing(rt route) string {
	things := map[string]string{
		"namespaces": "namespace", "apiregistrations": "API registration", "subscriptions": "subscription", "roles": "role", "rolebindings": "role binding",
	}
	thing, ok := things[rt.resource]
	if !ok {
		return ""
	}
	many := thing + "s"
	if rt.resource == "subscriptions" {
		thing, many = thing+" of a namespace", many+" of a namespace"
		if !strings.Contains(rt.path, "{ns}") {
			many = "subscriptions of all namespaces"
		}
	}
	article := "a "
	if strings.HasPrefix(thing, "A") {
		article = "an "
	}
	switch rt.verb {
	case "list":
		return "List the " + many
	case "get":
		return "Show " + article + thing
	case "create":
		return "Create " + article + thing
	case "delete":
		return "Delete " + article + thing
	case "update", "patch":
		return "Change " + article + thing
	}
	return ""
}
