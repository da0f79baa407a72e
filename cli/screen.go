package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"kayra/cli/printer"
	"kayra/cli/rows"
	"kayra/cli/term"
	"kayra/server/client"
)

// redrawPause is the least time between two times that the screen is drawn: what changes more often is drawn together.
const redrawPause = 100 * time.Millisecond

// screen is a table at a terminal that is drawn again where it is.
type screen struct {
	env      *env
	output   output
	order    orderFlag
	resource string
	byPlace  bool // what lives in namespaces is ordered by them first
	dirty    chan struct{}

	mu     sync.Mutex // over what follows, and over what is on the screen
	region term.Region
	series *printer.Series
	rows   map[string]*drawn // by identity
	head   []byte
}

// drawn is a thing with what it is ordered by.
type drawn struct {
	thing json.RawMessage
	by    string // a text of --sort-by, or ""
	place [3]string
}

func newScreen(e *env, g *get, resource string) *screen {
	return &screen{
		env: e, output: g.output, order: g.order, resource: resource, byPlace: keysOf(resource) == nil, dirty: make(chan struct{}, 1),
		region: term.Region{Out: e.streams.Out}, series: printer.NewSeries(resource), rows: map[string]*drawn{},
	}
}

// begin implements [view].
func (s *screen) begin(all []json.RawMessage, head []byte) error {
	for _, thing := range all {
		if err := s.change(client.Added, thing); err != nil {
			return err
		}
	}
	return s.settle(head)
}

// change implements [view].
func (s *screen) change(event client.EventType, thing json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := client.Identity(thing)
	if event == client.Deleted {
		delete(s.rows, id)
	} else {
		s.rows[id] = s.placed(thing)
	}
	s.touch()
	return nil
}

// settle implements [view].
func (s *screen) settle(head []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head = head
	s.touch()
	return nil
}

// aside implements [view].
func (s *screen) aside(tell func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.region.Clear(s.size()) // drawing fails, too
	tell()
	s.touch()
}

func (s *screen) touch() {
	select {
	case s.dirty <- struct{}{}:
	default: // it is to be drawn already
	}
}

// placed is a thing with what it is ordered by.
func (s *screen) placed(thing json.RawMessage) *drawn {
	var is struct{ Name, Namespace, API string }
	_ = json.Unmarshal(thing, &is) // an app may have others
	d := &drawn{thing: thing, place: [3]string{is.API, is.Name, is.Namespace}}
	if s.byPlace {
		d.place = [3]string{is.Namespace, is.Name}
	}
	if s.order.by != "" {
		d.by = s.order.texts(s.resource, []json.RawMessage{thing})[0]
	}
	return d
}

// run draws until ctx ends. It is the last one that does.
func (s *screen) run(ctx context.Context) error {
	resized, stop := term.Resizes()
	defer stop()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.dirty:
		case <-resized:
		}
		select { // until it may be drawn again
		case <-ctx.Done():
			return nil
		case <-pause.C:
		}
		if err := s.draw(); err != nil {
			return err
		}
		pause.Reset(redrawPause)
	}
}

// size is that of the terminal, or what most had when it does not say.
func (s *screen) size() (width, height int) {
	const usualWidth, usualHeight = 80, 24
	width, height = s.env.streams.OutSize()
	if width <= 0 || height <= 0 {
		return usualWidth, usualHeight
	}
	return width, height
}

func (s *screen) draw() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	width, height := s.size()
	p := s.env.printer(s.output)
	p.Width = width
	shown, more := s.fitting(height)
	document, err := listOf(s.resource, s.head, shown)
	if err != nil {
		return err
	}
	lines, err := s.series.Table(p, document)
	if err != nil {
		return fmt.Errorf("show %s: %w", s.resource, err)
	}
	if more > 0 {
		lines = append(lines, term.Cut(fmt.Sprintf("… and %d more", more), width)+"\n")
	}
	return s.region.Draw(lines, width, height) //nolint:wrapcheck // says it all
}

// fitting are the rows that there is room for, in their order, and how many more there are.
func (s *screen) fitting(height int) (shown []json.RawMessage, more int) {
	const besides = 2 // the header, and the line of the cursor
	all := make([]*drawn, 0, len(s.rows))
	for _, d := range s.rows {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *drawn) int { return slices.Compare(a.place[:], b.place[:]) })
	if s.order.by != "" {
		texts := make([]string, len(all))
		for i, d := range all {
			texts[i] = d.by
		}
		rows.Sort(all, texts, s.order.descending)
	}
	if room := max(1, height-besides); len(all) > room {
		room = max(1, room-1)
		more, all = len(all)-room, all[:room]
	}
	for _, d := range all {
		shown = append(shown, d.thing)
	}
	return shown, more
}
