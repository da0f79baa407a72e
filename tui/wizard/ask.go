package wizard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"kayra/cli/term"
	"kayra/rollout"
	"kayra/store/catalog"
)

// Terminal is where plain lines are asked for.
type Terminal struct {
	In  io.Reader
	Out io.Writer
}

// errLeft ends the asking: somebody has left, or nothing more is typed.
var errLeft = errors.New("left")

// errBack goes back to the question before.
var errBack = errors.New("back")

// asker asks what the wizard asks, in plain lines from top to bottom: for screen readers, and for terminals on which
// nothing can be drawn.
type asker struct {
	Connection

	options Options
	lines   <-chan string
	out     io.Writer
	outcome Outcome
}

// Ask is the wizard in plain lines. It ends with ctx, as by Ctrl-C. The reading of a line that nobody types any more
// goes on until one comes.
func Ask(ctx context.Context, e *rollout.Engine, o Options, t Terminal) (Outcome, error) {
	a := &asker{Connection: o.connection(e), options: o, lines: linesOf(ctx, t.In), out: t.Out}
	a.say("Canary wizard at %s. Type back to go back, and quit to leave: nothing is changed before you say yes.", strings.TrimSpace(o.Label+" "+o.Where))
	err := a.begin(ctx)
	a.outcome.Interrupted, a.outcome.Place = ctx.Err() != nil, a.Place
	if a.outcome.Interrupted || errors.Is(err, errLeft) || errors.Is(err, errBack) {
		err = nil
	}
	return a.outcome, err
}

// linesOf are the lines that are typed. The channel is closed at the end of them.
func linesOf(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func (a *asker) say(format string, args ...any) {
	_, _ = fmt.Fprintln(a.out, term.Escape(fmt.Sprintf(format, args...))) // nothing is left to be done about it
}

// ask asks for a line.
func (a *asker) ask(ctx context.Context, format string, args ...any) (string, error) {
	_, _ = fmt.Fprint(a.out, term.Escape(fmt.Sprintf(format, args...))+" ") // as say
	select {
	case <-ctx.Done():
		return "", errLeft
	case line, ok := <-a.lines:
		line = strings.TrimSpace(line)
		switch {
		case !ok || line == "quit":
			return "", errLeft
		case line == "back":
			return "", errBack
		}
		return line, nil
	}
}

// choose asks for one of the names, by its number or itself.
func (a *asker) choose(ctx context.Context, question string, items []item) (string, error) {
	for i, one := range items {
		a.say("  %d. %s, %s", i+1, one.name, strings.Join(one.rest, ", "))
	}
	for {
		answer, err := a.ask(ctx, "%s Number or name:", question)
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(items) {
			return items[n-1].name, nil
		}
		if slices.ContainsFunc(items, func(one item) bool { return one.name == answer }) {
			return answer, nil
		}
		a.say("There is no %q among them.", answer)
	}
}

func (a *asker) begin(ctx context.Context) error {
	if len(a.options.Contexts) > 1 {
		var items []item
		for _, c := range a.options.Contexts {
			items = append(items, item{c.Name, []string{c.Server}})
		}
		name, err := a.choose(ctx, "Which server?", items)
		if err != nil {
			return err
		}
		c, err := a.options.Use(ctx, name)
		if err != nil {
			return err
		}
		a.Connection = *c
	}
	for {
		name, err := a.api(ctx)
		if err == nil {
			err = a.rollout(ctx, name)
		}
		if !errors.Is(err, errBack) || a.options.API != "" {
			return err
		}
	}
}

func (a *asker) api(ctx context.Context) (string, error) {
	if a.options.API != "" {
		return a.options.API, nil
	}
	regs, err := a.Engine.Registrations(ctx)
	if err != nil {
		return "", err //nolint:wrapcheck // is shown as it is
	}
	items := make([]item, len(regs))
	for i := range regs {
		items[i] = item{regs[i].Name, []string{about(&regs[i])}}
	}
	return a.choose(ctx, "Which API?", items)
}

// rollout goes on with an API.
func (a *asker) rollout(ctx context.Context, name string) error {
	s, err := a.Engine.Load(ctx, name)
	if err != nil {
		return err //nolint:wrapcheck // is shown as it is
	}
	a.outcome.API, a.outcome.Pending = name, s.Pending()
	if s.Pending() {
		a.say("A rollout of %s to %s is pending, for %s.", name, s.Registration.SyncID, strings.Join(s.Registration.CanaryNamespaces, ", "))
		return a.decide(ctx, name, nil)
	}
	for {
		if err := a.start(ctx, s); !errors.Is(err, errBack) {
			return err
		}
		if s, err = a.Engine.Load(ctx, name); err != nil {
			return err //nolint:wrapcheck // is shown as it is
		}
	}
}

// start asks for the canaries, and starts with them.
func (a *asker) start(ctx context.Context, s *rollout.State) error {
	name := s.Registration.Name
	if there, err := a.Engine.Document(ctx, name); err == nil && !there {
		a.say("%s.", upper(withoutDocument))
	}
	a.say("%d namespaces subscribe to %s.", len(s.Tenants), name)
	for {
		answer, err := a.ask(ctx, "Which get a fresh sync id first? Names with commas between, or list:")
		switch {
		case errors.Is(err, errBack) && a.options.API == "":
			return a.again(ctx)
		case err != nil:
			return errLeft
		case answer == "list":
			for i := range s.Tenants {
				a.say("  %s, %s, at %s", s.Tenants[i].Namespace, s.Tenants[i].Reason, short(s.Tenants[i].CurrentSyncID))
			}
			continue
		}
		p, err := s.Start(strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }))
		if err != nil {
			a.say("%s.", said(err))
			continue
		}
		if err := a.carryOut(ctx, p); !errors.Is(err, errBack) {
			return err
		}
	}
}

