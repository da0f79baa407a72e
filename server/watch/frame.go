package watch

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// The events of a stream.
const (
	added    = "added"
	modified = "modified"
	deleted  = "deleted"
	synced   = "synced"
	reset    = "reset"
)

// empty is what an event says that has nothing to say.
const empty = "{}"

// appendEvent appends an event in the form of the HTML standard's event streams. Data are JSON on one line.
func appendEvent(to []byte, event string, id int64, data []byte) []byte {
	to = append(append(to, "event: "...), event...)
	to = strconv.AppendInt(append(to, "\nid: "...), id, 10)
	to = append(append(to, "\ndata: "...), data...)
	return append(to, "\n\n"...)
}

// encode writes an answer as the REST API does.
func encode(value any) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil { // it is made of texts, numbers and times
		return []byte(empty)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
