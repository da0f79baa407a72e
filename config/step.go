package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// DefaultStepTimeout is the timeout of a step that names none.
const DefaultStepTimeout = 30 * time.Second

// Step is one HTTP call of a pipeline.
type Step struct {
	Name     string // a label for the log; may be empty
	Method   string // in upper case
	Endpoint string // a template; may hold userinfo, so it is not for the log
	Headers  map[string]Header
	Data     any // ready for encoding/json, its strings are templates; nil: no body
	Timeout  time.Duration
	Async    bool
	Outputs  map[string]string // name -> dot path into the answer
	Wait     []Wait
	TLS      TLS
}

// Header is the value of one header, "<Type> <Value>" where Type is given.
type Header struct {
	Type  string
	Value Secret // a literal is a template
}

// Wait is a condition on a step's answer. Values are compared as text.
type Wait struct {
	Key       string // dot path
	Successes []string
	Failures  []string
}

// TLS says how an HTTPS server is verified and which certificate is shown to it.
type TLS struct {
	CAFile             string `mapstructure:"ca_file"`
	CertFile           string `mapstructure:"cert_file"`
	KeyFile            string `mapstructure:"key_file"`
	InsecureSkipVerify bool   `mapstructure:"insecure_skip_verify"`
}

func (d *decoder) modes(v value) map[string][]Step {
	modes := map[string][]Step{}
	d.members(v, "a mapping of mode names to lists of steps", func(name string, child value) {
		if name == "" {
			d.report(child, `"" is not allowed as a mode's name: use any other text`)
		}
		modes[name] = collect(d, child, "a list of steps", d.step)
	})
	return modes
}

func (d *decoder) step(v value) Step {
	s := Step{Timeout: DefaultStepTimeout}
	given := d.object(v, fields{
		"name":     func(v value) { s.Name = d.text(v, anyText()) },
		"method":   func(v value) { s.Method = strings.ToUpper(d.text(v, httpMethod())) },
		"endpoint": func(v value) { s.Endpoint = d.text(v, endpoint()) },
		"headers":  func(v value) { s.Headers = d.headers(v) },
		"data":     func(v value) { s.Data = d.json(v) },
		"timeout":  func(v value) { s.Timeout = d.duration(v, time.Nanosecond) },
		"async":    func(v value) { s.Async = d.boolean(v) },
		"outputs":  func(v value) { s.Outputs = d.outputs(v) },
		"wait":     func(v value) { s.Wait = collect(d, v, "a list of {key, successes, failures}", d.wait) },
		"tls":      func(v value) { s.TLS = d.tls(v) },
	})
	d.require(v, given, "method", "endpoint")
	if s.Async && len(s.Wait) > 0 {
		d.warn(v, "wait is ignored because async is true: nothing waits for an async step")
	}
	return s
}

func (d *decoder) outputs(v value) map[string]string {
	outputs := map[string]string{}
	d.members(v, "a mapping of names to dot paths", func(name string, child value) {
		outputs[name] = d.text(child, filled("a dot path such as .items[0].id"))
	})
	return outputs
}

func (d *decoder) wait(v value) Wait {
	var w Wait
	given := d.object(v, fields{
		"key":       func(v value) { w.Key = d.text(v, filled("a dot path such as .status")) },
		"successes": func(v value) { w.Successes = collect(d, v, "a list of values", d.compared) },
		"failures":  func(v value) { w.Failures = collect(d, v, "a list of values", d.compared) },
	})
	if given["successes"] && len(w.Successes) == 0 {
		d.report(v.child("successes", v.line), "an empty list is not allowed: use at least one value")
	}
	for _, text := range w.Failures {
		if slices.Contains(w.Successes, text) {
			d.report(v, strconv.Quote(text)+" is among both successes and failures: put it in one of them")
		}
	}
	d.require(v, given, "key", "successes")
	return w
}

// compared reads a scalar as the text that an answer's value is compared with.
func (d *decoder) compared(v value) string {
	switch v.node.ShortTag() {
	case tagStr:
		return v.node.Value
	case tagBool:
		return strings.ToLower(v.node.Value)
	case tagInt, tagFloat:
		return d.number(v)
	}
	d.refuse(v, "text, a number, true or false")
	return ""
}

func (d *decoder) tls(v value) TLS {
	var t TLS
	d.object(v, fields{
		"ca_file":              func(v value) { t.CAFile = d.text(v, anyText()) },
		"cert_file":            func(v value) { t.CertFile = d.text(v, anyText()) },
		"key_file":             func(v value) { t.KeyFile = d.text(v, anyText()) },
		"insecure_skip_verify": func(v value) { t.InsecureSkipVerify = d.boolean(v) },
	})
	if (t.CertFile == "") != (t.KeyFile == "") {
		d.report(v, onePair)
	}
	return t
}

func (d *decoder) headers(v value) map[string]Header {
	v.private = true
	headers, written := map[string]Header{}, map[string]string{}
	d.members(v, "a mapping of header names to values", func(name string, child value) {
		if !httpguts.ValidHeaderFieldName(name) {
			d.report(child, "the name is not allowed: use letters, digits and dashes, such as X-Request-Id")
		}
		if other, ok := written[strings.ToLower(name)]; ok {
			d.report(child, "is the same header as "+other+": give it once")
		}
		written[strings.ToLower(name)] = name
		headers[name] = d.header(child)
	})
	return headers
}

func (d *decoder) header(v value) Header {
	if !isMapping(v.node) || hasAny(v.node, fromEnv, fromFile) {
		return Header{Value: d.secret(v, fromEnv, fromFile)}
	}
	var h Header
	given := d.object(v, fields{
		"type":  func(v value) { h.Type = d.text(v, headerType()) },
		"value": func(v value) { h.Value = d.secret(v, fromEnv, fromFile) },
	})
	d.require(v, given, "value")
	return h
}
