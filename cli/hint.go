package cli

import (
	"errors"
	"fmt"

	"kayra/server/client"
)

// explainAnswer finds out what a server's refusal, or its silence, means for the user.
func explainAnswer(f *failure, at *place) {
	if refused, ok := errors.AsType[*client.Error](f.err); ok {
		f.status, f.requestID = refused.Status, refused.RequestID
	}
	switch {
	case errors.Is(f.err, client.ErrUnauthorized):
		f.code = codeDenied
	case errors.Is(f.err, client.ErrTimeout):
		f.code, f.hint = codeTimeout, "--timeout allows for more"
	case errors.Is(f.err, client.ErrUnreachable):
		f.code = codeUnreachable
	}
	app, ok := errors.AsType[*appError](f.err)
	if f.code == codeUnreachable && f.hint == "" {
		f.hint = tlsHint(f.err)
	}
	switch {
	case f.hint != "":
	case ok:
		f.hint = app.hint(f.status, at)
	case f.status == tooMany:
		f.hint = "wait for a second and try again; server.rate_limit in the server's kayra.yaml sets the limit"
	case f.status == unauthenticated:
		if at != nil && at.tokenBy == "" {
			f.message = "there is no token for " + at.String()
		}
		f.hint = at.hintToken()
	case f.status == forbidden && isEverywhere(f.err):
		f.hint = nameNamespace
	case f.code == codeUnreachable && f.status == 0:
		f.hint = at.hintServer()
	case f.status != 0 && at != nil && at.context != "":
		f.hint = "this was " + at.String()
	}
}

func isEverywhere(err error) bool {
	_, ok := errors.AsType[*everywhereError](err)
	return ok
}

const (
	unauthenticated = 401
	forbidden       = 403
	tooMany         = 429
)

// hintToken says where another token could come from.
func (p *place) hintToken() string {
	switch {
	case p == nil || p.tokenBy == "":
		return "log in with `kayra login`; --token-file, KAYRA_CLIENT_TOKEN and client.token in kayra.yaml give one, too"
	case p.stored && p.tokenBy == "context "+p.context:
		return fmt.Sprintf("`kayra login --context %s` stores another token", p.context)
	case p.stored:
		return fmt.Sprintf("the token was that of %s; `kayra login` stores another one", p.tokenBy)
	}
	return fmt.Sprintf("the token was that of %s; give another one, or let `kayra login` store one", p.tokenBy)
}

// hintServer says where another server could come from.
func (p *place) hintServer() string {
	if p != nil && p.context != "" {
		return fmt.Sprintf("it is the server of context %s; `kayra context list` has the others, and --server names any", p.context)
	}
	return "--server, --context, KAYRA_CLIENT_SERVER or client.server in kayra.yaml say where it is; `kayra serve` starts one"
}
