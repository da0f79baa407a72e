package docs_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"kayra/config"
)

const configurationHead = `# Every key of kayra.yaml

By ` + "`make generate`" + `, from what the program itself checks a configuration with; what a key does is said as in the
[complete example](../../examples/kayra.yaml). ` + "`kayra config view`" + ` shows what is in force, and where each value comes from: a flag, else a
variable, else the file, else the default. A relative path is relative to the folder that the process runs in.

| Key | Default | Allowed | What it does |
|---|---|---|---|
`

// Every key is in the example, with a comment or below one, and the page says of it what that comment says.
func TestGeneratedConfiguration(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../examples/kayra.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(content, &root); err != nil {
		t.Fatal(err)
	}
	e := example{says: map[string]string{}}
	e.read(root.Content[0], "", "")
	keys := config.Keys()
	for _, k := range keys {
		if _, ok := e.says[k.Name]; !ok {
			t.Errorf("%s is not in examples/kayra.yaml", k.Name)
		}
	}
	slices.SortFunc(keys, func(a, b config.Key) int { return slices.Index(e.order, a.Name) - slices.Index(e.order, b.Name) })
	var page, variables bytes.Buffer
	page.WriteString(configurationHead)
	for _, k := range keys {
		_, _ = fmt.Fprintf(&page, "| `%s` | `%s` | %s | %s |\n", k.Name, k.Default, cell(k.Allows), cell(e.says[k.Name])+more(k.Name))
		if len(k.Variables) > 1 {
			_, _ = fmt.Fprintf(&variables, "- `%s` is set by `%s`, and else by `%s`\n", k.Name, k.Variables[0], strings.Join(k.Variables[1:], "`, `"))
		}
	}
	page.WriteString("\n## Variables\n\nThe variable of a key is `KAYRA_` and the key in upper case with its dots as underscores, such as\n" +
		"`KAYRA_DATABASE_ETCD_LEASE_TTL`. The items of a list are separated by commas. A mapping or a list with a structure of its own has\n" +
		"none. Beside that:\n\n")
	page.Write(variables.Bytes())
	generated(t, "configuration.md", page.Bytes())
}

// more is where a key with a structure of its own is explained.
func more(key string) string {
	switch key {
	case "reconciler.mode":
		return ": see [pipeline.md](../pipeline.md)"
	case "reconciler.operator":
		return ": see [operations.md](../operations.md#how-a-registration-is-operated)"
	case "notification.teams":
		return ": see [operations.md](../operations.md#notifications)"
	case "auth.tokens":
		return "; see [security.md](../security.md)"
	}
	return ""
}

// example is what the comments of the example say of each key, or of the nearest one above it that has a comment.
type example struct {
	says  map[string]string
	order []string
}

func (e *example) read(n *yaml.Node, path, above string) {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := strings.TrimPrefix(path+"."+key.Value, ".")
		head, _, _ := strings.Cut(comment(key.HeadComment), ". ")
		own := cmp.Or(comment(key.LineComment), comment(value.LineComment), head)
		if own == "" && key.Value == "key_file" {
			own = "the key of cert_file, without a passphrase"
		}
		says := cmp.Or(own, above)
		e.says[name] = says
		e.order = append(e.order, name)
		e.read(value, name, says)
	}
}

// comment is a comment as running text.
func comment(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#"))
	}
	return strings.TrimSpace(strings.Join(lines, " "))
}

// cell is a text as it stands in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
