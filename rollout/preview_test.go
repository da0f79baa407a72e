package rollout_test

import (
	"fmt"
	"strings"
	"testing"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
	"kayra/server/api"
)

type planner = func(*rollout.State) (rollout.Plan, error)

func start(canaries ...string) planner {
	return func(s *rollout.State) (rollout.Plan, error) { return s.Start(canaries) }
}

// TestPreviews goes through the life of a registration: each case begins with what the one before has left.
func TestPreviews(t *testing.T) {
	t.Parallel()
	e, f := engine("apps", "core", "sre")
	f.Set(compute, rollouttest.Idle("late"))
	for _, c := range []struct {
		name   string
		before func() // what happens first
		plan   planner
		want   string
		notes  []string // parts of them
	}{
		{"start", nil, start("sre"), "v1 > minted; moves [sre]; stays [apps core]; idle [late]", []string{"late is not active yet, and so not held"}},
		{"start with an inactive one", nil, start("late"), "v1 > minted; moves [late]; stays [apps core sre]; idle []", []string{"late is not active yet: the canary"}},
		{"everyone", nil, (*rollout.State).All, "v1 > minted; moves [apps core sre]; stays []; idle [late]", nil},
		{"another canary", func() {
			begin(t, e, "sre")
			f.Set(compute, rollouttest.Synced("sre", "v2"))
		}, start("apps"), "v2 > minted; moves [apps]; stays [core sre]; idle [late]", []string{"a rollout to v2 is pending and would be replaced; sre stays where it is", "late is"}},
		{"release", nil, (*rollout.State).Release, "v2 > v2; moves [apps core]; stays [sre]; idle [late]", nil},
		{"release of what failed", func() {
			f.Set(compute, rollouttest.Failed("sre", "v1", "v2"))
		}, (*rollout.State).Release, "v2 > v2; moves [apps core sre]; stays []; idle [late]", []string{"canary sre ended in error: step 2 (await): answered 500 (step_failed)"}},
		{"abort of what failed", nil, (*rollout.State).Abort, "v2 > v1; moves [sre]; stays [apps core]; idle [late]", nil},
		{"release without a canary, paused", func() {
			f.Unsubscribe(compute, "sre")
			f.Edit(compute, func(reg *api.Registration) { reg.Paused = true })
		}, (*rollout.State).Release, "v2 > v2; moves [apps core]; stays []; idle [late]", []string{"canary sre does not subscribe any more", compute + " is paused"}},
	} {
		if c.before != nil {
			c.before()
		}
		p, err := c.plan(load(t, e))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		v := p.Preview()
		after := v.After
		if after == "" {
			after = "minted"
		}
		if got := fmt.Sprintf("%s > %s; moves %v; stays %v; idle %v", v.Before, after, v.Moves, v.Stays, v.Idle); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
		if len(v.Notes) != len(c.notes) {
			t.Errorf("%s: notes %q, want %q", c.name, v.Notes, c.notes)
			continue
		}
		for i, note := range c.notes {
			if !strings.Contains(v.Notes[i], note) {
				t.Errorf("%s: note %q, want %q", c.name, v.Notes[i], note)
			}
		}
	}
	if sent := f.Sent(); len(sent) != 1 {
		t.Errorf("a preview has sent something: %q", sent)
	}
}

func TestTheSameByHand(t *testing.T) {
	t.Parallel()
	e, _ := engine("apps", "core", "sre")
	at := rollout.Place{Program: "kayra", Server: "https://kayra.example.com/", Flags: []string{"--context", "prod's"}}
	p, err := load(t, e).Start([]string{"sre", "core", "sre"})
	if err != nil {
		t.Fatal(err)
	}
	const command = `kayra rollout start compute.example.com --canary core,sre --expect-sync-id v1 --context 'prod'\''s'`
	if got := p.Command(at); got != command {
		t.Errorf("got  %s\nwant %s", got, command)
	}
	const curl = `curl -s -X PUT https://kayra.example.com/apis/catalog.example.com/v1/apiregistrations/compute.example.com/sync ` +
		`-H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"canary_namespaces":["core","sre"],"expected_sync_id":"v1"}'`
	if got := e.Curl(p, at); got != curl {
		t.Errorf("got  %s\nwant %s", got, curl)
	}
	at.Flags = nil
	all, err := load(t, e).All()
	if got := all.Command(at); err != nil || got != "kayra sync compute.example.com --expect-sync-id v1" {
		t.Errorf("got %s, %v", got, err)
	}
	begin(t, e, "sre")
	for action, plan := range map[string]planner{"release": (*rollout.State).Release, "abort": (*rollout.State).Abort} {
		p, err := plan(load(t, e))
		if got := p.Command(at); err != nil || got != "kayra rollout "+action+" compute.example.com --expect-sync-id v2" {
			t.Errorf("got %s, %v", got, err)
		}
		if want := fmt.Sprintf(`-d '{"%s":true,"expected_sync_id":"v2"}'`, action); !strings.HasSuffix(e.Curl(p, at), want) {
			t.Errorf("%s: %s", want, e.Curl(p, at))
		}
	}
}
