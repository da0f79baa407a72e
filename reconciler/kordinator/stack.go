package kordinator

import (
	"bytes"
	"path"
	"strings"
)

// Bounds of a stack that is kept.
const (
	maxFrames = 20
	maxStack  = 4 << 10 // bytes
)

// TrimStack is a stack as [runtime/debug.Stack] gives it, without what differs from one panic to the next at the same
// place (addresses, arguments, the goroutine's number), without the frames of the panic itself and of whoever recovered
// from it, and with the last two parts of each path. At most 20 frames and 4 KiB are left, those nearest to the panic.
func TrimStack(stack []byte) string {
	frames := framesOf(stack)
	for i, f := range frames {
		if f.function == "panic" {
			frames = frames[i:]
			break
		}
	}
	var out strings.Builder
	kept := 0
	for _, f := range frames {
		if f.function == "panic" || strings.HasPrefix(f.function, "runtime.") || strings.HasPrefix(f.function, "runtime/debug.") {
			continue
		}
		text := f.function + "\n\t" + f.place + "\n"
		if kept == maxFrames || out.Len()+len(text) > maxStack {
			break
		}
		out.WriteString(text)
		kept++
	}
	return out.String()
}

type frame struct{ function, place string }

// framesOf are the frames of the first goroutine in the stack.
func framesOf(stack []byte) []frame {
	var out []frame
	function := ""
	for line := range bytes.Lines(stack) {
		text := strings.TrimRight(string(line), "\r\n")
		switch place, isPlace := strings.CutPrefix(text, "\t"); {
		case text == "":
			return out
		case !isPlace:
			function = functionOf(text)
		case function != "":
			out = append(out, frame{function, placeOf(place)})
			function = ""
		}
	}
	return out
}

// functionOf is the function's name in "pkg.(*T).f(0xc000012345, {0x1, 0x2})" or "created by pkg.f in goroutine 7".
func functionOf(line string) string {
	if name, created := strings.CutPrefix(line, "created by "); created {
		name, _, _ = strings.Cut(name, " in goroutine ")
		return "created by " + name
	}
	if at := strings.LastIndexByte(line, '('); at > 0 && strings.HasSuffix(line, ")") {
		return line[:at]
	}
	return line
}

// placeOf is "dir/file.go:12" in "/path/to/dir/file.go:12 +0x1d".
func placeOf(text string) string {
	text, _, _ = strings.Cut(text, " +0x")
	dir, file := path.Split(text)
	if dir = path.Base(dir); dir == "." || dir == "/" {
		return file
	}
	return dir + "/" + file
}
