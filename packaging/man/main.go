// Man writes the manual pages of all commands, under both names of the program, compressed, into a folder: man DIR. Their
// date is that of $SOURCE_DATE_EPOCH, so that the same source gives the same pages.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"kayra/cli"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("the form is DIR, and %d arguments were given", len(args))
	}
	if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // pages are for everybody
		return fmt.Errorf("write pages: %w", err)
	}
	for _, root := range []*cobra.Command{cli.Command(), cli.ClientCommand()} {
		if err := pages(root, args[0]); err != nil {
			return err
		}
	}
	return nil
}

// pages writes those of a command and of all below it.
func pages(cmd *cobra.Command, dir string) error {
	cmd.DisableAutoGenTag = true // it would have the day of the build
	var page bytes.Buffer
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "Kayra", Manual: "Kayra"}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return fmt.Errorf("write page of %s: %w", name, err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed) // its header has neither a time nor a name
	if _, err := w.Write(page.Bytes()); err != nil {
		return fmt.Errorf("write page of %s: %w", name, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("write page of %s: %w", name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".1.gz"), packed.Bytes(), 0o644); err != nil { //nolint:gosec // likewise
		return fmt.Errorf("write page of %s: %w", name, err)
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			if err := pages(sub, dir); err != nil {
				return err
			}
		}
	}
	return nil
}
