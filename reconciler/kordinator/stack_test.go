package kordinator_test

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kayra/reconciler/kordinator"
)

// panicked is the stack of a function that panics, as who recovers sees it.
func panicked(do func()) (stack string) {
	defer func() {
		_ = recover()
		stack = string(debug.Stack())
	}()
	do()
	return ""
}

type deep struct{}

//go:noinline
func (d *deep) fall(levels int, how func()) {
	if levels > 0 {
		d.fall(levels-1, how)
	}
	how()
}

func TestTrimStack(t *testing.T) {
	t.Parallel()
	var index []int
	var missing map[string]int
	const this = "kayra/reconciler/kordinator_test.TestTrimStack.func"
	for what, how := range map[string]func(){
		"panic":         func() { panic("hunter2") },
		"index":         func() { _ = index[len(index)] },
		"nil map":       func() { missing["hunter2"] = 1 },
		"nil reference": func() { _ = *(*int)(nil) },
		"panicked again": func() {
			defer func() { panic(recover()) }()
			panic("hunter2")
		},
	} {
		stack := panicked(func() { new(deep).fall(2, how) })
		got := kordinator.TrimStack([]byte(stack))
		if !strings.HasPrefix(got, this) || strings.Count(got, "kordinator_test.(*deep).fall\n\tkordinator/stack_test.go:") != 3 {
			t.Errorf("%s:\n%s\nof:\n%s", what, got, stack)
		}
		if strings.Contains(got, "hunter2") || regexp.MustCompile(`0x|\[|\.\.\.|goroutine|(?m)^(panic|runtime\.)`).MatchString(got) {
			t.Errorf("%s: there is noise:\n%s", what, got)
		}
	}
}

// With GOTRACEBACK=system a stack has the frames of the runtime too.
func TestTrimStackOfAText(t *testing.T) {
	t.Parallel()
	got := kordinator.TrimStack([]byte(`goroutine 7 [running]:
runtime/debug.Stack()
	/go/src/runtime/debug/stack.go:26 +0x5e
kayra/reconciler.(*worker).guard.func1()
	/src/kayra/reconciler/attempts.go:131 +0x3c
panic({0x6b4ee0?, 0x7d5a10?})
	/go/src/runtime/panic.go:860 +0x132
runtime.goPanicIndex(0x0, 0x0)
	/go/src/runtime/panic.go:115 +0x74
kayra/reconciler.(*worker).try[...](0xc0000b2000, {0x7d8018, 0xc00001e0a8})
	kayra/reconciler/attempts.go:99
main.main.func1()
	main.go:5 +0x1
runtime.goexit({})
	/go/src/runtime/asm_amd64.s:1771 +0x1
created by main.main in goroutine 1
	/main.go:4 +0x1d

goroutine 1 [running]:
main.main()
	/main.go:6 +0x1
`))
	same(t, "stack", got, `kayra/reconciler.(*worker).try[...]
	reconciler/attempts.go:99
main.main.func1
	main.go:5
created by main.main
	main.go:4
`)
}

func TestTrimmedStacksOfOnePlaceAreEqual(t *testing.T) {
	t.Parallel()
	stacks := map[string]bool{}
	for range 3 {
		stack := make(chan string)
		go func() { stack <- panicked(func() { new(deep).fall(1, func() { panic(new(int)) }) }) }()
		stacks[kordinator.TrimStack([]byte(<-stack))] = true
	}
	same(t, "different stacks", len(stacks), 1)
	for stack := range stacks {
		if !strings.Contains(stack, "\ncreated by kayra/reconciler/kordinator_test.TestTrimmedStacksOfOnePlaceAreEqual\n\tkordinator/stack_test.go:") {
			t.Errorf("who created the goroutine is missing:\n%s", stack)
		}
	}
}

func TestTrimStackIsBounded(t *testing.T) {
	t.Parallel()
	got := kordinator.TrimStack([]byte(panicked(func() { new(deep).fall(200, func() { panic("deep") }) })))
	same(t, "lines", strings.Count(got, "\n"), 40)
	var long bytes.Buffer
	for i := range 10 {
		fmt.Fprintf(&long, "pkg.%s%d(0x1)\n\t/a/b/c.go:%d +0x1d\n", strings.Repeat("f", 1_000), i, i)
	}
	got = kordinator.TrimStack(long.Bytes())
	same(t, "frames of 1,000 bytes", strings.Count(got, "\n\tb/c.go:"), 4)
}

func TestTrimStackOfAnything(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{"", "\t", "panic(", "panic({0x1, 0x2})", "\t/x/y.go:1 +0x2", "created by ", ")", "(", "f()", "\t/", "\ty.go:1", "x\x00\xff"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(line).Draw(t, "lines"), "\n")
		if got := kordinator.TrimStack([]byte(text)); len(got) > 4<<10 || strings.Count(got, "\n") > 40 {
			t.Fatalf("too long: %q", got)
		}
	})
}
