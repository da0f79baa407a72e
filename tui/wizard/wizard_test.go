package wizard_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui/wizard"
)

const path = "PUT /apis/catalog.example.com/v1/apiregistrations/compute.example.com/sync "

// sent compares what was sent with what was wanted. A request of before a wizard began does not expect a sync id.
func sent(t *testing.T, f *rollouttest.Fake, want ...string) {
	t.Helper()
	all := slices.DeleteFunc(f.Sent(), func(one string) bool { return !strings.Contains(one, "expected_sync_id") })
	if want == nil {
		want = []string{}
	}
	if got := fmt.Sprintf("%q", all); got != fmt.Sprintf("%q", want) {
		t.Errorf("sent %s, want %q", got, want)
	}
}

func TestACanaryFromStartToEnd(t *testing.T) {
	t.Parallel()
	f := fake()
	d := drive(t, f)
	d.start()
	f.Set(compute, rollouttest.Going("sre", "v1", catalog.ReasonRunning, "attempt 1 to reach sync_id v2 is running"))
	f.Ran(compute, "sre", rollout.Run{SyncID: "v2", Attempt: 1, Of: 3, Steps: []rollout.Step{
		{Name: "begin", State: "ok", Took: 12 * time.Millisecond}, {Name: "await", State: "running", Since: rollouttest.At().Add(-4 * time.Second)},
	}})
	d.sees("1 running", "▶ sre", "step 1 of 3  begin  ok  12ms", "step 2 of 3  await  running  4.0s")
	f.Set(compute, rollouttest.Synced("sre", "v2"))
	d.sees("✓ 1 of 1 are there", "release", "leave it pending", "abort")
	d.press("p")
	d.sees("What the release does", "2: apps, core")
	d.press("enter")
	d.sees("Release v2 of compute.example.com at test to 2 namespaces more?")
	d.press("right", "enter")
	d.sees("The release of v2", "1/3 synced")
	f.Set(compute, rollouttest.Synced("apps", "v2"), rollouttest.Synced("core", "v2"))
	d.sees("3/3 synced", "Enter close")
	d.press("enter")
	if last := d.ends(); last != "compute.example.com: released v2 to everyone\nthe same by hand: kayra rollout release compute.example.com --expect-sync-id v2" {
		t.Errorf("last words: %s", last)
	}
	sent(t, f, path+`{"canary_namespaces":["sre"],"expected_sync_id":"v1"}`, path+`{"release":true,"expected_sync_id":"v2"}`)
}

func TestACanaryThatFails(t *testing.T) {
	t.Parallel()
	f := fake()
	d := drive(t, f)
	d.start()
	f.Set(compute, rollouttest.Failed("sre", "v1", "v2"))
	d.sees("sre ended in error: step 2 (await): answered 500", "release (disabled)")
	d.press("p")
	d.sees("canary sre ended in error")
	d.press("enter")
	d.sees("The canary has not succeeded. To do it nevertheless, type compute.example.com:")
	d.press("y", "enter")
	d.sees("that is not compute.example.com: nothing was sent")
	d.press("esc", "esc")
	d.sees("release (disabled)")
	d.press("a")
	d.sees("What the abort does", "becomes    v1", "1: sre")
	d.press("enter")
	d.sees("and take 1 namespace back to v1?")
	d.press("y")
	d.sees("Back to v1", "0/1 back")
	f.Set(compute, rollouttest.Synced("sre", "v1"))
	d.sees("1/1 back")
	d.press("enter")
	if last := d.ends(); !strings.HasPrefix(last, "compute.example.com: aborted, back to v1\n") {
		t.Errorf("last words: %s", last)
	}
	sent(t, f, path+`{"canary_namespaces":["sre"],"expected_sync_id":"v1"}`, path+`{"abort":true,"expected_sync_id":"v2"}`)
}

func TestAFailedCanaryIsReleasedByItsNameAlone(t *testing.T) {
	t.Parallel()
	f := fake()
	d := drive(t, f)
	d.start()
	f.Set(compute, rollouttest.Failed("sre", "v1", "v2"))
	d.sees("release (disabled)")
	d.press("p")
	d.sees("What the release does")
	d.press("enter", "compute.example.co", "x", "backspace", "m", "enter")
	d.sees("The release of v2")
	sent(t, f, path+`{"canary_namespaces":["sre"],"expected_sync_id":"v1"}`, path+`{"release":true,"expected_sync_id":"v2"}`)
}

