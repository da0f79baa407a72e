package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"kayra/server/api"
)

// Limits on a body.
const (
	maxBody   = 1 << 20 // bytes
	maxErrors = 20      // fields that a problem speaks of
	maxKeys   = 1_000   // of one object
	maxItems  = 10_000  // of one array
)

// object is a JSON object from a body. Each key is read by one call; what is wrong with it is collected, and what was not
// read is refused by end.
type object struct {
	at     string // JSON pointer to the object
	values map[string]json.RawMessage
	wrong  []api.FieldError

	ignored bool // some key was there that a client cannot set
}

// readObject reads the body of a request, which is one JSON object.
func readObject(w http.ResponseWriter, r *http.Request) (*object, error) {
	if err := checkMediaType(r); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes: send less", maxBody)
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body did not arrive whole: send it again")
	case len(bytes.TrimSpace(data)) == 0:
		return nil, refuse(http.StatusBadRequest, "the body is empty: send a JSON object, {} at least")
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return nil, refuse(http.StatusBadRequest, "the body begins with a byte order mark: send UTF-8 without one")
	case !utf8.Valid(data):
		return nil, refuse(http.StatusBadRequest, "the body is not UTF-8")
	}
	return parseObject("", data)
}

// checkMediaType refuses a body that says it is not JSON. A merge patch (RFC 7396) is what PUT and PATCH take.
func checkMediaType(r *http.Request) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return refuse(http.StatusUnsupportedMediaType, "the body is sent in the coding %q: send it as it is", clip(coding))
	}
	given := r.Header.Get("Content-Type")
	if given == "" {
		return nil
	}
	mediaType, params, err := mime.ParseMediaType(given)
	charset, has := params["charset"]
	merges := r.Method == http.MethodPatch || r.Method == http.MethodPut
	isJSON := mediaType == jsonType || merges && mediaType == "application/merge-patch+json"
	if err == nil && isJSON && (!has || strings.EqualFold(charset, "utf-8")) {
		return nil
	}
	return refuse(http.StatusUnsupportedMediaType, "the body is sent as %q: send JSON, as application/json", clip(given))
}

// parseObject takes an object apart into its keys. A key that is there twice is refused: which of the two is meant cannot
// be told.
func parseObject(at string, data []byte) (*object, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		if err == nil || json.Valid(data) {
			return nil, refuse(http.StatusBadRequest, "the body is %s: send a JSON object", kindOf(data))
		}
		return nil, notJSON(err)
	}
	o := &object{at: at, values: map[string]json.RawMessage{}}
	for n := 0; d.More(); n++ {
		if n == maxKeys {
			return nil, refuse(http.StatusBadRequest, "the body has an object of more than %d keys: send fewer", maxKeys)
		}
		token, err := d.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, notJSON(err)
		}
		key, _ := token.(string)
		if _, twice := o.values[key]; twice {
			o.refuse(key, "is there twice")
		}
		o.values[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, refuse(http.StatusBadRequest, "the body goes on after the JSON object: send one object alone")
	}
	return o, nil
}

func notJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse(http.StatusBadRequest, "the body is not JSON: it ends too early")
	}
	return refuse(http.StatusBadRequest, "the body is not JSON: %s", clip(err.Error()))
}

// refuse says what is wrong with the value of a key.
func (o *object) refuse(key, format string, args ...any) {
	key = strings.ReplaceAll(clip(key), "~", "~0")
	o.refuseAt(o.at+"/"+strings.ReplaceAll(key, "/", "~1"), format, args...)
}

// refuseAt keeps what a problem has room for: a body can be wrong in a hundred thousand places.
func (o *object) refuseAt(pointer, format string, args ...any) {
	if len(o.wrong) >= maxErrors {
		return
	}
	o.wrong = append(o.wrong, api.FieldError{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}

// take is the value of a key, which counts as read.
func (o *object) take(key string) (json.RawMessage, bool) {
	value, ok := o.values[key]
	delete(o.values, key)
	return value, ok
}

// ignore takes the keys, whatever they hold.
func (o *object) ignore(keys ...string) {
	for _, key := range keys {
		_, there := o.take(key)
		o.ignored = o.ignored || there
	}
}

// end refuses the object if anything was wrong with it or was left unread.
func (o *object) end() error {
	o.refuseRest()
	if len(o.wrong) == 0 {
		return nil
	}
	return &refusal{
		status: http.StatusBadRequest, detail: "the body has fields that are wrong; nothing was changed",
		fields: o.wrong[:min(len(o.wrong), maxErrors)],
	}
}

func (o *object) refuseRest() {
	rest := make([]string, 0, len(o.values))
	for key := range o.values {
		rest = append(rest, key)
	}
	slices.Sort(rest)
	for _, key := range rest {
		o.refuse(key, "is not a key that is known here: leave %q out", clip(key))
	}
}
