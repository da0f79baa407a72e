package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"kayra/server/api"
)

// authorization is the short name of the API group that knows who the caller is and what may be done.
const authorization = "authorization"

// authorizationPath finds where the group is among the groups that a server has. The domain in its name is the server's.
func authorizationPath(groups []api.Group) (string, error) {
	for _, g := range groups {
		if g.Builtin && g.ShortName == authorization {
			return "/apis/" + g.Name + "/v1", nil
		}
	}
	return "", &failure{
		code: codeFailed, message: "the server has no API group " + authorization,
		hint: "it is older than this program; `kayra apis` lists what it has",
	}
}

// caller asks the server whom it takes the caller for.
func (m *remote) caller(ctx context.Context) (api.Caller, error) {
	groups, err := m.groups(ctx)
	if err != nil {
		return api.Caller{}, err
	}
	path, err := authorizationPath(groups)
	if err != nil {
		return api.Caller{}, err
	}
	answer, err := m.at.Do(ctx, http.MethodGet, path+"/whoami", nil)
	if err != nil {
		return api.Caller{}, err //nolint:wrapcheck // is shown as it is
	}
	var who api.Caller
	if err := json.Unmarshal(answer.Body, &who); err != nil || who.User == "" {
		return who, fmt.Errorf("%s does not say who the caller is: is it Kayra that answers there?", m.server)
	}
	return who, nil
}
