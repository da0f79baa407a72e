package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"kayra/cli/manifest"
)

// manifests are the files that a command reads documents from.
type manifests struct {
	files     []string
	recursive bool
	namespace string // of the documents that name none
}

func addManifests(cmd *cobra.Command, m *manifests) {
	cmd.Flags().StringArrayVarP(&m.files, "file", "f", nil, "a file of documents, a directory, or - for the standard input; may be given again")
	cmd.Flags().BoolVarP(&m.recursive, "recursive", "R", false, "look into the directories of a directory, too")
	cmd.Flags().StringVarP(&m.namespace, "namespace", "n", "", "namespace of what lives in one, where a document names none")
}

// check refuses arguments, and that no file is given.
func (m *manifests) check(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("give it with -f", "%s takes no arguments, and %q is one", cmd.Name(), args[0])
	}
	if len(m.files) == 0 {
		return usage("-f names a file or a directory, and -f - the standard input", "which documents? No file is given")
	}
	if m.namespace == "." || m.namespace == ".." {
		return usage("", "%q is not a name", m.namespace)
	}
	return nil
}

// read reads all files, and tells of all mistakes in them at once.
func (m *manifests) read(ctx context.Context, e *env) ([]manifest.Document, error) {
	files, err := manifest.Files(m.files, m.recursive)
	if err != nil {
		return nil, &failure{code: codeUsage, message: err.Error(), err: err}
	}
	var all []manifest.Document
	var wrong []error
	for _, file := range files {
		documents, err := readManifest(ctx, e, file)
		if ctx.Err() != nil {
			return nil, err
		}
		all, wrong = append(all, documents...), append(wrong, err)
	}
	for i := range all {
		wrong = append(wrong, m.place(&all[i]))
	}
	wrong = append(wrong, contradictions(all))
	if err := errors.Join(wrong...); err != nil {
		return nil, &failure{code: codeUsage, message: err.Error(), err: err, hint: "nothing was sent"}
	}
	if len(all) == 0 {
		return nil, &failure{code: codeUsage, message: "there is no document in what was given: nothing was sent"}
	}
	return manifest.InOrder(all), nil
}

func readManifest(ctx context.Context, e *env, file string) ([]manifest.Document, error) {
	content, err := readInput(ctx, file, e.streams.In)
	if err != nil {
		return nil, err
	}
	if file == manifest.Stdin {
		file = "standard input"
	}
	return manifest.Parse(file, content) //nolint:wrapcheck // names the file
}

// place gives a document the namespace that it needs, if it names none.
func (m *manifests) place(d *manifest.Document) error {
	if d.Namespace == "" && (d.Own == nil || d.Own.Resource == "subscriptions") {
		d.Namespace = m.namespace
	}
	if d.Own != nil && d.Own.Resource == "subscriptions" && d.Namespace == "" {
		return &manifest.Error{Place: d.Place, Text: "a subscription lives in a namespace: name it in the document, or with -n"}
	}
	return nil
}

// contradictions finds what two documents want to be different. That they say the same is no harm.
func contradictions(documents []manifest.Document) error {
	type thing struct{ group, resource, namespace, name string }
	seen := map[thing]manifest.Document{}
	var wrong []error
	for _, d := range documents {
		key := thing{d.Group, d.Resource, d.Namespace, d.Name}
		if d.Own != nil {
			key.group = d.Own.Group
		}
		first, twice := seen[key]
		if twice && !bytes.Equal(first.Body.JSON(), d.Body.JSON()) {
			text := fmt.Sprintf("%s is what %s is about, too, and says something else", described(d), first.Place)
			wrong = append(wrong, &manifest.Error{Place: d.Place, Text: text})
			continue
		}
		seen[key] = d
	}
	return errors.Join(wrong...)
}

// described is what messages call the thing of a document.
func described(d manifest.Document) string {
	text := fmt.Sprintf("%s %q", singular(d.Resource), d.Name)
	if d.Namespace != "" {
		text += fmt.Sprintf(" of namespace %q", d.Namespace)
	}
	return text
}
