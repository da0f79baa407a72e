package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"kayra/cli/manifest"
	"kayra/cli/printer"
	"kayra/cli/term"
)

// mark is what is put behind what was not done.
func (d *dryRun) mark() string {
	switch *d {
	case dryClient:
		return " (dry run)"
	case dryServer:
		return " (server dry run)"
	case dryNone, "":
	}
	return ""
}

// only tells that nothing is to be written.
func (d *dryRun) only() bool { return d.mark() != "" }

// applied is what became of a document.
type applied struct {
	manifest.Document

	done    action
	object  []byte // as it is then
	err     error
	failure *failure // what err means, or nil
}

// resultJSON is a result for programs.
type resultJSON struct {
	File      string          `json:"file"`
	Document  int             `json:"document"`
	Line      int             `json:"line"`
	Resource  string          `json:"resource"`
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name"`
	Result    string          `json:"result"` // created, configured, unchanged or failed
	DryRun    string          `json:"dry_run,omitempty"`
	Object    json.RawMessage `json:"object,omitempty"`
	Error     *errorJSON      `json:"error,omitempty"`
}

type errorJSON struct {
	Code    int    `json:"code"`
	Status  int    `json:"status,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// end shows the results, where a format is given for that, and is the failure of those that have failed.
func (a *apply) end(e *env, results []applied) error {
	if a.format.given {
		if err := a.showAll(e, results); err != nil {
			return err
		}
	}
	var failures []*failure
	var texts []string
	for _, r := range results {
		if r.failure != nil {
			failures, texts = append(failures, r.failure), append(texts, failed(r.Document, r.failure))
		}
	}
	if len(failures) == 0 {
		return nil
	}
	return &failure{
		code: codeOf(failures), silent: a.format.format != printer.JSON,
		message: fmt.Sprintf("%d of %d documents failed: %s", len(failures), len(results), strings.Join(texts, "; ")),
	}
}

// codeOf is the code that all of the failures have, or that of a failure.
func codeOf(failures []*failure) code {
	for _, f := range failures {
		if f.code != failures[0].code {
			return codeFailed
		}
	}
	return failures[0].code
}

func (a *apply) showAll(e *env, results []applied) error {
	if a.format.format == printer.Name {
		for _, r := range results {
			if r.failure != nil {
				continue
			}
			if err := e.say("%s", term.Escape(r.Resource+"/"+r.Name)); err != nil {
				return err
			}
		}
		return nil
	}
	items := make([]resultJSON, 0, len(results))
	for _, r := range results {
		items = append(items, a.result(e, r))
	}
	document, err := encode(map[string]any{"items": items})
	if err != nil {
		return err
	}
	return e.show(a.output, "apply", document)
}

func (a *apply) result(e *env, r applied) resultJSON {
	out := resultJSON{
		File: r.File, Document: r.Number, Line: r.Line, Resource: r.Resource, Namespace: r.Namespace, Name: r.Name,
		Result: string(r.done),
	}
	if a.dryRun.only() {
		out.DryRun = string(a.dryRun)
	}
	if r.failure != nil {
		f := r.failure
		out.Result = "failed"
		out.Error = &errorJSON{int(f.code), f.status, f.code.reason(), masked(f.message, e.secret), masked(f.hint, e.secret)}
	} else if json.Valid(r.object) {
		out.Object = r.object
	}
	return out
}
