package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"kayra/cli/term"
)

// editorVariable names an editor for Kayra alone.
const editorVariable = "KAYRA_EDITOR"

// editor is the command that changes a file: that of the environment, or what there is at any terminal.
func (e *env) editor() (string, error) {
	for _, name := range []string{editorVariable, "VISUAL", "EDITOR"} {
		if command, _ := e.lookup(name); strings.TrimSpace(command) != "" {
			return command, nil
		}
	}
	if !e.streams.Interactive {
		return "", usage("set $KAYRA_EDITOR, $VISUAL or $EDITOR to a command that changes the file; or use `kayra update`, `kayra apply`",
			"there is no terminal for an editor")
	}
	if runtime.GOOS == "windows" {
		return "notepad", nil
	}
	return "vi", nil
}

// buffer is a file that is edited.
type buffer struct {
	editor string
	path   string
	kept   bool // the file stays
}

// newBuffer makes a file that nobody else can read.
func newBuffer(editor string) (*buffer, error) {
	f, err := os.CreateTemp("", "kayra-edit-*.yaml")
	if err != nil {
		return nil, fmt.Errorf("make file to edit: %w", err)
	}
	b := &buffer{editor: editor, path: f.Name()}
	if err := f.Close(); err != nil {
		return nil, b.close(fmt.Errorf("make file to edit: %w", err))
	}
	return b, nil
}

// close deletes the file unless it is to stay, and gives err back.
func (b *buffer) close(err error) error {
	if !b.kept {
		_ = os.Remove(b.path) // the person may have done it
	}
	return err
}

// edit shows a text in the editor, and gives what was saved, also where it fails. A file that is gone counts as empty.
func (b *buffer) edit(ctx context.Context, streams term.Streams, text string) (string, error) {
	if err := os.WriteFile(b.path, []byte(text), 0o600); err != nil {
		return text, fmt.Errorf("write file to edit: %w", err)
	}
	err := b.run(ctx, streams)
	saved, wrong := os.ReadFile(b.path)
	if wrong != nil && !errors.Is(wrong, os.ErrNotExist) {
		return text, errors.Join(err, fmt.Errorf("read edited file: %w", wrong))
	}
	return string(saved), err
}

// run runs the editor. What it writes is no data.
func (b *buffer) run(ctx context.Context, streams term.Streams) error {
	const patience = 5 * time.Second
	cmd := exec.CommandContext(ctx, "sh", "-c", b.editor+` "$@"`, b.editor, b.path) //nolint:gosec // is the person's own command
	if words := strings.Fields(b.editor); runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, words[0], append(words[1:], b.path)...) //nolint:gosec // likewise
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams.In, streams.Err, streams.Err
	if streams.OutTTY {
		cmd.Stdout = streams.Out
	}
	cmd.WaitDelay = patience
	cmd.Cancel = func() error { // it puts the terminal back in order
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	if err := cmd.Run(); err != nil {
		return &failure{
			code: codeFailed, message: fmt.Sprintf("the editor %q has failed: %v", b.editor, err), err: err,
			hint: "$KAYRA_EDITOR, $VISUAL or $EDITOR names another",
		}
	}
	return nil
}
