package cli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	yamlnode "go.yaml.in/yaml/v3"

	"kayra/config"
)

func configCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Look at the configuration",
		Example: "  kayra config view",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(configViewCommand(e))
	return cmd
}

func configViewCommand(e *env) *cobra.Command {
	var o output
	var origin bool
	cmd := &cobra.Command{
		Use:   "view",
		Short: "Show the configuration in force, and where each value comes from",
		Long: "Show the configuration in force as YAML, each value with its source as a\n" +
			"comment, secrets masked. -o json and -o table list the values by key.",
		Example: `  kayra config view
  kayra config view --show-origin=false
  kayra config view -o json
  KAYRA_LOG_LEVEL=debug kayra config view --config ./kayra.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.config(cmd)
			if err != nil {
				return err
			}
			if !o.format.given || o.format.format == "yaml" {
				return e.showConfig(c, origin)
			}
			document, err := encode(struct {
				Items []config.Setting `json:"items"`
			}{c.Settings()})
			if err != nil {
				return err
			}
			return e.show(o, "config", document)
		},
	}
	addOutput(cmd, &o)
	cmd.Flags().BoolVar(&origin, "show-origin", true, "say where each value comes from; the list by key always does")
	cmd.Flag("output").DefValue = "yaml"
	return cmd
}

func (e *env) showConfig(c *config.Config, origin bool) error {
	text, err := c.YAML()
	if err == nil && !origin {
		text, err = withoutComments(text)
	}
	if err != nil {
		return fmt.Errorf("show configuration: %w", err)
	}
	if _, err := e.streams.Out.Write(text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func withoutComments(text []byte) ([]byte, error) {
	var document yamlnode.Node
	if err := yamlnode.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	clearComments(&document)
	const indent = 2
	var out bytes.Buffer
	encoder := yamlnode.NewEncoder(&out)
	encoder.SetIndent(indent)
	if err := errors.Join(encoder.Encode(&document), encoder.Close()); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return out.Bytes(), nil
}

func clearComments(n *yamlnode.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, inner := range n.Content {
		clearComments(inner)
	}
}