// TestLeaving leaves the wizard at every step.
func TestLeaving(t *testing.T) {
	t.Parallel()
	const nothing = "nothing was changed"
	for name, c := range map[string]struct {
		walk  func(d *driver)
		key   string
		words string
		sent  int
	}{
		"at the APIs":     {func(d *driver) { d.sees("Which API?") }, "ctrl+c", nothing, 0},
		"at the APIs, q":  {func(d *driver) { d.sees("Which API?") }, "q", nothing, 0},
		"back from them":  {func(d *driver) { d.sees("Which API?") }, "esc", nothing, 0},
		"at the tenants":  {func(d *driver) { d.sees("Which API?"); d.press("enter"); d.sees("Which namespaces") }, "ctrl+c", nothing, 0},
		"at the preview":  {(*driver).choose, "ctrl+c", nothing, 0},
		"at the question": {func(d *driver) { d.choose(); d.press("enter"); d.sees("alone?") }, "ctrl+c", nothing, 0},
		"while it goes on": {
			(*driver).start, "ctrl+c",
			"compute.example.com: canary at v2\ndetached; the rollout goes on\n`kayra rollout compute.example.com` comes back to it\n" +
				"the same by hand: kayra rollout start compute.example.com --canary sre --expect-sync-id v1", 1,
		},
		"leave it": {
			func(d *driver) {
				d.start()
				d.press("esc")
				d.sees("0 of 1 are there, and it goes on", "go on watching")
			}, "l",
			"compute.example.com: canary at v2\ndetached; the rollout goes on\n`kayra rollout compute.example.com` comes back to it\n" +
				"the same by hand: kayra rollout start compute.example.com --canary sre --expect-sync-id v1", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fake()
			d := drive(t, f)
			c.walk(d)
			d.press(c.key)
			if last := d.ends(); last != c.words {
				t.Errorf("last words %q, want %q", last, c.words)
			}
			if o := d.m.Outcome(); o.Interrupted != (c.key == "ctrl+c") || o.Wrote != (c.sent > 0) {
				t.Errorf("outcome %+v", o)
			}
			if n := len(f.Sent()); n != c.sent {
				t.Errorf("%d requests were sent, want %d", n, c.sent)
			}
			if d.m.View() != "" {
				t.Error("something is left on the screen")
			}
			d.press("enter") // changes nothing any more
		})
	}
}

// TestBackKeepsAnswers goes back by both keys, past a choice that cannot be.
func TestBackKeepsAnswers(t *testing.T) {
	t.Parallel()
	f := fake()
	d := drive(t, f)
	d.choose()
	d.press("enter")
	d.sees("alone?")
	d.press("esc")
	d.sees("What the canary does")
	d.press("shift+tab")
	d.sees("1 chosen", "[x] ✓ sre")
	d.press("up", "space", "up", "space")
	d.sees("3 chosen", "this is not a canary")
	d.press("enter")
	d.sees("this is not a canary", "Which namespaces")
	d.press("esc")
	d.sees("Which API?")
	d.press("esc")
	if last := d.ends(); last != "nothing was changed" {
		t.Errorf("last words: %s", last)
	}
	sent(t, f)
}

func TestAnEmptyChoice(t *testing.T) {
	t.Parallel()
	d := drive(t, fake(), func(o *wizard.Options) { o.API = compute })
	d.sees("Which namespaces", "0 chosen")
	d.press("enter")
	d.sees("a canary needs a namespace")
	d.press("space", "n")
	d.sees("0 chosen")
	d.press("esc")
	d.ends()
}

