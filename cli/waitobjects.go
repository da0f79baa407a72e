package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"kayra/server/client"
	"kayra/store/catalog"
)

// thing is what is waited for.
type thing struct{ namespace, name string }

func (t thing) String() string {
	if t.namespace == "" {
		return t.name
	}
	return t.namespace + "/" + t.name
}

// objects waits for things of one kind.
type objects struct {
	*env

	at      *route // one of them, or their list
	group   string // long name of the API that they are of
	timeout time.Duration
	quiet   bool // standard error has failures alone

	condition condition
	report    *report
	left      map[thing]string // those that are not as they are to be, and why
	total     int
	ended     error // what a thing has come to instead

	told map[thing]bool // by the present stream
}

// pollPause is the time between two looks at what no stream tells of.
const pollPause = 2 * time.Second

// wait waits until all things are as the condition has it.
func (o *objects) wait(ctx context.Context, c condition, things []thing) error {
	waitCtx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	o.condition, o.total = c, len(things)
	o.left, o.told = map[thing]string{}, map[thing]bool{}
	o.report = newReport(o.env, c.word, o.quiet)
	for _, t := range things {
		o.left[t] = ""
	}
	stop := o.report.beats(waitCtx)
	err := o.look(waitCtx)
	if err == nil && !o.over() {
		err = o.follow(waitCtx)
	}
	stop()
	o.report.end()
	switch {
	case o.ended != nil:
		return o.ended
	case ctx.Err() == nil && waitCtx.Err() != nil && err != nil:
		return o.late(err)
	}
	return ofRollout(err)
}

func (o *objects) over() bool { return len(o.left) == 0 || o.ended != nil }

// follow follows the list, for as long as something is left. What cannot be followed is looked at again and again.
func (o *objects) follow(ctx context.Context) error {
	if o.at.app == "" {
		following, stop := context.WithCancel(ctx)
		defer stop()
		_ = o.at.at.Follow(following, o.list(), &objectsFollower{ // what is amiss is found out below, too
			objects: o, stop: stop, ask: func(t thing) error { return o.lookAt(following, t) },
		}, nil)
	}
	for !o.over() {
		if ctx.Err() != nil {
			return fmt.Errorf("wait: %w", context.Cause(ctx))
		}
		switch err := o.look(ctx); {
		case errors.Is(err, client.ErrUnreachable):
			o.report.note(o.at.resource, err.Error()+"; trying again")
		case err != nil && ctx.Err() == nil:
			return err
		}
		if !o.over() {
			select {
			case <-ctx.Done():
			case <-time.After(pollPause):
			}
		}
	}
	return nil
}

// look looks at all that is left.
func (o *objects) look(ctx context.Context) error {
	var all []thing
	for t := range o.left {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b thing) int { return strings.Compare(a.String(), b.String()) })
	var err error
	for i := 0; i < len(all) && err == nil && o.ended == nil; i++ {
		err = o.lookAt(ctx, all[i])
	}
	o.tally()
	return err
}

// lookAt asks for a thing, and judges it.
func (o *objects) lookAt(ctx context.Context, t thing) error {
	one := *o.at
	one.path = o.pathOf(t)
	object, missing := one.call(ctx, http.MethodGet, "", nil)
	if missing != nil && !errors.Is(missing, catalog.ErrNotFound) {
		return missing
	}
	f, why, err := o.condition.judge(object)
	if err != nil {
		return err
	}
	o.settle(t, f, why, missing)
	return nil
}

