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
}

func addOutput(cmd *cobra.Command, o *output) {
	o.format.format = printer.Table
	cmd.Flags().VarP(&o.format, "output", "o", "output format: table, wide, json, yaml or name")
	cmd.Flags().BoolVar(&o.noHeaders, "no-headers", false, "leave out the header line of a table")
}

// formatFlag is the flag's value. It is checked while flags are parsed, so that a mistake is one of usage.
type formatFlag struct {
	format printer.Format
	given  bool
}

func (f *formatFlag) String() string { return string(f.format) }
func (f *formatFlag) Type() string   { return "FORMAT" }

func (f *formatFlag) Set(s string) (err error) {
	f.format, err = printer.ParseFormat(s)
	f.given = true
	return err //nolint:wrapcheck // the flag's name is put before it
}

// show prints a document.
func (e *env) show(o output, resource string, document []byte) error {
	if !json.Valid(document) {
		const shown = 200
		return &failure{code: codeFailed, message: fmt.Sprintf("the answer for %s is not JSON: %.*q", resource, shown, document)}
	}
	p := printer.Printer{
		Out: e.streams.Out, Format: o.format.format, NoHeaders: o.noHeaders, Short: e.streams.OutTTY, Color: e.streams.Color,
	}
	if err := p.Print(resource, document); err != nil {
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