// A notice is said to its end.
func TestALongNotice(t *testing.T) {
	t.Parallel()
	d := drive(t, fake())
	d.sees("Which API?")
	d.press("enter")
	d.sees("Which namespaces")
	d.m.SetSize(50, 24)
	d.press("enter")
	d.sees("name at least one namespace that subscribes to compute.example.com")
	if n := strings.Count(d.screen(), "\n") + 1; n != 24 {
		t.Errorf("%d lines", n)
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	d := drive(t, fake(), func(o *wizard.Options) { o.API = compute })
	d.sees("Which namespaces")
	d.press("/", "or")
	d.sees("/or_", "core")
	if strings.Contains(d.screen(), "apps") {
		t.Errorf("the filter leaves too much:\n%s", d.screen())
	}
	d.press("enter", "space")
	d.sees("1 chosen", "[x] ✓ core")
	d.press("/", "q", "x")
	d.sees("nothing has orqx in its name")
	d.press("enter", "space", "/", "esc")
	d.sees("1 chosen", "apps", "sre")
	d.press("ctrl+c")
	d.ends()
}

// TestWhatIsPending begins with a rollout that somebody else has begun.
func TestWhatIsPending(t *testing.T) {
	t.Parallel()
	pending := func(t *testing.T) (*rollouttest.Fake, *driver) {
		t.Helper()
		f := fake()
		if _, err := f.Do(t.Context(), "PUT", strings.TrimSuffix(strings.TrimPrefix(path, "PUT "), " "), []byte(`{"canary_namespaces":["sre"]}`)); err != nil {
			t.Fatal(err)
		}
		d := drive(t, f, func(o *wizard.Options) { o.API = compute })
		d.sees("A rollout of compute.example.com to v2 is pending, for 1: sre", "0 of 1 are there")
		return f, d
	}
	t.Run("leave", func(t *testing.T) {
		t.Parallel()
		f, d := pending(t)
		d.press("l")
		want := "nothing was changed; the rollout of compute.example.com is still pending\n`kayra rollout compute.example.com` comes back to it"
		if last := d.ends(); last != want {
			t.Errorf("last words: %s", last)
		}
		sent(t, f)
	})
	t.Run("watch", func(t *testing.T) {
		t.Parallel()
		f, d := pending(t)
		d.press("enter")
		d.sees("The canary on its way to v2", "0/1")
		f.Set(compute, rollouttest.Synced("sre", "v2"))
		d.sees("✓ 1 of 1 are there")
		d.press("enter") // leaves it
		d.ends()
		sent(t, f)
	})
	t.Run("abort", func(t *testing.T) {
		t.Parallel()
		f, d := pending(t)
		d.press("a")
		d.sees("What the abort does")
		d.press("enter", "y")
		d.sees("Back to v1")
		sent(t, f, path+`{"abort":true,"expected_sync_id":"v2"}`)
	})
	t.Run("another", func(t *testing.T) {
		t.Parallel()
		f, d := pending(t)
		d.press("n")
		d.sees("Which namespaces")
		d.press("space", "enter")
		d.sees("a rollout to v2 is pending and would be replaced")
		d.press("enter", "y")
		d.sees("The canary on its way to v3")
		sent(t, f, path+`{"canary_namespaces":["apps"],"expected_sync_id":"v2"}`)
	})
}

// TestSomebodyElseWasFaster changes the target between the preview and the yes.
func TestSomebodyElseWasFaster(t *testing.T) {
	t.Parallel()
	f := fake()
	d := drive(t, f)
	d.choose()
	d.press("enter")
	d.sees("alone?")
	f.Edit(compute, func(reg *api.Registration) {
		reg.SyncID, reg.ReleasedSyncID, reg.CanaryNamespaces = "v9", "v1", []string{"core"}
	})
	d.press("y")
	d.sees("nothing was changed by this start of compute.example.com: its sync_id is no longer v1: a rollout to v9 is pending, for core")
	d.press("r")
	d.sees("A rollout of compute.example.com to v9 is pending, for 1: core")
	d.press("ctrl+c")
	if last := d.ends(); !strings.HasPrefix(last, "nothing was changed") {
		t.Errorf("last words: %s", last)
	}
}

// TestChoicesOutlastSomebodyElse has somebody sync everyone between the preview and the yes: what was chosen is still chosen, and
// what was shown of another sync id is not shown again.
func TestChoicesOutlastSomebodyElse(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"r", "esc"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			f := fake()
			d := drive(t, f)
			d.choose()
			d.press("enter")
			d.sees("alone?")
			f.Edit(compute, func(reg *api.Registration) { reg.SyncID, reg.ReleasedSyncID = "v9", "v9" })
			d.press("y")
			d.sees("its sync_id is no longer v1")
			d.press(key)
			if key == "r" { // has them read again
				d.sees("[x] ○ sre", "queued")
			}
			d.sees("1 chosen")
			d.press("enter")
			d.sees("What the canary does", "v9", "1: sre")
			d.press("enter")
			d.sees("alone?")
			d.press("y")
			d.sees("The canary on its way")
		})
	}
}

// TestLastWordsOfWhatSomebodyElseHasEnded has somebody else abort a canary that is being decided about.
func TestLastWordsOfWhatSomebodyElseHasEnded(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"left at once": {"esc", "l"}, "left after another look": {"r", "ctrl+c"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fake()
			d := drive(t, f)
			d.start()
			f.Set(compute, rollouttest.Synced("sre", "v2"))
			d.sees("✓ 1 of 1 are there")
			f.Edit(compute, func(reg *api.Registration) { reg.SyncID, reg.CanaryNamespaces = "v1", nil })
			d.press("p")
			d.sees("no rollout is pending")
			d.press(keys[0])
			if keys[0] == "r" {
				d.sees("Which namespaces")
			}
			d.press(keys[1])
			last := d.ends()
			if !strings.Contains(last, "it is not pending any more") || strings.Contains(last, "comes back to it") || strings.Contains(last, "goes on") {
				t.Errorf("last words: %s", last)
			}
		})
	}
}

