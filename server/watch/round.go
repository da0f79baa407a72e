package watch

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
)

// round makes rows of what was touched. All that a round changes has the revision that the records have come to: readers
// see all of it or nothing. It returns when there may be something to do by itself, and whether rows have changed.
func (h *Hub) round(ctx context.Context) (next time.Duration, changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ring(time.Now())
	w := h.work
	h.work.reset()
	r := &round{hub: h, views: h.views(), locked: map[*feed]bool{}}
	if w.all {
		for _, f := range h.feeds {
			r.renew(ctx, f)
		}
	}
	slices.SortFunc(w.tenants, inOrder) // which is that of the lists
	for _, t := range w.tenants {
		t.touched = false
		r.tenant(ctx, t)
	}
	for of, names := range w.plain {
		f := h.feeds[Topic{Of: of}]
		for _, name := range names {
			r.plain(f, name)
		}
	}
	for _, name := range w.heads {
		for _, all := range []bool{false, true} {
			r.head(h.feeds[Topic{Of: Status, API: name, All: all}])
		}
	}
	for _, t := range w.ending {
		r.over(h.feeds[t])
	}
	return h.alarms.next(time.Now()), r.end()
}

func inOrder(a, b *tenant) int {
	return cmp.Or(strings.Compare(a.group.name, b.group.name), strings.Compare(a.namespace, b.namespace))
}

// round is one of them.
type round struct {
	hub    *Hub
	views  *views
	locked map[*feed]bool // and whether it has changed
}

// use locks a feed until the end of the round.
func (r *round) use(f *feed) {
	if _, is := r.locked[f]; !is {
		f.mu.Lock()
		r.locked[f] = false
	}
}

// end has readers read what has changed. It tells whether anything has.
func (r *round) end() (news bool) {
	for _, f := range r.hub.feeds { // those in which nothing has changed have come as far
		r.use(f)
	}
	for f, changed := range r.locked {
		f.revision = r.hub.revision
		if changed {
			news = true
			f.publish()
		}
		f.mu.Unlock()
	}
	if h := r.hub; h.shown != h.revision {
		h.shown = h.revision
		close(h.reached)
		h.reached = make(chan struct{})
	}
	return news
}

// tenant looks at a subscription.
func (r *round) tenant(ctx context.Context, t *tenant) {
	if now := t.group.tenants[t.namespace]; now != nil && now != t && now.there {
		return // it was made anew
	}
	of := r.hub.cover.of(t)
	var is *sight
	if t.there {
		is = r.views.see(ctx, t)
	}
	for _, feeds := range of {
		for _, f := range feeds {
			r.set(f, f.topic.key(t.group.name, t.namespace), is)
		}
	}
}

// set puts a subscription into a feed, or out of it.
func (r *round) set(f *feed, key string, is *sight) {
	r.use(f)
	if is == nil || !is.in(&f.topic) {
		r.locked[f] = f.drop(key, r.hub.revision) || r.locked[f]
		return
	}
	r.locked[f] = f.put(is.shown(&f.topic), r.hub.revision) || r.locked[f]
}

// plain looks at a row that is made of one record.
func (r *round) plain(f *feed, name string) {
	if f == nil {
		return
	}
	r.use(f)
	if data := r.hub.known.answer(f.topic.Of, name); data != nil {
		r.locked[f] = f.put(shown{key: name, data: data}, r.hub.revision) || r.locked[f]
		return
	}
	r.locked[f] = f.drop(name, r.hub.revision) || r.locked[f]
}

// head looks at the title of a status.
func (r *round) head(f *feed) {
	if f == nil || f.topic.Of != Status {
		return
	}
	if a := r.hub.known.apis[f.topic.API]; a != nil && a.reg != nil {
		r.use(f)
		r.locked[f] = f.title(encode(api.NewStatusHead(a.reg)), r.hub.revision) || r.locked[f]
	}
}

// over ends a feed.
func (r *round) over(f *feed) {
	if f == nil {
		return
	}
	r.use(f)
	f.over, r.locked[f] = true, true
	r.hub.remove(f.topic, f)
}

// renew brings a feed to what there is, whatever has become of it.
func (r *round) renew(ctx context.Context, f *feed) {
	r.use(f)
	if !r.hub.known.has(&f.topic) {
		r.over(f)
		return
	}
	there := map[string]bool{}
	for _, s := range r.hub.rows(ctx, &f.topic, r.views) {
		there[s.key] = true
		r.locked[f] = f.put(s, r.hub.revision) || r.locked[f]
	}
	for key, row := range f.rows {
		if row.there && !there[key] {
			r.locked[f] = f.drop(key, r.hub.revision) || r.locked[f]
		}
	}
	r.head(f)
}

// build makes the feed of a topic.
func (h *Hub) build(ctx context.Context, t Topic) *feed {
	f := newFeed(t)
	head := []byte(empty)
	if a := h.known.apis[t.API]; t.Of == Status && a != nil && a.reg != nil {
		head = encode(api.NewStatusHead(a.reg))
	}
	f.begin(h.rows(ctx, &t, h.views()), head, h.revision)
	return f
}

// has tells whether what the topic is about is there.
func (k *records) has(t *Topic) bool {
	switch t.Of { //nolint:exhaustive // lists always are
	case Status:
		a := k.apis[t.API]
		return a != nil && a.reg != nil
	case NamespaceSubscriptions:
		_, is := k.namespaces[t.Namespace]
		return is
	}
	return true
}

// rows are all rows of a topic.
func (h *Hub) rows(ctx context.Context, t *Topic, v *views) []shown {
	if !t.ofSubscriptions() {
		return h.known.answers(t.Of)
	}
	var rows []shown
	see := func(n *tenant) {
		if n == nil || !n.there {
			return
		}
		if is := v.see(ctx, n); is.in(t) {
			rows = append(rows, is.shown(t))
		}
	}
	for name, a := range h.known.apis {
		switch {
		case t.Namespace != "":
			see(a.tenants[t.Namespace])
		case t.API == "" || t.API == name:
			for _, n := range a.tenants {
				see(n)
			}
		}
	}
	return rows
}

// answer is a row that is made of one record, or nil if there is none.
func (k *records) answer(of Resource, name string) []byte {
	switch of { //nolint:exhaustive // the others are made of more
	case Namespaces:
		if active, is := k.namespaces[name]; is {
			return encode(api.NewNamespace(&catalog.Namespace{Name: name, Active: active}))
		}
	case Registrations:
		if a := k.apis[name]; a != nil && a.reg != nil {
			return encode(api.NewRegistration(a.reg))
		}
	case Reconcilers:
		if one := k.reconcilers[name]; one != nil {
			is := *one
			is.Konductor = is.ID == k.konductor
			return encode(api.NewReconciler(&is))
		}
	case Roles:
		return k.roles[name]
	case RoleBindings:
		return k.bindings[name]
	}
	return nil
}

// answers are all rows of a list that are made of one record each.
func (k *records) answers(of Resource) []shown {
	var rows []shown
	add := func(name string) {
		if data := k.answer(of, name); data != nil {
			rows = append(rows, shown{key: name, data: data})
		}
	}
	switch of { //nolint:exhaustive // the others are made of more
	case Namespaces:
		each(k.namespaces, add)
	case Registrations:
		each(k.apis, add)
	case Reconcilers:
		each(k.reconcilers, add)
	case Roles:
		each(k.roles, add)
	case RoleBindings:
		each(k.bindings, add)
	}
	return rows
}

func each[V any](of map[string]V, do func(name string)) {
	for name := range of {
		do(name)
	}
}
