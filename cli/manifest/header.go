package manifest

import (
	"errors"
	"fmt"
	"strings"
)

// Header says which thing a document is about.
type Header struct {
	Group     string // of the API, short or long
	Resource  string // as it was named: the resource, or one of it
	Namespace string // "": none is named
	Name      string
	Own       *Kind // one of Kayra's own kinds; nil: a resource of an app
}

// The keys of a document that say what it is.
const (
	keyAPI      = "apiVersion"
	keyKind     = "kind"
	keyResource = "resource" // of an app whose things have a kind of their own
)

// identify finds out what the objects of a file are about.
func identify(file string, found []raw) ([]Document, error) {
	documents := make([]Document, 0, len(found))
	var wrong []error
	for i, f := range found {
		at := Place{File: file, Number: i + 1, Line: f.line}
		header, body, err := read(f.Object)
		if err != nil {
			wrong = append(wrong, &Error{Place: at, Text: err.Error()})
			continue
		}
		documents = append(documents, Document{Place: at, Header: header, Body: body})
	}
	return documents, errors.Join(wrong...)
}

// read takes the header off an object.
func read(o Object) (Header, Object, error) {
	group, err := group(o)
	if err != nil {
		return Header{}, nil, err
	}
	if o.Has(keyKind) {
		if _, ok := o.text(keyKind); !ok {
			return Header{}, nil, errors.New("kind is no text: it is such as ApiRegistration")
		}
	}
	short, _, _ := strings.Cut(group, ".")
	kind, own := ownKind(o, short)
	switch {
	case own && (group == "" || kind.Group == short):
		return ownHeader(o, kind, group)
	case group == "":
		return Header{}, nil, unknownKind(o)
	}
	return appHeader(o, group)
}

// group is what apiVersion names, or "".
func group(o Object) (string, error) {
	if !o.Has(keyAPI) {
		return "", nil
	}
	text, _ := o.text(keyAPI)
	group, version, versioned := strings.Cut(text, "/")
	if group == "" || versioned && version != "v1" {
		return "", fmt.Errorf("apiVersion %q is none: it is the name of an API and its version, such as compute.example.com/v1", clip(text))
	}
	return group, nil
}

// ownKind is one of Kayra's kinds that the object is of, as it says, or as its keys show.
func ownKind(o Object, group string) (Kind, bool) {
	if text, ok := o.text(keyKind); ok {
		return named(text)
	}
	if group != "" || o.Has(keyKind) {
		return Kind{}, false
	}
	return infer(o)
}

func unknownKind(o Object) error {
	if text, ok := o.text(keyKind); ok {
		return fmt.Errorf("kind %q is none of Kayra's own, which are %s; a thing of an app says apiVersion, too, such as compute.example.com/v1",
			clip(text), kindNames())
	}
	return fmt.Errorf("does not say what it is: kind is missing, one of %s", kindNames())
}

// ownHeader is that of one of Kayra's own things.
func ownHeader(o Object, kind Kind, group string) (Header, Object, error) {
	body := o.Without(keyAPI, keyKind)
	for _, key := range []string{"metadata", "spec"} {
		if body.Has(key) {
			return Header{}, nil, fmt.Errorf("%s is no key of %s: all keys stand beside kind", key, kind.Name)
		}
	}
	if group == "" {
		group = kind.Group
	}
	h := Header{Group: group, Resource: kind.Resource, Own: &kind}
	var err error
	if h.Name, err = name(body, kind.Key); err != nil {
		return h, nil, err
	}
	if kind.Resource == "subscriptions" {
		h.Namespace, err = namespace(body)
	}
	return h, body, err
}

// appHeader is that of a thing of an app. What the app itself knows of is left in the body.
func appHeader(o Object, group string) (Header, Object, error) {
	key := keyKind
	if o.Has(keyResource) {
		key = keyResource
	}
	resource, ok := o.text(key)
	if !ok || strings.Contains(resource, "/") {
		return Header{}, nil, fmt.Errorf("does not say what of %s it is: kind is missing, such as machines", group)
	}
	body := o.Without(keyAPI, key, "namespace")
	h := Header{Group: group, Resource: strings.ToLower(resource)}
	var err error
	if h.Namespace, err = namespace(o); err != nil {
		return h, nil, err
	}
	for _, key := range []string{"name", "id"} {
		if body.Has(key) {
			h.Name, err = name(body, key)
			return h, body, err
		}
	}
	return h, nil, errors.New("does not say which one it is: name is missing")
}

// name is what stands under the key that names a thing.
func name(o Object, key string) (string, error) {
	text, ok := o.text(key)
	switch {
	case !o.Has(key):
		return "", fmt.Errorf("does not say which one it is: %s is missing", key)
	case !ok:
		return "", fmt.Errorf("%s is no name, but %s: put it into quotes", key, clip(string(o.Get(key))))
	case text == "." || text == "..":
		return "", fmt.Errorf("%s %q is no name", key, text)
	}
	return text, nil
}

// namespace is the one that the object names, or "".
func namespace(o Object) (string, error) {
	if v := string(o.Get("namespace")); v == "" || v == "null" || v == `""` {
		return "", nil
	}
	return name(o, "namespace")
}
