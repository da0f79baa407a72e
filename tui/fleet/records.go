package fleet

import (
	"time"

	"kayra/reconciler/katalog"
	"kayra/server/api"
)

// APIs tells of registrations.
type APIs struct {
	Whole   bool // they are all that there are: others are gone
	Changes []APIChange
}

// APIChange is a registration as it is now, or one that is gone.
type APIChange struct {
	api.Registration

	Gone bool
}

func (u *APIs) apply(f *Fleet) {
	there := map[string]bool{}
	for i := range u.Changes {
		c := &u.Changes[i]
		if c.Gone {
			f.unregister(c.Name)
			continue
		}
		there[c.Name] = true
		a := f.api(c.Name)
		if !a.Registered {
			f.byName = nil
		}
		a.Registration, a.Registered = c.Registration, true
	}
	if !u.Whole {
		return
	}
	for name := range f.apis {
		if !there[name] {
			f.unregister(name)
		}
	}
}

func (f *Fleet) unregister(name string) {
	a := f.apis[name]
	if a == nil || !a.Registered {
		return
	}
	a.Registration, a.Registered = api.Registration{Name: name}, false
	f.drop(a)
}

// Reconciler is a reconciler process.
type Reconciler struct {
	api.Reconciler

	Katalog *katalog.KatalogResponse // what it said last; nil: nothing yet
	Asked   time.Time                // when it said so
	Problem string                   // why it does not tell, in a sentence; "": it does
}

// tells tells whether what it said last holds.
func (r *Reconciler) tells() bool { return r.Katalog != nil && r.Problem == "" }

// Reconcilers tells of reconciler processes.
type Reconcilers struct {
	Whole   bool // they are all that there are: others are gone
	Changes []ReconcilerChange
}

// ReconcilerChange is a process as it is now, or one that is gone.
type ReconcilerChange struct {
	api.Reconciler

	Gone bool
}

func (u *Reconcilers) apply(f *Fleet) {
	there := map[string]bool{}
	if f.reconcilers == nil {
		f.reconcilers = map[string]*Reconciler{}
	}
	for i := range u.Changes {
		c := &u.Changes[i]
		if c.Gone {
			delete(f.reconcilers, c.ID)
			continue
		}
		there[c.ID] = true
		r := f.reconcilers[c.ID]
		if r == nil {
			r = &Reconciler{}
			f.reconcilers[c.ID] = r
		}
		r.Reconciler = c.Reconciler
	}
	for id := range f.reconcilers {
		if u.Whole && !there[id] {
			delete(f.reconcilers, id)
		}
	}
	f.unmerged = true
}

// Word is what a reconciler has answered, or why it has not. Of one that is not alive it is forgotten.
type Word struct {
	Reconciler string                   // its id
	Katalog    *katalog.KatalogResponse // nil: see Problem
	At         time.Time
	Problem    string // one sentence
}

func (u *Word) apply(f *Fleet) {
	r := f.reconcilers[u.Reconciler]
	if r == nil {
		return
	}
	if r.Problem = u.Problem; u.Katalog != nil {
		r.Katalog, r.Asked = u.Katalog, u.At
	}
	f.unmerged = true
}

// Figures are what the server has counted of writes, and how registrations are doing as the reconciler sees it that
// decides for all.
type Figures struct{ Katalog *api.Katalog }

func (u *Figures) apply(f *Fleet) {
	f.gateway, f.version = map[string]*api.KatalogAPI{}, u.Katalog.Version
	for i := range u.Katalog.CRDs {
		f.gateway[u.Katalog.CRDs[i].Name] = &u.Katalog.CRDs[i]
	}
	f.unmerged = true
}