// TestTwoRelease has somebody else release what is about to be released.
func TestTwoRelease(t *testing.T) {
	t.Parallel()
	f := fake()
	ann, bob := drive(t, f), drive(t, f, func(o *wizard.Options) { o.API = compute })
	bob.sees("Which namespaces")
	ann.start()
	f.Set(compute, rollouttest.Synced("sre", "v2"))
	ann.sees("✓ 1 of 1 are there")
	bob.press("esc")
	bob.ends()
	bob = drive(t, f, func(o *wizard.Options) { o.API = compute })
	bob.sees("is pending, for 1: sre")
	for _, one := range []*driver{ann, bob} {
		one.press("p")
		one.sees("What the release does")
		one.press("enter")
		one.sees("to 2 namespaces more?")
	}
	ann.press("y")
	ann.sees("The release of v2")
	bob.press("y")
	bob.sees("nothing was changed by this release of compute.example.com: the rollout to v2 has been released already")
	if now := f.Sent(); len(now) != 3 {
		t.Errorf("sent %q", now)
	}
}

func TestAbortWhileSomebodyWatches(t *testing.T) {
	t.Parallel()
	f := fake()
	d := drive(t, f)
	d.start()
	f.Edit(compute, func(reg *api.Registration) { reg.SyncID, reg.CanaryNamespaces = "v1", nil })
	d.sees("Somebody has given it another sync_id meanwhile: v1", "look again", "leave")
	d.press("o")
	d.sees("Which namespaces")
	d.press("ctrl+c")
	d.ends()
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	f := fake()
	d := drive(t, f)
	d.choose()
	d.press("enter")
	d.sees("alone?")
	f.Break(fmt.Errorf("no answer in time: %w", rollout.ErrNoAnswer))
	d.press("y")
	d.sees("no answer in time", "r try again")
	d.press("esc")
	if last := d.ends(); !strings.Contains(last, "whether something was changed is not known\n`kayra rollout status compute.example.com` tells") {
		t.Errorf("last words: %s", last)
	}
	if o := d.m.Outcome(); !o.Unknown || !errors.Is(o.Err, rollout.ErrNoAnswer) {
		t.Errorf("outcome %+v", o)
	}
}

func TestAServerThatIsAway(t *testing.T) {
	t.Parallel()
	f := fake()
	f.Break(errors.New("the server is unreachable"))
	d := drive(t, f)
	d.sees("the server is unreachable", "r try again")
	f.Break(nil)
	d.press("r")
	d.start()
	f.Break(errors.New("the server is unreachable"))
	d.sees("the server is unreachable; trying again, and this is from before")
	f.Break(nil)
	f.Set(compute, rollouttest.Synced("sre", "v2"))
	d.sees("✓ 1 of 1 are there")
	f.Break(errors.New("the server is unreachable"))
	d.press("p")
	d.sees("the server is unreachable")
	d.press("esc")
	d.sees("✓ 1 of 1 are there")
}

func TestWithoutItsDocument(t *testing.T) {
	t.Parallel()
	f := fake()
	f.WithoutDocument(compute)
	f.Set(compute, rollouttest.Idle("late"))
	d := drive(t, f, func(o *wizard.Options) { o.API = compute })
	d.sees("the OpenAPI document is not there yet", "late is not active yet, and so not held")
	d.press("end", "space", "enter")
	d.sees("What the canary does", "the OpenAPI document is not there yet")
}

func TestContexts(t *testing.T) {
	t.Parallel()
	prod := fake()
	d := drive(t, fake(), func(o *wizard.Options) {
		o.Contexts = []wizard.Context{{Name: "prod", Server: "https://prod"}, {Name: "test", Server: "https://test"}}
		o.Use = use(prod)
	})
	d.sees("Which server?", "prod", "https://test")
	d.press("up", "enter")
	d.sees("PRODUCTION", "Which API?")
	d.press("enter")
	d.sees("Which namespaces")
	d.press("space", "enter")
	d.sees("What the canary does")
	d.press("enter")
	d.sees("This is production. To do it nevertheless, type compute.example.com:")
	d.press("y", "enter")
	d.sees("that is not compute.example.com: nothing was sent")
	d.press("esc", "esc", "esc", "esc")
	d.sees("Which server?")
	d.press("down", "enter")
	d.sees("there is no context test")
	d.press("ctrl+c")
	d.ends()
}
