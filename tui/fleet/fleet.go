// Package fleet is what a dashboard knows of a deployment: a copy of its records, which streams keep up to date, with the
// figures that screens show. It does no I/O, and all of it belongs to one goroutine.
package fleet

import (
	"slices"
	"strings"
	"time"

	"kayra/server/api"
)

// Fleet is the copy. Its zero value is empty and ready to use.
type Fleet struct {
	apis        map[string]*API
	reconcilers map[string]*Reconciler
	sources     map[string]Source
	details     map[Key]*Detail
	gateway     map[string]*api.KatalogAPI // by API; nil: the server has not told
	version     string                     // of the server

	byName   []*API // of those that are shown; nil: to be made anew
	blind    bool   // the caller may not see registrations
	unmerged bool   // what several processes tell is to be merged anew
	round    uint64 // of telling all subscriptions that there are
	stamp    uint64 // of bringing rows up to date
	now      time.Time
}

// Update is something new, ready to be applied. It is made away from the goroutine that the fleet belongs to, and not
// changed once it is applied.
type Update interface{ apply(f *Fleet) }

// Apply brings the copy up to date.
func (f *Fleet) Apply(updates ...Update) {
	for _, u := range updates {
		u.apply(f)
	}
	if f.unmerged {
		f.unmerged = false
		f.merge()
	}
}

// Advance has the time pass for what is counted by time: rates and histories.
func (f *Fleet) Advance(now time.Time) {
	if now.After(f.now) {
		f.now = now
	}
	for _, a := range f.apis {
		a.advance(f.now)
	}
}

// APIs are those that are registered, by name. Where the caller may not see registrations they are those that somebody
// subscribes to. The list is not to be changed, and holds until the next Apply.
func (f *Fleet) APIs() []*API {
	if f.byName == nil {
		f.byName = make([]*API, 0, len(f.apis))
		for _, a := range f.apis {
			if a.Registered || f.blind && len(a.subscriptions) > 0 {
				f.byName = append(f.byName, a)
			}
		}
		slices.SortFunc(f.byName, func(a, b *API) int { return strings.Compare(a.Name, b.Name) })
	}
	return f.byName
}

// API is one of them, or nil.
func (f *Fleet) API(name string) *API {
	i, ok := slices.BinarySearchFunc(f.APIs(), name, func(a *API, name string) int { return strings.Compare(a.Name, name) })
	if !ok {
		return nil
	}
	return f.byName[i]
}

// Subscription is a subscription, or nil.
func (f *Fleet) Subscription(name, namespace string) *Subscription {
	a := f.apis[name]
	if a == nil {
		return nil
	}
	return a.subscriptions[namespace]
}

// Reconcilers are the processes that are alive, by id.
func (f *Fleet) Reconcilers() []*Reconciler {
	all := make([]*Reconciler, 0, len(f.reconcilers))
	for _, r := range f.reconcilers {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *Reconciler) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Detail is what reconcilers have told of a subscription beyond the server, or nil.
func (f *Fleet) Detail(name, namespace string) *Detail { return f.details[Key{name, namespace}] }

// api is an API, which is made where there is none yet.
func (f *Fleet) api(name string) *API {
	a := f.apis[name]
	if a == nil {
		a = &API{subscriptions: map[string]*Subscription{}}
		a.Name = name
		if f.apis == nil {
			f.apis = map[string]*API{}
		}
		f.apis[name], f.byName, f.unmerged = a, nil, true
	}
	return a
}

// drop forgets an API that nothing is known of any more.
func (f *Fleet) drop(a *API) {
	f.byName = nil
	if !a.Registered && len(a.subscriptions) == 0 {
		delete(f.apis, a.Name)
	}
}
