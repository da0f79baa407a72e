package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"kayra/cli/manifest"
	"kayra/server/client"
	"kayra/store/catalog"
)

// action is what a document asks for.
type action string

const (
	actionCreate action = "created"
	actionChange action = "configured"
	actionNone   action = "unchanged"
)

// prospect is what a document comes to, beside what is there.
type prospect struct {
	action action
	before []byte // what is there, or nil
	after  []byte // what would be there
	minted bool   // what is created has a sync id that it will not have
	body   []byte // to be sent
	tag    string // of what is there, or ""

	all, one *route // all of its kind, and it
}

// look finds out what a document asks for. It writes nothing.
func (c *changer) look(ctx context.Context, d manifest.Document) (*prospect, error) {
	ch, err := c.locate(ctx, d)
	if err != nil {
		return nil, err
	}
	answer, err := c.send(ctx, ch.one, http.MethodGet, "", nil, "")
	if errors.Is(err, catalog.ErrNotFound) {
		ch.action = actionCreate
		return ch, c.foresee(ctx, ch, d)
	}
	if err != nil {
		return nil, err
	}
	is, err := manifest.ParseObject(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	ch.before, ch.tag = answer.Body, answer.Header.Get("ETag")
	if d.Own != nil && d.Own.Resource != registrations {
		if err := unknownKeys(is, d); err != nil {
			return nil, err
		}
	}
	if isComputed(d) || manifest.Covers(is, completed(is, d)) {
		ch.action, ch.after = actionNone, answer.Body
		return ch, nil
	}
	ch.action, ch.after = actionChange, manifest.Merge(is, d.Body).JSON()
	return ch, c.foresee(ctx, ch, d)
}

const registrations = "apiregistrations"

// isComputed tells a thing that has nothing to be set but its name.
func isComputed(d manifest.Document) bool {
	return d.Own != nil && (d.Own.Resource == "namespaces" || d.Own.Resource == "subscriptions")
}

// unknownKeys refuses keys that the thing does not have, since nobody else would where nothing is written.
func unknownKeys(is manifest.Object, d manifest.Document) error {
	for _, m := range d.Body {
		if !is.Has(m.Key) {
			return &failure{code: codeFailed, message: fmt.Sprintf("%q is not a key of a %s: leave it out", m.Key, singular(d.Own.Resource))}
		}
	}
	return nil
}

// completed is the document's body with what the server fills in where a dependency leaves it out.
func completed(is manifest.Object, d manifest.Document) manifest.Object {
	if d.Own == nil || d.Own.Resource != registrations || !d.Body.Has("depends_on") {
		return d.Body
	}
	var deps []map[string]json.RawMessage
	if json.Unmarshal(d.Body.Get("depends_on"), &deps) != nil {
		return d.Body // is refused by the server
	}
	for _, dep := range deps {
		for _, key := range []string{"platform", "region"} {
			if dep != nil && len(dep[key]) == 0 {
				dep[key] = is.Get(key)
			}
		}
	}
	filled, err := json.Marshal(deps)
	if err != nil {
		return d.Body
	}
	return manifest.Merge(d.Body, manifest.Object{{Key: "depends_on", Value: filled}})
}

// foresee asks the server what would become of what is written, where it can tell: of API registrations.
func (c *changer) foresee(ctx context.Context, ch *prospect, d manifest.Document) error {
	if ch.after == nil {
		ch.after = d.Body.JSON()
	}
	checks := d.Own != nil && d.Own.Resource == registrations
	pending := checks && slices.ContainsFunc(d.Dependencies(), func(name string) bool { return c.coming[name] })
	if c.dryRun.only() && checks && ch.action == actionCreate {
		c.coming[d.Name] = true
	}
	switch {
	case c.dryRun == dryClient || !c.dryRun.only() && ch.action == actionCreate:
		return nil
	case !checks || pending:
		c.unchecked = true
		return nil
	}
	to, method := ch.one, http.MethodPut
	if ch.action == actionCreate {
		to, method = ch.all, http.MethodPost
		id := textOf(ch.body, "sync_id")
		ch.minted = id == ""
	}
	answer, err := c.send(ctx, to, method, "dry_run=true", ch.body, ch.tag)
	if err != nil {
		return err
	}
	if ch.after = answer.Body; same(ch.before, ch.after) {
		ch.action = actionNone
	}
	return nil
}

// same compares two answers of one server.
func same(before, after []byte) bool {
	is, err := manifest.ParseObject(before)
	if err != nil {
		return false
	}
	wanted, err := manifest.ParseObject(after)
	return err == nil && manifest.Covers(is, wanted)
}

// locate finds where the thing of a document is. An app that is not known yet may have become so.
func (c *changer) locate(ctx context.Context, d manifest.Document) (*prospect, error) {
	ch, err := c.locateIn(d)
	if d.Own != nil || !errors.Is(err, catalog.ErrNotFound) && !isNotFound(err) {
		return ch, err
	}
	if c.groups, err = c.remote.groups(ctx); err != nil {
		return nil, err
	}
	return c.locateIn(d)
}

func isNotFound(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.code == codeNotFound
}

func (c *changer) locateIn(d manifest.Document) (*prospect, error) {
	all := target{group: d.Group, resource: d.Resource, namespace: d.Namespace, lists: d.Namespace != ""}
	ch := &prospect{body: d.Body.JSON()}
	var err error
	if ch.all, err = c.resolveIn(c.groups, &all); err != nil {
		return nil, err
	}
	one := target{group: d.Group, resource: d.Resource, namespace: d.Namespace, name: d.Name}
	ch.one, err = c.resolveIn(c.groups, &one)
	return ch, err
}

// write does what a document asks for, unless the thing has changed since it was looked at. It gives the thing as it is then.
func (c *changer) write(ctx context.Context, ch *prospect) ([]byte, error) {
	to, method := ch.one, http.MethodPut
	if ch.action == actionCreate {
		to, method = ch.all, http.MethodPost
	}
	answer, err := c.send(ctx, to, method, "", ch.body, ch.tag)
	return answer.Body, err
}

// isThere tells whether the thing of a change is there now.
func (c *changer) isThere(ctx context.Context, ch *prospect) bool {
	_, err := c.send(ctx, ch.one, http.MethodGet, "", nil, "")
	return err == nil
}

// send sends a request, and waits for its turn where a server takes only so many within a second.
func (c *changer) send(ctx context.Context, to *route, method, query string, body []byte, tag string) (client.Answer, error) {
	const (
		tries = 30
		pause = time.Second
	)
	var answer client.Answer
	var err error
	for range tries {
		answer, err = to.send(ctx, method, query, body, tag)
		refused, ok := errors.AsType[*client.Error](err)
		if !ok || refused.Status != tooMany {
			break
		}
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return answer, err
		}
	}
	return answer, err
}
