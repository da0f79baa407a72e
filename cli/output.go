package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
)

// output is how a command shows its result.
type output struct {
	format    formatFlag
	noHeaders bool
	missing   bool // keys that a template names may be missing
}

// addOutput declares the flags of what shows a table unless another format is asked for.
func addOutput(cmd *cobra.Command, o *output) {
	o.format.format = printer.Table
	addFormat(cmd, o, "output format: "+printer.Formats)
	cmd.Flags().BoolVar(&o.noHeaders, "no-headers", false, "leave out the header line of a table")
}

// addDocument declares the flags of what shows a text unless a document is asked for.
func addDocument(cmd *cobra.Command, o *output) {
	o.format.text = true
	addFormat(cmd, o, "output format, instead of a text: "+documents)
}

func addFormat(cmd *cobra.Command, o *output, help string) {
	cmd.Flags().VarP(&o.format, "output", "o", help)
	cmd.Flags().BoolVar(&o.missing, "allow-missing-template-keys", true,
		"show keys that are not there as <no value> in a go-template, and not at all in a jsonpath, instead of failing")
}

// documents are the formats of what else is a text.
const documents = "json, yaml, jsonpath=…, jsonpath-file=FILE, go-template=… or go-template-file=FILE"

// formatFlag is the flag's value. It is checked while flags are parsed, so that a mistake is one of usage.
type formatFlag struct {
	format   printer.Format
	template *printer.Template
	given    bool
	text     bool   // the formats are those of documents
	typed    string // as it was given
}

func (f *formatFlag) String() string {
	if f.typed != "" {
		return f.typed
	}
	return string(f.format)
}

func (f *formatFlag) Type() string { return "FORMAT" }

func (f *formatFlag) Set(s string) error {
	format, template, err := printer.ParseFormat(s)
	if err != nil {
		return err //nolint:wrapcheck // the flag's name is put before it
	}
	switch format {
	case printer.Table, printer.Wide, printer.Name, printer.CustomColumns:
		if f.text {
			return fmt.Errorf("it is for lists, and this is a text: leave -o out, or use %s", documents)
		}
	case printer.JSON, printer.YAML, printer.JSONPath, printer.GoTemplate:
	}
	f.format, f.template, f.typed, f.given = format, template, s, true
	return nil
}

// printer shows documents as the command was asked to.
func (e *env) printer(o output) printer.Printer {
	width, _ := e.streams.OutSize()
	return printer.Printer{
		Out: e.streams.Out, Format: o.format.format, Template: o.format.template, NoHeaders: o.noHeaders, AllowMissing: o.missing,
		Color: e.streams.Color, Terminal: e.streams.OutTTY, Width: width,
	}
}

// show prints a document.
func (e *env) show(o output, resource string, document []byte) error {
	if !json.Valid(document) {
		const shown = 200
		return &failure{code: codeFailed, message: fmt.Sprintf("the answer for %s is not JSON: %.*q", resource, shown, document)}
	}
	if err := e.printer(o).Print(resource, document); err != nil {
		return fmt.Errorf("show %s: %w", resource, err)
	}
	return nil
}

// showWritten says what was done to a thing; a format that was asked for shows the thing instead.
func (e *env) showWritten(o output, resource string, document []byte, done string) error {
	if o.format.given && len(document) > 0 {
		return e.show(o, resource, document)
	}
	return e.say("%s", term.Escape(done))
}

// textOf is a text in a JSON object, or "".
func textOf(document []byte, keys ...string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(document, &object) != nil {
		return ""
	}
	for _, key := range keys {
		var text string
		if json.Unmarshal(object[key], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
