package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kayra/cli/printer"
	"kayra/server/client"
)

// records writes something of each change, in a format that is no table.
type records struct {
	printer  printer.Printer
	resource string
}

func (r *records) begin(all []json.RawMessage, _ []byte) error {
	for _, thing := range all {
		if err := r.change(client.Added, thing); err != nil {
			return err
		}
	}
	return nil
}

func (r *records) change(event client.EventType, thing json.RawMessage) error {
	text, err := r.printer.Event(r.resource, string(event), thing)
	if err != nil {
		return fmt.Errorf("show change: %w", err)
	}
	return write(r.printer.Out, text)
}

func (r *records) settle([]byte) error { return nil }
func (r *records) aside(tell func())   { tell() }

// appended writes a row of a table for each change.
type appended struct {
	printer  printer.Printer
	resource string
	series   *printer.Series
	head     []byte
}

func (a *appended) begin(all []json.RawMessage, head []byte) error {
	a.head = head
	return a.append(client.Added, all)
}

func (a *appended) change(event client.EventType, thing json.RawMessage) error {
	return a.append(event, []json.RawMessage{thing})
}

func (a *appended) settle(head []byte) error {
	a.head = head
	return nil
}

func (a *appended) aside(tell func()) { tell() }

func (a *appended) append(event client.EventType, things []json.RawMessage) error {
	document, err := listOf(a.resource, a.head, things)
	if err != nil {
		return err
	}
	lines, err := a.series.Append(a.printer, string(event), document)
	if err != nil {
		return fmt.Errorf("show change: %w", err)
	}
	return write(a.printer.Out, strings.Join(lines, ""))
}

func write(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// listOf is a document with some of the things of a list, or of a status of which the head is known.
func listOf(resource string, head []byte, things []json.RawMessage) ([]byte, error) {
	if things == nil {
		things = []json.RawMessage{}
	}
	if !strings.HasSuffix(resource, "/status") {
		return encode(page{Items: things})
	}
	document := map[string]json.RawMessage{}
	if len(head) > 0 {
		if err := json.Unmarshal(head, &document); err != nil {
			return nil, fmt.Errorf("read status: %w", err)
		}
	}
	var err error
	if document["subscriptions"], err = encode(things); err != nil {
		return nil, err
	}
	return encode(document)
}
