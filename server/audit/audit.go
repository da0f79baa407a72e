// Package audit keeps the lines of a server's audit. They are written in their order, one at a time, by a goroutine of
// its own: whoever has something to say never waits for the disk.
package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
)

// maxWaiting bounds the lines that wait to be written.
const maxWaiting = 4096

// ErrFull is wrapped when a line was dropped since too many wait to be written already.
var ErrFull = errors.New("too many lines of the audit wait to be written")

// Options say where the lines go: to the file at Path, or else to Writer.
type Options struct {
	Path     string // appended to, and made with mode 0600; it is opened anew once it was renamed or removed
	Writer   io.Writer
	Logger   *slog.Logger          // is told of lines that could not be written; nil: nobody is
	Registry prometheus.Registerer // gets kayra_audit_failures_total; nil: nobody counts
}

// Log is an audit that is open.
type Log struct {
	to       io.Writer
	file     *file // nil: to is none of ours
	log      *slog.Logger
	failures prometheus.Counter
	lines    chan []byte
	closing  chan struct{}
	ended    chan struct{}
}

// Open opens an audit, to be closed by Close. It fails where nothing could be written.
func Open(o Options) (*Log, error) {
	l := &Log{
		to: o.Writer, log: o.Logger, lines: make(chan []byte, maxWaiting),
		closing: make(chan struct{}), ended: make(chan struct{}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "kayra_audit_failures_total", Help: "Lines of the audit that could not be written.",
		}),
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	if o.Registry != nil {
		if err := o.Registry.Register(l.failures); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	if o.Path != "" {
		l.file = &file{path: o.Path}
		if err := l.file.open(); err != nil {
			return nil, err
		}
		l.to = l.file
	}
	go l.run()
	return l, nil
}

// Logger writes lines of JSON to the audit.
func (l *Log) Logger() *slog.Logger { return slog.New(slog.NewJSONHandler((*queue)(l), nil)) }

// Close writes what still waits, if that is done before ctx ends, and closes the file.
func (l *Log) Close(ctx context.Context) error {
	close(l.closing)
	select {
	case <-l.ended:
	case <-ctx.Done():
		return fmt.Errorf("close audit: %d lines were not written: %w", len(l.lines), ctx.Err())
	}
	if l.file == nil {
		return nil
	}
	return l.file.close()
}

func (l *Log) run() {
	defer close(l.ended)
	for {
		select {
		case line := <-l.lines:
			l.write(line)
		case <-l.closing:
			for len(l.lines) > 0 {
				l.write(<-l.lines)
			}
			return
		}
	}
}

func (l *Log) write(line []byte) {
	if _, err := l.to.Write(line); err != nil {
		l.failures.Inc()
		l.log.LogAttrs(context.Background(), slog.LevelError, "audit line not written", slog.Any("error", err))
	}
}

// queue takes lines in.
type queue Log

func (q *queue) Write(line []byte) (int, error) {
	select {
	case q.lines <- bytes.Clone(line):
		return len(line), nil
	default:
		q.failures.Inc()
		return 0, ErrFull
	}
}
