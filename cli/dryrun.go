package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
	"kayra/server/api"
)

// dryRun says whether a write is only looked at, and by whom. Its zero value is that it is done.
type dryRun string

const (
	dryNone   dryRun = "none"
	dryClient dryRun = "client" // nothing is sent
	dryServer dryRun = "server" // the server makes all checks
)

func addDryRun(cmd *cobra.Command, d *dryRun) {
	cmd.Flags().Var(d, "dry-run", "change nothing: client shows what would be sent, server has the server check it; none")
}

func (d *dryRun) String() string {
	if *d == "" {
		return string(dryNone)
	}
	return string(*d)
}

func (d *dryRun) Type() string { return "WHERE" }

func (d *dryRun) Set(s string) error {
	switch v := dryRun(s); v {
	case dryNone, dryClient, dryServer:
		*d = v
		return nil
	}
	return fmt.Errorf("%q is not allowed: use client, server or none", s)
}

// query is what has the server only look at a write. The server can do that for some.
func (d *dryRun) query(r *route, t *target) (string, error) {
	switch {
	case *d != dryServer:
		return "", nil
	case r.resource == "apiregistrations" && r.app == "":
		return "dry_run=true", nil
	case t.sub != "":
		return "", usage("--dry-run=client shows what would be sent", "the server cannot look at %s without doing it", t.sub)
	}
	return "", usage("--dry-run=client shows what would be sent",
		"the server can look at writes of apiregistrations without doing them, and not of %s", t.resource)
}

// done is how a message says that nothing was.
func (d *dryRun) done() string {
	if *d == dryServer {
		return " (dry run)"
	}
	return ""
}

// showRequest shows what would be sent.
func (e *env) showRequest(o output, r *route, method string, body []byte) error {
	if err := checkBody(r, body); err != nil {
		return err
	}
	base := r.gateway
	if r.app == "" {
		base = strings.TrimSuffix(e.place.server, "/")
	}
	if o.format.given && o.format.format != printer.Table && o.format.format != printer.Wide {
		document, err := encode(struct {
			Method string          `json:"method"`
			URL    string          `json:"url"`
			Body   json.RawMessage `json:"body,omitempty"`
		}{method, base + r.path, body})
		if err != nil {
			return err
		}
		return e.show(o, "requests", document)
	}
	text := method + " " + term.Escape(base+r.path) + "\n"
	if len(body) > 0 {
		indented, err := printer.Indent(body)
		if err != nil {
			return fmt.Errorf("show request: %w", err)
		}
		text += indented
	}
	return write(e.streams.Out, text)
}

// checkBody finds in a body what Kayra could not make anything of. What an app can is not known.
func checkBody(r *route, body []byte) error {
	like := likeOf(r.resource)
	if r.app != "" || like == nil || len(body) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	err := dec.Decode(like)
	wrong, isType := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	case isType && wrong.Field == "":
		return &failure{code: codeUsage, message: "the body has to be an object, and is of another kind: " + wrong.Value, err: err}
	case isType:
		return &failure{code: codeUsage, message: fmt.Sprintf("%s in the body cannot be a %s", wrong.Field, wrong.Value), err: err}
	}
	message := strings.TrimPrefix(err.Error(), "json: ")
	if key, ok := strings.CutPrefix(message, "unknown field "); ok {
		message = fmt.Sprintf("the body has the key %s, and %s have none of that name", key, r.resource)
	}
	return &failure{code: codeUsage, message: message, err: err}
}

// likeOf is something that a body of a resource of Kayra itself has to be like, or nil.
func likeOf(resource string) any {
	switch resource {
	case "namespaces":
		return &api.Namespace{}
	case "apiregistrations":
		return &api.Registration{}
	case "apiregistrations/sync":
		return &api.Sync{}
	case "subscriptions":
		return &api.Subscription{}
	case "subscriptions/sync":
		return &api.Ack{}
	case "roles":
		return &api.Role{}
	case "rolebindings":
		return &api.RoleBinding{}
	}
	return nil
}
