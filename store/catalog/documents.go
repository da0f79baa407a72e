package catalog

import (
	"context"
	"encoding/json"
	"fmt"

	"kayra/store"
)

// Document reads a registration's OpenAPI document as the app served it: the newest that was fetched.
func (r *Repository) Document(ctx context.Context, api string) ([]byte, error) {
	_, spec, _, err := r.registrationAndSpec(ctx, api)
	if err != nil {
		return nil, err
	}
	if spec.Newest() == "" {
		return nil, refuse(ErrNotFound, "no OpenAPI document has been fetched for %q yet%s", api, because(spec.Attempt))
	}
	e, err := r.store.Get(ctx, r.scope.documentKey(api, spec.Newest()))
	if isNotFound(err) {
		return nil, refuse(ErrNotFound, "the OpenAPI document of %q has just been replaced; try again", api)
	}
	if err != nil {
		return nil, fmt.Errorf("read document of %q: %w", api, err)
	}
	return e.Value, nil
}

func because(a Attempt) string {
	if a.Message == "" {
		return ""
	}
	return ": " + a.Message
}

// API is a registration with the resources that its app serves.
type API struct {
	Registration Registration
	Resources    []Resource
}

// APIs lists the registrations by name, with the resources of the newest document of each; none where none was fetched.
func (r *Repository) APIs(ctx context.Context) ([]API, error) {
	regs, err := r.Registrations(ctx, PageRequest{})
	if err != nil {
		return nil, err
	}
	specs, err := list[Spec](ctx, r, r.scope.Prefix()+"specs/", PageRequest{})
	if err != nil {
		return nil, err
	}
	newest := make(map[string]string, len(specs.Items))
	for _, s := range specs.Items {
		newest[s.API] = s.Newest()
	}
	l, err := r.store.List(ctx, "resources/"+r.scope.String()+"/", store.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list resources: %w", err)
	}
	byKey := make(map[string][]byte, len(l.Entries))
	for _, e := range l.Entries {
		byKey[e.Key] = e.Value
	}
	out := make([]API, len(regs.Items))
	for i, reg := range regs.Items {
		out[i] = API{Registration: reg, Resources: []Resource{}}
		if data, ok := byKey[r.scope.resourcesKey(reg.Name, newest[reg.Name])]; ok {
			if err := json.Unmarshal(data, &out[i].Resources); err != nil {
				return nil, fmt.Errorf("decode resources of %q: %w", reg.Name, err)
			}
		}
	}
	return out, nil
}

// registrationAndSpec reads both at one revision. The entry is the spec's, with Revision 0 where there is none.
func (r *Repository) registrationAndSpec(ctx context.Context, name string) (Registration, Spec, store.Entry, error) {
	regKey, specKey := r.scope.registrationKey(name), r.scope.specKey(name)
	var reg Registration
	spec := Spec{API: name}
	res, err := r.read(ctx, regKey, specKey)
	if err != nil {
		return reg, spec, store.Entry{}, err
	}
	entry := res.Got[specKey]
	entry.Key = specKey
	ok, err := find(res, regKey, &reg)
	if err == nil && !ok {
		err = unknownRegistration(name)
	}
	if err == nil {
		_, err = find(res, specKey, &spec)
	}
	return reg, spec, entry, err
}