// settle notes what has become of a thing.
func (o *objects) settle(t thing, f fate, why string, err error) {
	switch f {
	case met:
		delete(o.left, t)
		if o.total > 1 {
			o.report.update(o.at.resource, o.count(), t.String()+" "+o.condition.word)
		}
	case pending:
		if why != "" && why != o.left[t] {
			o.report.note(t.String(), why)
		}
		o.left[t] = why
	case hopeless:
		o.ended = &failure{
			code: codeSyncFailed, message: fmt.Sprintf("the sync of %s ended in error: %s", t, why),
			hint: fmt.Sprintf("`kayra why %s -n %s` tells more", t.name, t.namespace),
		}
	case lost:
		o.ended = &failure{code: codeNotFound, message: fmt.Sprintf("%s %q is not there, and so does not become %s", singular(o.at.resource), t, o.condition.word), err: err}
	}
}

func (o *objects) count() tally { return tally{total: o.total, there: o.total - len(o.left)} }

func (o *objects) tally() {
	if o.total > 1 {
		o.report.update(o.at.resource, o.count())
	}
}

// late is the failure of a wait that took too long.
func (o *objects) late(err error) error {
	const most = 20
	var rows []string
	for t, why := range o.left {
		rows = append(rows, strings.TrimRight(fmt.Sprintf("  %s  %s", t, why), " "))
	}
	slices.Sort(rows)
	if more := len(rows) - most; more > 0 {
		rows = append(rows[:most], fmt.Sprintf("  and %d more", more))
	}
	for _, row := range rows {
		o.report.tell("%s", row)
	}
	return &failure{
		code: codeTimeout, err: err,
		message: fmt.Sprintf("timed out after %s: %d of %d %s %s", o.timeout, o.total-len(o.left), o.total, o.at.resource, o.condition.word),
	}
}

// pathOf is where a thing is.
func (o *objects) pathOf(t thing) string {
	at := target{namespace: t.namespace, resource: o.at.resource, name: t.name}
	return at.path(o.group)
}

// list is where the list is that has all that is left.
func (o *objects) list() string {
	at := target{resource: o.at.resource}
	for t := range o.left {
		at.namespace = t.namespace
	}
	for t := range o.left {
		if t.namespace != at.namespace {
			at.namespace = "" // that of all namespaces
		}
	}
	return at.path(o.group)
}

// objectsFollower looks at a thing again when a stream tells something about it: the stream may be behind.
type objectsFollower struct {
	*objects

	stop func()
	ask  func(thing) error
}

// Reset implements [client.Follower].
func (f *objectsFollower) Reset() { clear(f.told) }

// Apply implements [client.Follower].
func (f *objectsFollower) Apply(e client.Event) error {
	t := f.thingOf(e.Data)
	why, wanted := f.left[t]
	if !wanted {
		return nil
	}
	object := e.Data
	if f.told[t] = e.Type != client.Deleted; !f.told[t] {
		object = nil
	}
	is, now, err := f.condition.judge(object)
	switch {
	case err != nil:
		return err
	case is != pending:
		return f.again(t)
	case now != why:
		f.settle(t, pending, now, nil)
	}
	return nil
}

// again asks for a thing, and ends the stream when nothing is left.
func (f *objectsFollower) again(t thing) error {
	if err := f.ask(t); err != nil {
		return err
	}
	f.tally()
	if f.over() {
		f.stop()
	}
	return nil
}

// Synced implements [client.Follower]. What was not told of is gone.
func (f *objectsFollower) Synced([]byte) {
	for t := range f.left {
		if f.told[t] {
			continue
		}
		if f.again(t) != nil {
			f.stop() // it is looked at again and again from now on
		}
	}
}

// Live implements [client.Follower].
func (f *objectsFollower) Live(err error, _ time.Duration) {
	if err != nil {
		f.report.note(f.at.resource, err.Error()+"; trying again")
	}
}

// thingOf is what an object of the list is.
func (o *objects) thingOf(object []byte) thing {
	var is struct{ Namespace, Name, API string }
	if json.Unmarshal(object, &is) != nil {
		return thing{}
	}
	if is.Name == "" {
		is.Name = is.API
	}
	t := thing{is.Namespace, is.Name}
	if _, wanted := o.left[t]; !wanted {
		t.namespace = "" // a field of what does not live in one
	}
	return t
}