// again begins anew with another API.
func (a *asker) again(ctx context.Context) error {
	name, err := a.api(ctx)
	if err != nil {
		return err
	}
	return a.rollout(ctx, name)
}

// carryOut says what a plan does, and carries it out if that is meant.
func (a *asker) carryOut(ctx context.Context, p rollout.Plan) error {
	v := p.Preview()
	a.preview(&v)
	if err := a.confirm(ctx, &v); err != nil {
		return err
	}
	reg, err := a.Engine.Apply(ctx, p)
	if err != nil {
		a.outcome.Unknown = errors.Is(err, rollout.ErrNoAnswer)
		if errors.Is(err, catalog.ErrConflict) {
			a.say("%s.", upper(err.Error()))
			return a.rollout(ctx, p.API)
		}
		return err //nolint:wrapcheck // is shown as it is
	}
	a.outcome = Outcome{API: p.API, Wrote: true, Did: p.Action, SyncID: reg.SyncID, Command: p.Command(a.Place), Pending: len(reg.CanaryNamespaces) > 0}
	a.say("%s. Ctrl-C leaves; it goes on.", a.outcome.deed())
	last, err := a.follow(ctx, p.Goal(reg))
	if err != nil || p.Action != rollout.Start {
		return err
	}
	return a.decide(ctx, p.API, last)
}

func (a *asker) preview(v *rollout.Preview) {
	becomes := v.After
	if becomes == "" {
		becomes = "a fresh one, minted by the server"
	}
	a.say("API: %s, at %s.", v.API, a.Where)
	a.say("Its sync id is %s, and becomes %s.", v.Before, becomes)
	a.say("Moves, %s.", rollout.Names(v.Moves))
	a.say("Stays, %s.", rollout.Names(v.Stays))
	if len(v.Idle) > 0 {
		a.say("Not active yet, %s.", rollout.Names(v.Idle))
	}
	for _, note := range v.Notes {
		a.say("Note: %s.", note)
	}
	a.say("The same by hand:")
	a.say("%s", v.Command(a.Place))
	a.say("%s", a.Engine.Curl(v.Plan, a.Place))
}

// confirm asks whether it is meant. Anything but the answer that it takes goes back.
func (a *asker) confirm(ctx context.Context, v *rollout.Preview) error {
	want, question := "yes", "Do it? yes or no:"
	if reason := a.dangerous(v); reason != "" {
		want, question = v.API, fmt.Sprintf("%s. To do it nevertheless, type %s:", upper(reason), v.API)
	}
	answer, err := a.ask(ctx, "%s", question)
	if err != nil {
		return err
	}
	if answer != want && (want != "yes" || answer != "y") {
		a.say("Nothing was sent.")
		return errBack
	}
	return nil
}

// follow says how a goal is being reached, a line for each change.
func (a *asker) follow(ctx context.Context, g rollout.Goal) (*rollout.Progress, error) {
	said := ""
	last, err := a.Engine.Watch(ctx, g, func(p rollout.Progress) error {
		parts := []string{fmt.Sprintf("%d of %d are there", p.There, p.Total)}
		if p.Offline != nil {
			parts[0] = fmt.Sprintf("%v; trying again", p.Offline)
		}
		for i := range p.Behind[:min(len(p.Behind), mostRuns)] {
			parts = append(parts, p.Behind[i].Namespace+": "+why(&p.Behind[i].Row))
		}
		if line := strings.Join(parts, "; "); line != said {
			a.say("%s.", line)
			said = line
		}
		return nil
	})
	if err != nil {
		return &last, err //nolint:wrapcheck // is shown as it is
	}
	w := &watch{goal: g, progress: last, over: true}
	a.outcome.Verdict, a.outcome.Why = last.Verdict, w.verdict()
	a.outcome.Pending = len(last.Now.CanaryNamespaces) > 0
	a.say("%s.", a.outcome.Why)
	return &last, nil
}

// decide asks what becomes of the rollout that is pending. last is how its canaries got on; nil: they were not watched.
func (a *asker) decide(ctx context.Context, name string, last *rollout.Progress) error {
	for last == nil || last.Verdict != rollout.Superseded && last.Verdict != rollout.Gone {
		answer, err := a.ask(ctx, "release, leave it pending, abort, or watch the canaries?")
		switch {
		case errors.Is(err, errBack):
			continue
		case err != nil || answer == "leave":
			return err
		case answer == "watch":
			last, err = a.watch(ctx, name)
		case answer == "release":
			err = a.finish(ctx, name, (*rollout.State).Release)
		case answer == "abort":
			err = a.finish(ctx, name, (*rollout.State).Abort)
		default:
			continue
		}
		if answer != "watch" && !errors.Is(err, errBack) || answer == "watch" && err != nil {
			return err
		}
	}
	return nil
}

// watch says how the canaries that there are get on.
func (a *asker) watch(ctx context.Context, name string) (*rollout.Progress, error) {
	s, err := a.Engine.Load(ctx, name)
	if err != nil {
		return nil, err //nolint:wrapcheck // is shown as it is
	}
	return a.follow(ctx, s.Canary())
}

// finish ends the rollout that there is.
func (a *asker) finish(ctx context.Context, name string, plan func(*rollout.State) (rollout.Plan, error)) error {
	s, err := a.Engine.Load(ctx, name)
	if err != nil {
		return err //nolint:wrapcheck // is shown as it is
	}
	p, err := plan(s)
	if err != nil {
		return err
	}
	return a.carryOut(ctx, p)
}
