package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/complete"
	"kayra/server/api"
	"kayra/server/client"
)

// mostNames is how many of a kind are asked for: those that begin with what was typed may stand anywhere among them.
const mostNames = 10_000

var errNothing = errors.New("nothing can be found out")

// asker finds names at the server that a command line speaks to, and remembers them.
type asker struct {
	*remote

	cache complete.Cache
}

// asker makes one of the flags, the environment and the files. It neither connects nor asks anybody for anything.
func (e *env) asker(cmd *cobra.Command) (*asker, error) {
	if f := cmd.Flag(tokenFile); f == nil || f.Value.String() == "-" {
		return nil, errNothing // the standard input is the shell's
	}
	m, err := e.remote(cmd)
	if err != nil {
		return nil, err
	}
	return &asker{remote: m, cache: complete.Cache{Path: complete.Place(e.lookup), Now: e.now}}, nil
}

// asking has a finder ask the server.
func (e *env) asking(find func(ctx context.Context, a *asker, q query) []complete.Suggestion) finder {
	return func(ctx context.Context, q query) []complete.Suggestion {
		a, err := e.asker(q.cmd) //nolint:contextcheck // a command has its context when it completes
		if err != nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, serverBudget)
		defer cancel()
		return find(ctx, a, q)
	}
}

// key is what the server's answer is remembered under. Who asks is told by where the token is from, since no token, nor
// anything made of it, is to stand in the file.
func (a *asker) key(what string) string {
	return strings.Join([]string{a.context, a.server, a.gateway, a.tokenBy, what}, "\n")
}

// remembered gives what is remembered, or what ask gives. A server that was silent is left alone as long as any answer is
// remembered.
func remembered[T any](ctx context.Context, a *asker, what string, ask func(ctx context.Context) (T, error)) (T, error) {
	const silent = "silent"
	var answer T
	if a.cache.Get(a.key(what), &answer) {
		return answer, nil
	}
	var since bool
	if a.cache.Get(a.key(silent), &since) {
		return answer, errNothing
	}
	answer, err := ask(ctx)
	switch {
	case err == nil:
		a.cache.Put(a.key(what), answer)
	case ctx.Err() != nil, errors.Is(err, client.ErrTimeout):
		a.cache.Put(a.key(silent), true)
	}
	return answer, err
}

// knownGroups are the APIs that there are.
func (a *asker) knownGroups(ctx context.Context) ([]api.Group, error) {
	return remembered(ctx, a, "/apis", a.groups)
}

// list gives the things of a list, as suggestions that name makes of them.
func (a *asker) list(ctx context.Context, at *client.Client, path string, name func(*row) complete.Suggestion) ([]complete.Suggestion, error) {
	return remembered(ctx, a, path, func(ctx context.Context) ([]complete.Suggestion, error) {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		if at == a.at { // an app may take no such parameter
			path += separator + "limit=" + strconv.Itoa(mostNames)
		}
		answer, err := at.Do(ctx, http.MethodGet, path, nil)
		if err != nil {
			return nil, fmt.Errorf("list names: %w", err)
		}
		var list struct {
			Items []row `json:"items"`
		}
		if err := json.Unmarshal(answer.Body, &list); err != nil {
			return nil, fmt.Errorf("list names: %w", err)
		}
		all := make([]complete.Suggestion, len(list.Items))
		for i := range list.Items {
			all[i] = name(&list.Items[i])
		}
		return all, nil
	})
}
