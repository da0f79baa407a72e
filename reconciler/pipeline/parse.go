package pipeline

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

const (
	defaultTimeout     = 30 * time.Second
	defaultAck         = 2 * time.Second
	defaultPoll        = 5 * time.Second
	defaultBackground  = 120
	defaultIdlePerHost = 30
)

const idempotencyKey = "Idempotency-Key"

// step is a parsed Step.
type step struct {
	index        int
	name, method string
	endpoint     *text
	headers      []header
	data         node // nil: no body
	timeout      time.Duration
	async        bool
	outputs      []output
	wait         []condition
	tls          TLS
}

// header is a header whose value is a template, or comes from elsewhere and is then a secret.
type header struct {
	name, prefix string
	text         *text
	from         func(env) (string, error)
}

type output struct {
	name string
	path path
}

type condition struct {
	key                 string
	path                path
	successes, failures []string
}

// Parse reads all modes. Its error joins one for every mistake: a [*FieldError] for those inside a step. A field or an
// output that a template names and that cannot be there is no mistake of this kind: see [Pipelines.Warnings].
func Parse(modes map[string][]Step, opts Options) (*Pipelines, error) {
	opts = opts.withDefaults()
	hosts, err := parseOutputHosts(opts.OutputHosts)
	p := &Pipelines{
		modes:      make(map[string][]*step, len(modes)),
		hosts:      hosts,
		clients:    newClients(opts.MaxIdlePerHost),
		background: newBackground(opts.MaxBackground),
		tallies:    newTallies(),
		views:      make(map[string][]StepView, len(modes)),
		opts:       opts,
	}
	errs := []error{err}
	for _, mode := range slices.Sorted(maps.Keys(modes)) {
		declared := outputNames{first: true}
		for i, s := range modes[mode] {
			parser := &stepParser{mode: mode, index: i, in: s, declared: declared}
			p.modes[mode] = append(p.modes[mode], parser.parse(p.clients))
			errs = append(errs, parser.errs...)
			p.warnings = append(p.warnings, parser.warnings...)
			p.views[mode] = append(p.views[mode], describe(p.modes[mode][i], s))
			declared = outputNames{names: slices.Sorted(maps.Keys(s.Outputs))}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return p, nil
}

func (o Options) withDefaults() Options {
	if o.AsyncAckTimeout <= 0 {
		o.AsyncAckTimeout = defaultAck
	}
	if o.WaitPollInterval <= 0 {
		o.WaitPollInterval = defaultPoll
	}
	if o.MaxBackground <= 0 {
		o.MaxBackground = defaultBackground
	}
	if o.MaxIdlePerHost <= 0 {
		o.MaxIdlePerHost = defaultIdlePerHost
	}
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	return o
}

// stepParser parses one step and collects its mistakes.
type stepParser struct {
	mode     string
	index    int
	in       Step
	declared outputNames
	errs     []error
	warnings []error
}

func (p *stepParser) report(field string, err error) { p.errs = append(p.errs, p.at(field, err)) }

func (p *stepParser) at(field string, err error) error {
	return &FieldError{Mode: p.mode, Step: p.index, Name: p.in.Name, Field: field, Err: err}
}

func (p *stepParser) parse(clients *clients) *step {
	s := &step{
		index: p.index, name: p.in.Name, method: p.method(), timeout: p.timeout(), async: p.in.Async,
		endpoint: p.text(fieldEndpoint, p.in.Endpoint), headers: p.headers(), outputs: p.outputs(), tls: p.in.TLS,
	}
	if p.in.Data != nil {
		s.data = dataCompiler{p.text, p.report}.compile("data", p.in.Data)
	}
	for i, c := range p.in.Wait {
		s.wait = append(s.wait, p.condition(fmt.Sprintf("wait[%d]", i), c))
	}
	if s.endpoint != nil && !strings.Contains(s.endpoint.literal, "{{") {
		p.literalEndpoint(s.endpoint)
	}
	if _, err := clients.get(s.tls); err != nil {
		p.report("tls", err)
	}
	return s
}

func (p *stepParser) method() string {
	method := strings.ToUpper(p.in.Method)
	switch method {
	case "GET", "POST", "PUT", "PATCH", "DELETE":
	case "HEAD", "OPTIONS":
		if p.in.Data != nil {
			p.report("data", fmt.Errorf("a %s request has no body", method))
		}
	default:
		p.report("method", fmt.Errorf("%q is not allowed: use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS", p.in.Method))
	}
	return method
}

func (p *stepParser) timeout() time.Duration {
	if p.in.Timeout < 0 {
		p.report("timeout", errors.New("is negative: leave it out for 30s"))
	}
	if p.in.Timeout == 0 {
		return defaultTimeout
	}
	return p.in.Timeout
}

func (p *stepParser) text(field, source string) *text {
	t, err := compileText(field, source, p.declared)
	if err != nil {
		p.report(field, err)
		return nil
	}
	if t.unknown != "" {
		p.warnings = append(p.warnings, p.at(field, plainError(t.unknown)))
	}
	return t
}

// literalEndpoint checks an endpoint without templates, which can be known to be wrong now.
func (p *stepParser) literalEndpoint(t *text) {
	b, err := buildEndpoint([]span{{text: t.literal}}, masked)
	if err == nil {
		_, err = b.parse()
	}
	if err != nil {
		p.report(fieldEndpoint, errors.New("is not an absolute http or https URL"))
	}
}

func (p *stepParser) headers() []header {
	var headers []header
	given := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(p.in.Headers)) {
		h, field := p.in.Headers[name], "headers."+name
		if !httpguts.ValidHeaderFieldName(name) {
			p.report(field, errors.New("is not a header's name: use letters, digits and dashes"))
		}
		if lower := strings.ToLower(name); given[lower] {
			p.report(field, errors.New("is given twice: upper and lower case make no difference"))
		} else {
			given[lower] = true
		}
		headers = append(headers, p.header(name, field, h))
	}
	return headers
}

func (p *stepParser) header(name, field string, h Header) header {
	parsed := header{name: name, from: h.Value.from}
	if h.Type != "" {
		parsed.prefix = h.Type + " "
		if strings.Contains(h.Type, "{{") || !httpguts.ValidHeaderFieldValue(h.Type) {
			p.report(field+".type", errors.New("is a word such as Bearer, not a template"))
		}
	}
	if h.Value.from == nil {
		parsed.text = p.text(field, h.Value.literal.reveal())
	}
	return parsed
}

func (p *stepParser) outputs() []output {
	var outputs []output
	for _, name := range slices.Sorted(maps.Keys(p.in.Outputs)) {
		parsed, err := parsePath(p.in.Outputs[name])
		if err != nil {
			p.report("outputs."+name, fmt.Errorf("%q %w", p.in.Outputs[name], err))
		}
		outputs = append(outputs, output{name, parsed})
	}
	return outputs
}

func (p *stepParser) condition(field string, c Condition) condition {
	parsed, err := parsePath(c.Key)
	if err != nil {
		p.report(field+".key", fmt.Errorf("%q %w", c.Key, err))
	}
	if len(c.Successes) == 0 {
		p.report(field+".successes", errors.New("is empty: give at least one value"))
	}
	for _, value := range c.Successes {
		if slices.Contains(c.Failures, value) {
			p.report(field, fmt.Errorf("%q is both a success and a failure", value))
		}
	}
	return condition{key: c.Key, path: parsed, successes: c.Successes, failures: c.Failures}
}
