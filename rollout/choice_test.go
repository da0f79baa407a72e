package rollout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
	"kayra/store/catalog"
)

func TestWhichCanariesCanBe(t *testing.T) {
	t.Parallel()
	e, f := engine("apps", "core", "sre")
	f.Set(compute, rollouttest.Idle("late"))
	var many []string
	for i := range rollout.MaxCanaries + 1 {
		many = append(many, fmt.Sprintf("ns-%d", i))
	}
	s := load(t, e)
	for name, c := range map[string]struct {
		choice []string
		kind   error // nil: it can be
		says   string
	}{
		"one":              {[]string{"sre"}, nil, ""},
		"some, one twice":  {[]string{"sre", "apps", "sre"}, nil, ""},
		"one not active":   {[]string{"late"}, nil, ""},
		"none":             {nil, rollout.ErrChoice, "needs a namespace"},
		"too many":         {many, rollout.ErrChoice, "at most 100 namespaces, and these are 101"},
		"no name":          {[]string{"sre", "SRE"}, rollout.ErrChoice, `"SRE" is not the name`},
		"unknown":          {[]string{"sre", "srf"}, catalog.ErrNotFound, "srf is not subscribed to " + compute},
		"unknown ones":     {[]string{"x", "y"}, catalog.ErrNotFound, "x, y are not subscribed"},
		"everyone":         {[]string{"sre", "core", "apps"}, rollout.ErrChoice, "this is not a canary"},
		"and the inactive": {[]string{"sre", "core", "apps", "late"}, rollout.ErrChoice, "this is not a canary"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := s.Check(c.choice)
			if !errors.Is(err, c.kind) || c.kind == nil && err != nil {
				t.Fatalf("got %v, want %v", err, c.kind)
			}
			if err == nil {
				return
			}
			var wrong *rollout.ChoiceError
			if !strings.Contains(err.Error(), c.says) || !errors.As(err, &wrong) || wrong.Hint == "" {
				t.Errorf("it says %q, want %q with a hint", err, c.says)
			}
		})
	}
	if !strings.Contains(s.Check([]string{"srf"}).(*rollout.ChoiceError).Hint, "sre") { //nolint:errorlint,forcetypeassert // tried above
		t.Error("who was meant is not said")
	}
}

// Before anybody has been synced, no choice is a canary.
func TestNobodyIsActive(t *testing.T) {
	t.Parallel()
	e, f := engine("sre", "apps")
	f.Set(compute, rollouttest.Idle("sre"), rollouttest.Idle("apps"))
	var wrong *rollout.ChoiceError
	if err := load(t, e).Check([]string{"sre"}); !errors.As(err, &wrong) ||
		!strings.Contains(wrong.Problem, "nobody is active yet") || !strings.Contains(wrong.Hint, "kayra wait catalog apiregistrations "+compute) {
		t.Errorf("got %v", err)
	}
}
