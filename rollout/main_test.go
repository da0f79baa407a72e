package rollout_test

import (
	"testing"

	"go.uber.org/goleak"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const compute = "compute.example.com"

// engine is one for a server that has compute with the namespaces.
func engine(namespaces ...string) (*rollout.Engine, *rollouttest.Fake) {
	f := rollouttest.NewFake()
	f.Register(compute, namespaces...)
	return rollout.New(f, rollouttest.Group), f
}

func load(t *testing.T, e *rollout.Engine) *rollout.State {
	t.Helper()
	s, err := e.Load(t.Context(), compute)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// begin starts a canary.
func begin(t *testing.T, e *rollout.Engine, canaries ...string) rollout.Goal {
	t.Helper()
	p, err := load(t, e).Start(canaries)
	if err != nil {
		t.Fatal(err)
	}
	return apply(t, e, p)
}

func apply(t *testing.T, e *rollout.Engine, p rollout.Plan) rollout.Goal {
	t.Helper()
	reg, err := e.Apply(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return p.Goal(reg)
}
