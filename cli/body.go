package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	yamlnode "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"kayra/cli/term"
)

// maxBody bounds what is read for a request's body. The server takes less, and says so itself.
const maxBody = 16 << 20

// bodyFlags say where the body of a request comes from.
type bodyFlags struct {
	data string // -d: JSON, or @FILE, or - for the standard input
	file string // -f: a file, or - for the standard input
}

func addBody(cmd *cobra.Command, b *bodyFlags) {
	cmd.Flags().StringVarP(&b.data, "data", "d", "", "the body: JSON, or @FILE, or - for the standard input")
	cmd.Flags().StringVarP(&b.file, "file", "f", "", "a file with the body, JSON or YAML, or - for the standard input")
}

// read gives the body as JSON. Where it comes from outside and is not JSON, it may be YAML.
func (b *bodyFlags) read(cmd *cobra.Command, in io.Reader) ([]byte, error) {
	hasData, hasFile := cmd.Flags().Changed("data"), cmd.Flags().Changed("file")
	switch {
	case hasData && hasFile:
		return nil, usage("", "-d and -f both give the body: use either")
	case hasData && b.data != "-" && !strings.HasPrefix(b.data, "@"):
		return checkJSON("-d", []byte(b.data))
	case hasData:
		return readBody(cmd.Context(), "-d "+b.data, strings.TrimPrefix(b.data, "@"), in)
	case hasFile:
		return readBody(cmd.Context(), "-f "+b.file, b.file, in)
	}
	return nil, usage(`give it with -d '{…}' or -f FILE; an empty one is -d '{}'`, "the body of the request is missing")
}

func readBody(ctx context.Context, what, path string, in io.Reader) ([]byte, error) {
	content, err := readInput(ctx, path, in)
	if err != nil {
		return nil, usage("", "%s: %v", what, err)
	}
	if text := bytes.TrimSpace(content); len(text) == 0 || text[0] == '{' || text[0] == '[' || text[0] == '"' {
		return checkJSON(what, content)
	}
	return convertYAML(what, content)
}

// readInput reads a file, or in for the path -. It returns early, with the context's error, when ctx ends.
func readInput(ctx context.Context, path string, in io.Reader) ([]byte, error) {
	type result struct {
		content []byte
		err     error
	}
	done := make(chan result, 1)
	go func() { // outlives an interrupted wait: a read of a terminal cannot be called off
		content, err := readAll(path, in)
		done <- result{content, err}
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx) //nolint:wrapcheck // is shown as an interrupt
	case r := <-done:
		return r.content, r.err
	}
}

func readAll(path string, in io.Reader) ([]byte, error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err //nolint:wrapcheck // names the file
		}
		defer f.Close() //nolint:errcheck // only read from
		in = f
	}
	content, err := io.ReadAll(io.LimitReader(in, maxBody+1))
	if err == nil && len(content) > maxBody {
		err = fmt.Errorf("is larger than %d MiB", maxBody>>20)
	}
	return content, err
}

// checkJSON refuses what is not one JSON document, and shows where it is wrong.
func checkJSON(what string, content []byte) ([]byte, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		return nil, usage(`an empty body is '{}'`, "%s is empty", what)
	}
	var document json.RawMessage
	err := json.Unmarshal(content, &document)
	if err == nil {
		return content, nil
	}
	wrong, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return nil, usage("", "%s is not JSON: %v", what, err)
	}
	before := content[:min(max(0, int(wrong.Offset)-1), len(content))]
	if endsTooEarly(content) {
		before = content
	}
	line := bytes.Count(before, []byte("\n")) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	return nil, usage(pointAt(content, len(before)), "%s is not JSON: line %d, column %d: %v", what, line, column, err)
}

// endsTooEarly tells content that is the beginning of a JSON document.
func endsTooEarly(content []byte) bool {
	var document json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(content)).Decode(&document), io.ErrUnexpectedEOF)
}

// pointAt shows the text up to the place where it is wrong.
func pointAt(content []byte, offset int) string {
	const shown = 40
	text := []rune(string(content[:offset]))
	from := ""
	if len(text) > shown {
		text, from = text[len(text)-shown:], "…"
	}
	return "it is JSON up to here: " + term.Escape(from+string(text))
}

func convertYAML(what string, content []byte) ([]byte, error) {
	documents := yamlnode.NewDecoder(bytes.NewReader(content))
	var first, second yamlnode.Node
	if err := documents.Decode(&first); err != nil {
		return nil, usage("", "%s is neither JSON nor YAML: %v", what, err)
	}
	if err := documents.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, usage("send them one by one", "%s has more than one document", what)
	}
	document, err := yaml.YAMLToJSONStrict(content)
	if err != nil {
		return nil, usage("", "%s is neither JSON nor YAML: %v", what, err)
	}
	return document, nil
}
