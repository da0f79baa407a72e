package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/client-go/util/jsonpath"

	"kayra/rollout"
	"kayra/server/api"
	"kayra/store/catalog"
)

// fate is what has become of a thing that is waited for.
type fate int

const (
	pending  fate = iota
	met           // it is as it is to be
	hopeless      // it will not become so by itself
	lost          // it is gone, and was to be something else
)

// condition is what things are waited for to be.
type condition struct {
	word  string                                              // what they are then: synced, active, deleted
	judge func(object []byte) (f fate, why string, err error) // object is nil of what is gone
}

// parseCondition reads the value of --for.
func parseCondition(s string) (condition, error) {
	const form = "--for takes synced, active, delete, or jsonpath='{.field}'=value"
	switch kind, rest, _ := strings.Cut(s, "="); {
	case s == "":
		return condition{}, usage(form, "what is to be waited for? There is no --for")
	case s == "synced":
		return condition{word: "synced", judge: judgeSynced(time.Time{})}, nil
	case s == "active":
		return condition{word: "active", judge: judgeActive}, nil
	case s == "delete":
		return condition{word: "deleted", judge: judgeDeleted}, nil
	case kind == "jsonpath":
		return parsePath(rest)
	}
	return condition{}, usage(form, "nothing can be waited for to be %q", s)
}

func judgeDeleted(object []byte) (fate, string, error) {
	if object == nil {
		return met, "", nil
	}
	return pending, "it is still there", nil
}

// judgeSynced is about subscriptions. What was written at the time is not looked at: it was so before, and is to become so
// anew.
func judgeSynced(before time.Time) func([]byte) (fate, string, error) {
	return func(object []byte) (fate, string, error) {
		sub, why, err := readSubscription(object)
		switch {
		case err != nil || object == nil:
			return lost, "", err
		case !before.IsZero() && sub.UpdatedAt.Equal(before):
			return pending, "", nil
		case sub.Synced:
			return met, "", nil
		case rollout.UsedUp(sub.Reason) && sub.AttemptedSyncID == sub.ExpectedSyncID:
			return hopeless, why, nil
		}
		return pending, why, nil
	}
}

// syncedAgain is the condition that a subscription is synced once more than it was.
func syncedAgain(before api.Subscription) condition {
	return condition{word: "synced", judge: judgeSynced(before.UpdatedAt)}
}

// judgeActive is about all that can be active. A subscription whose first sync has ended in error does not become so.
func judgeActive(object []byte) (fate, string, error) {
	if object == nil {
		return lost, "", nil
	}
	var is struct {
		Active *bool
		State  catalog.State
	}
	if err := json.Unmarshal(object, &is); err != nil {
		return lost, "", fmt.Errorf("read answer: %w", err)
	}
	if is.Active == nil {
		return lost, "", usage("wait for jsonpath='{.field}'=value instead", "it has no field active that could be waited for")
	}
	if *is.Active {
		return met, "", nil
	}
	sub, why, err := readSubscription(object)
	if err == nil && is.State == catalog.StateError && rollout.UsedUp(sub.Reason) {
		return hopeless, why, nil
	}
	return pending, why, nil
}

func readSubscription(object []byte) (sub api.Subscription, why string, err error) {
	if object == nil {
		return sub, "", nil
	}
	if err := json.Unmarshal(object, &sub); err != nil {
		return sub, "", fmt.Errorf("read subscription: %w", err)
	}
	why = string(sub.Reason)
	if sub.Message != "" {
		why = fmt.Sprintf("%s (%s)", sub.Message, sub.Reason)
	}
	return sub, why, nil
}

// parsePath reads '{.field}'=value. The braces may be left out, and so may the value: then anything will do.
func parsePath(s string) (condition, error) {
	expression, value, valued := strings.Cut(s, "=")
	if i := strings.LastIndex(s, "}"); i >= 0 {
		expression, value = s[:i+1], strings.TrimLeft(s[i+1:], `'"`)
		if value, valued = strings.CutPrefix(value, "="); !valued && value != "" {
			return condition{}, usage("the form is jsonpath='{.field}'=value", "jsonpath=%s has %q behind the braces", s, value)
		}
	}
	expression = strings.Trim(expression, `'"`)
	if value = strings.Trim(value, `'"`); valued && value == "" {
		return condition{}, usage("leave out the = for any value", "jsonpath=%s has no value", s)
	}
	if !strings.HasPrefix(expression, "{") {
		expression = "{." + strings.TrimPrefix(expression, ".") + "}"
	}
	path := jsonpath.New("for").AllowMissingKeys(true)
	if err := path.Parse(expression); err != nil {
		return condition{}, usage("the form is jsonpath='{.field}'=value", "%q is not a JSONPath: %v", expression, err)
	}
	word := "with " + expression
	if valued {
		word += "=" + value
	}
	return condition{word: word, judge: func(object []byte) (fate, string, error) {
		return judgePath(path, object, value, valued)
	}}, nil
}

func judgePath(path *jsonpath.JSONPath, object []byte, value string, valued bool) (fate, string, error) {
	if object == nil {
		return lost, "", nil
	}
	var is any
	if err := json.Unmarshal(object, &is); err != nil {
		return lost, "", fmt.Errorf("read answer: %w", err)
	}
	found, err := path.FindResults(is)
	if err != nil {
		return pending, err.Error(), nil //nolint:nilerr // what is not there yet may come
	}
	var texts []string
	for _, list := range found {
		for _, one := range list {
			text, err := json.Marshal(one.Interface())
			if err != nil {
				return lost, "", fmt.Errorf("read answer: %w", err)
			}
			texts = append(texts, strings.Trim(string(text), `"`))
		}
	}
	switch {
	case len(texts) == 0:
		return pending, "it has no such field", nil
	case !valued || len(texts) == 1 && texts[0] == value:
		return met, "", nil
	}
	return pending, fmt.Sprintf("it is %q", strings.Join(texts, ", ")), nil
}
