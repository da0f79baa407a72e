package watch

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"kayra/store/catalog"
)

// foreign is what is known of a registration of another scope.
type foreign struct {
	needed  catalog.Needed
	tenants map[string]*catalog.Subscription // nil: nobody needs them
}

// lookAbroad looks at other scopes again and again, as far as streams need it.
func (h *Hub) lookAbroad(ctx context.Context) error {
	ticker := time.NewTicker(h.pace)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // Run does
		case <-ticker.C:
		}
		h.mu.Lock()
		wanted := h.wanted(h.cover.some)
		for ref := range h.abroad {
			if _, is := wanted[ref]; !is {
				delete(h.abroad, ref)
			}
		}
		h.mu.Unlock()
		if err := h.visit(ctx, wanted); err != nil && ctx.Err() == nil {
			h.log.LogAttrs(ctx, slog.LevelDebug, "another scope was not read", slog.Any("error", err))
		}
	}
}

// wanted are the dependencies in other scopes of some APIs, and whether the subscriptions to them are of interest.
func (h *Hub) wanted(of func(*group) bool) map[catalog.Ref]bool {
	wanted := map[catalog.Ref]bool{}
	for _, a := range h.known.apis {
		if a.reg == nil || !of(a) {
			continue
		}
		for _, d := range a.reg.DependsOn {
			if d.Scope() != h.scope {
				wanted[d.Ref] = wanted[d.Ref] || d.Needs() == catalog.ConditionSynced
			}
		}
	}
	return wanted
}

// prepare reads what the rows of a topic need of other scopes, where that is not known yet.
func (h *Hub) prepare(ctx context.Context, t *Topic) error {
	if !t.ofSubscriptions() {
		return nil
	}
	h.mu.Lock()
	wanted := h.wanted(func(a *group) bool {
		return (t.API == "" || t.API == a.name) && (t.Namespace == "" || a.tenants[t.Namespace] != nil)
	})
	for ref, tenants := range wanted {
		if known := h.abroad[ref]; known != nil && (!tenants || known.tenants != nil) {
			delete(wanted, ref)
		}
	}
	h.mu.Unlock()
	return h.visit(ctx, wanted)
}

// visit reads what is known of registrations of other scopes, and touches the rows that depend on it.
func (h *Hub) visit(ctx context.Context, wanted map[catalog.Ref]bool) error {
	for ref, withTenants := range wanted {
		needs, err := h.repository.Needs(ctx, []catalog.Dependency{{Ref: ref}})
		if err != nil {
			return err //nolint:wrapcheck // says it all
		}
		is := &foreign{needed: needs[0]}
		if withTenants {
			if is.tenants, err = h.repository.TenantsOf(ctx, ref); err != nil {
				return err //nolint:wrapcheck // says it all
			}
		}
		h.learn(ref, is)
	}
	return nil
}

func (h *Hub) learn(ref catalog.Ref, is *foreign) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if before := h.abroad[ref]; before != nil && reflect.DeepEqual(before, is) {
		return
	}
	h.abroad[ref] = is
	for name, a := range h.known.apis {
		if a.reg != nil && slices.ContainsFunc(a.reg.DependsOn, func(d catalog.Dependency) bool { return d.Ref == ref }) {
			h.known.tenantsOf(name, h.touch)
		}
	}
	h.wakeUp()
}
