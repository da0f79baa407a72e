package pipeline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

// text is a string of the configuration: a literal, or a template that was parsed and checked.
type text struct {
	field   string
	literal string
	tmpl    *template.Template // nil: a literal
	unknown string             // says what the template names although it cannot be there; it is not rendered then
}

// renderError says which field could not be rendered. Its text holds nothing secret.
type renderError struct{ field, why string }

func (e *renderError) Error() string { return e.field + ": " + e.why }

// dialect is what the template of a field may use beside text/template's own functions.
func dialect(field string) template.FuncMap {
	read := func(string) (string, error) { return "", nil } // the checker puts the scope's own methods in their place
	funcs := template.FuncMap{"env": read, "file": read, "index": index}
	if field == fieldEndpoint {
		funcs["urlquery"] = fmt.Sprint // every value in an endpoint is escaped, once
	}
	return funcs
}

// index is text/template's, except that a missing key is an error.
func index(from any, keys ...any) (string, error) {
	outputs, ok := from.(map[string]string)
	if !ok || len(keys) != 1 {
		return "", plainError("index takes .Previous.Outputs and one name")
	}
	name := fmt.Sprint(keys[0])
	value, ok := outputs[name]
	if !ok {
		return "", missingOutput(name)
	}
	return value, nil
}

func missingOutput(name string) plainError {
	return plainError(fmt.Sprintf("the step before gave no output %q (.Previous.Outputs.%s)", name, name))
}

// compileText parses a field's template and has it checked against the outputs that the step before declares.
func compileText(field, source string, declared outputNames) (*text, error) {
	t := &text{field: field, literal: source}
	if !strings.Contains(source, "{{") {
		return t, nil
	}
	tmpl, err := template.New("t").Option("missingkey=error").Funcs(dialect(field)).Parse(source)
	if err != nil {
		return nil, plainError("line " + strings.TrimPrefix(err.Error(), "template: t:"))
	}
	if len(tmpl.Templates()) > 1 {
		return nil, errNested
	}
	if tmpl.Tree == nil || tmpl.Root == nil {
		return t, nil
	}
	t.tmpl = tmpl
	unknown, refused := check(tmpl.Root, declared)
	if len(refused) > 0 {
		return nil, plainError(strings.Join(refused, "; "))
	}
	t.unknown = strings.Join(unknown, "; ")
	return t, nil
}

// render gives what the text produces from what sc holds; beside an error, as much as it had produced.
func (t *text) render(sc *scope) ([]span, error) {
	if t.tmpl == nil {
		return []span{{text: t.literal}}, nil
	}
	if t.unknown != "" {
		return nil, &renderError{t.field, t.unknown}
	}
	err := t.tmpl.Execute(sc, sc)
	spans := sc.take()
	if err != nil {
		return spans, &renderError{t.field, explain(err)}
	}
	return spans, nil
}

// explain says what went wrong in a template without the values that text/template puts into some of its messages.
func explain(err error) string {
	if known, ok := errors.AsType[plainError](err); ok {
		return known.Error()
	}
	message := err.Error()
	if _, key, ok := strings.Cut(message, "map has no entry for key "); ok {
		if name, err := strconv.Unquote(key); err == nil {
			return missingOutput(name).Error()
		}
	}
	if _, call, ok := strings.Cut(message, "error calling "); ok {
		name, _, _ := strings.Cut(call, ":")
		return fmt.Sprintf("the function %s cannot take these values", name)
	}
	return "the template does not fit its values"
}
