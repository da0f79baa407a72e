package katalog

import (
	"encoding/json"
	"fmt"
	"time"
)

// Children are the last run of a subscription's mode, under "run", and its steps, under "step". In JSON a single child of a
// kind is an object, and several are an array.
type Children map[string][]ChildSummary

// ChildSummary is a run, or a step of one.
type ChildSummary struct {
	Name      string      `json:"name"` // of a run its id, of a step without a name its number
	Namespace string      `json:"namespace,omitempty"`
	Kind      string      `json:"kind"` // run or step
	Status    ChildStatus `json:"status"`
	Ready     bool        `json:"ready"` // it has succeeded; of an async step, it has not failed
}

// ChildStatus is how a run or a step went.
type ChildStatus struct {
	Steps      int     `json:"steps,omitempty"`    // of a run: how many its mode has; 0: it is not known
	Attempts   int     `json:"attempts"`           // of a run, which one of its trigger; of a step, how often it was sent
	Code       int     `json:"code"`               // HTTP status of the last answer; 0: there was none
	DurationMs float64 `json:"durationMs"`         // until now while it goes on
	StartedAt  string  `json:"startedAt"`          // RFC 3339
	State      string  `json:"state,omitempty"`    // of a step: running, pending, ok, failed or interrupted
	Method     string  `json:"method,omitempty"`   // of a step
	Endpoint   string  `json:"endpoint,omitempty"` // of a step, masked
	Reason     string  `json:"reason,omitempty"`   // of a step: why it failed
}

func newChildren(namespace string, r *Run) Children {
	c := Children{}
	if r == nil {
		return c
	}
	run := ChildSummary{
		Name: r.Name, Namespace: namespace, Kind: "run", Ready: r.Ready,
		Status: ChildStatus{Steps: r.Total, Attempts: r.Attempt, DurationMs: milliseconds(r.Took.Round(time.Microsecond)), StartedAt: timestamp(r.StartedAt)},
	}
	for i, s := range r.Steps {
		step := ChildSummary{
			Name: s.Name, Namespace: namespace, Kind: "step", Ready: s.State == "ok" || s.State == "pending",
			Status: ChildStatus{
				Attempts: s.Calls, Code: s.Code, DurationMs: milliseconds(s.Took.Round(time.Microsecond)), StartedAt: timestamp(s.StartedAt),
				State: s.State, Method: s.Method, Endpoint: s.Endpoint, Reason: s.Reason,
			},
		}
		if step.Name == "" {
			step.Name = fmt.Sprintf("step-%d", i+1)
		}
		run.Status.Code = s.Code
		c[step.Kind] = append(c[step.Kind], step)
	}
	c[run.Kind] = []ChildSummary{run}
	return c
}

// MarshalJSON implements [json.Marshaler].
func (c Children) MarshalJSON() ([]byte, error) {
	out := make(map[string]any, len(c))
	for kind, all := range c {
		out[kind] = all
		if len(all) == 1 {
			out[kind] = all[0]
		}
	}
	return json.Marshal(out) //nolint:wrapcheck // whoever encodes adds what it is about
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Children) UnmarshalJSON(data []byte) error {
	var kinds map[string]json.RawMessage
	if err := json.Unmarshal(data, &kinds); err != nil {
		return err //nolint:wrapcheck // as above
	}
	*c = make(Children, len(kinds))
	for kind, value := range kinds {
		var all []ChildSummary
		var err error
		if len(value) > 0 && value[0] == '[' {
			err = json.Unmarshal(value, &all)
		} else {
			all = make([]ChildSummary, 1)
			err = json.Unmarshal(value, &all[0])
		}
		if err != nil {
			return fmt.Errorf("children of kind %q: %w", kind, err)
		}
		(*c)[kind] = all
	}
	return nil
}
