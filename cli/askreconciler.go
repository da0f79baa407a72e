package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"kayra/reconciler/katalog"
	"kayra/server/api"
)

// askAbout asks the reconcilers that may be asked how a registration is worked on. The konductor's word counts before that of
// others. None may have answered.
func (m *remote) askAbout(ctx context.Context, alive []api.Reconciler, name string) (id string, info *katalog.CRDInfoResponse) {
	ctx, cancel := context.WithTimeout(ctx, askedWithin)
	defer cancel()
	alive = slices.DeleteFunc(slices.Clone(alive), func(r api.Reconciler) bool { return !m.vouches(r.Endpoint) })
	slices.SortStableFunc(alive, func(a, b api.Reconciler) int {
		switch {
		case a.Konductor == b.Konductor:
			return strings.Compare(a.ID, b.ID)
		case a.Konductor:
			return -1
		}
		return 1
	})
	answers := make([]*katalog.CRDInfoResponse, min(len(alive), mostAsked))
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = m.askOne(ctx, alive[i], name) })
	}
	all.Wait()
	for i, answer := range answers {
		if answer != nil {
			return alive[i].ID, answer
		}
	}
	return "", nil
}

// askOne asks one reconciler; nil: it does not say.
func (m *remote) askOne(ctx context.Context, r api.Reconciler, name string) *katalog.CRDInfoResponse {
	c, err := m.open(strings.TrimSuffix(r.Endpoint, "/"), m.secret)
	if err != nil {
		return nil
	}
	defer c.Close()
	answer, err := c.Do(ctx, http.MethodGet, "/katalog/"+url.PathEscape(name), nil)
	var info katalog.CRDInfoResponse
	if err != nil || json.Unmarshal(answer.Body, &info) != nil || info.State == "" {
		return nil
	}
	return &info
}
