package rollout

import (
	"encoding/json"
	"fmt"
	"strings"

	"kayra/server/api"
)

// Action is what is done to a registration's target.
type Action string

// The actions.
const (
	Start   Action = "start"   // a fresh sync id, for the canaries alone
	Release Action = "release" // the canaries' sync id, for everyone
	Abort   Action = "abort"   // back to the sync id that was released last
	All     Action = "sync"    // a fresh sync id, for everyone at once
)

// Plan is an action on what somebody has seen.
type Plan struct {
	Action   Action
	API      string
	SyncID   string   // the registration's, as it was seen: the action is refused when it is another one by then
	Canaries []string // of Start, sorted and each once

	seen State
}

// Start plans a canary. A choice that cannot be is a [ChoiceError].
func (s *State) Start(choice []string) (Plan, error) {
	if err := s.Check(choice); err != nil {
		return Plan{}, err
	}
	p := s.plan(Start)
	p.Canaries = Canaries(choice)
	return p, nil
}

// Release plans the release of the pending rollout. Without one it fails with a [ChangedError].
func (s *State) Release() (Plan, error) { return s.ending(Release) }

// Abort plans the end of the pending rollout. Without one it fails with a [ChangedError].
func (s *State) Abort() (Plan, error) { return s.ending(Abort) }

// All plans a sync of everyone. While a rollout is pending it fails with a [ChangedError], since the same request would
// release it.
func (s *State) All() (Plan, error) {
	p := s.plan(All)
	if s.Pending() {
		return p, &ChangedError{Plan: p, Now: *s, What: pendingNow(&s.Registration)}
	}
	return p, nil
}

func (s *State) plan(a Action) Plan {
	return Plan{Action: a, API: s.Registration.Name, SyncID: s.Registration.SyncID, seen: *s}
}

func (s *State) ending(a Action) (Plan, error) {
	p := s.plan(a)
	if !s.Pending() {
		return p, &ChangedError{Plan: p, Now: *s, What: "no rollout is pending: everyone's target is " + s.Registration.SyncID}
	}
	return p, nil
}

// Expect has the plan carry the sync id that somebody has seen elsewhere. It fails with a [ChangedError] when that is not
// the one that the plan was made of.
func (p Plan) Expect(id string) (Plan, error) {
	if id == "" || id == p.SyncID {
		return p, nil
	}
	before := p
	before.SyncID, before.seen = id, State{}
	return p, changed(before, p.seen, nil)
}

// Sync is the body of the request.
func (p Plan) Sync() api.Sync {
	return api.Sync{
		CanaryNamespaces: p.Canaries, Release: p.Action == Release, Abort: p.Action == Abort, ExpectedSyncID: p.SyncID,
	}
}

func (p Plan) body() []byte {
	body, err := json.Marshal(p.Sync())
	if err != nil {
		panic(err) // texts and flags cannot fail
	}
	return body
}

// Place is where commands that somebody copies are to be run.
type Place struct {
	Program string   // its name
	Flags   []string // that say which server is meant, if it takes any
	Server  string   // URL
}

// Command is the command line that does what the plan does.
func (p Plan) Command(at Place) string {
	words := []string{"rollout", string(p.Action), p.API}
	if p.Action == All {
		words = []string{"sync", p.API}
	}
	if len(p.Canaries) > 0 {
		words = append(words, "--canary", strings.Join(p.Canaries, ","))
	}
	return at.Line(append(words, "--expect-sync-id", p.SyncID)...)
}

// Line is a command line of the words.
func (at Place) Line(words ...string) string {
	line := []string{at.Program}
	for _, word := range append(words, at.Flags...) {
		line = append(line, quote(word))
	}
	return strings.Join(line, " ")
}

// Curl is the request for curl, with the token left to the environment.
func (e *Engine) Curl(p Plan, at Place) string {
	return fmt.Sprintf(`curl -s -X PUT %s -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d %s`,
		quote(strings.TrimSuffix(at.Server, "/")+e.SyncPath(p.API)), quote(string(p.body())))
}

// quote is a word of a POSIX shell.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
