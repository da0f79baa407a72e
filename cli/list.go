package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// page is a part of a list, its items left as they are.
type page struct {
	Items    []json.RawMessage `json:"items"`
	Continue string            `json:"continue,omitempty"`
}

// readPage tells a list from other answers, which an app may give.
func readPage(answer []byte) (page, bool) {
	var p page
	err := json.Unmarshal(answer, &p)
	return p, err == nil && p.Items != nil
}

// list reads the pages of a list and joins them. An answer that is no list is given as it is.
func (g *get) list(ctx context.Context, r *route) ([]byte, error) {
	all := page{Items: []json.RawMessage{}}
	query := g.sent(r)
	most := g.limit
	if g.narrows() {
		most = 0 // those that are shown are found among all
	}
	for {
		setOrDelete(query, "limit", max(0, most-len(all.Items)))
		if all.Continue != "" {
			query.Set("continue", all.Continue)
		}
		answer, err := r.call(ctx, http.MethodGet, query.Encode(), nil)
		if err != nil {
			return nil, err
		}
		next, ok := readPage(answer)
		if !ok {
			return answer, nil
		}
		if next.Continue != "" && next.Continue == all.Continue {
			return nil, fmt.Errorf("list %s: the server gives the same page again and again", r.resource)
		}
		all.Items, all.Continue = append(all.Items, next.Items...), next.Continue
		if all.Continue == "" || most > 0 && len(all.Items) >= most {
			return encode(all)
		}
	}
}

func setOrDelete(query url.Values, key string, n int) {
	if n == 0 {
		query.Del(key)
		return
	}
	query.Set(key, strconv.Itoa(n))
}

// encode leaves text as it was; json.Marshal would escape what HTML needs escaped.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("join pages: %w", err)
	}
	return b.Bytes(), nil
}

// withList gives a JSON object with another list under a key. Its other keys keep their order and their values.
func withList(object []byte, key string, list []json.RawMessage) ([]byte, error) {
	if list == nil {
		list = []json.RawMessage{}
	}
	encoded, err := encode(list)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	out := []byte("{")
	_, err = dec.Token() // the opening brace
	for err == nil && dec.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = dec.Token(); err == nil {
			err = dec.Decode(&value)
		}
		if name == key {
			value = encoded
		}
		quoted, _ := json.Marshal(name) //nolint:errchkjson // a text
		out = append(append(append(append(out, quoted...), ':'), value...), ',')
	}
	if err != nil {
		return nil, fmt.Errorf("read list: %w", err)
	}
	return append(bytes.TrimSuffix(out, []byte(",")), '}'), nil
}
