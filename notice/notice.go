// Package notice is what reconcilers and the REST API say to each other of events that teams are to be told of: the body of
// POST /notify and its answer, and a client for it. It knows nothing of how a team is reached.
package notice

import "time"

// Kind is a kind of event.
type Kind string

// The kinds that there are.
const (
	Degraded        Kind = "degraded"
	Recovered       Kind = "recovered"
	RolloutStarted  Kind = "rollout_started"
	RolloutReleased Kind = "rollout_released"
	RolloutAborted  Kind = "rollout_aborted"
	RolledBack      Kind = "rolled_back"
)

// Kinds are all of them.
func Kinds() []Kind {
	return []Kind{Degraded, Recovered, RolloutStarted, RolloutReleased, RolloutAborted, RolledBack}
}

// Channel is a way to reach a team.
type Channel string

// The channels that there are.
const (
	Slack   Channel = "slack_webhook"
	Webhook Channel = "webhook"
	Email   Channel = "email"
)

// Channels are all of them, in the order in which they are told of.
func Channels() []Channel { return []Channel{Slack, Webhook, Email} }

// Event is something that has happened to an API.
type Event struct {
	Team       string    `json:"team" doc:"The owner of the registration."`
	Kind       Kind      `json:"event" enum:"degraded,recovered,rollout_started,rollout_released,rollout_aborted,rolled_back"`
	API        string    `json:"api" doc:"Name of the registration."`
	Message    string    `json:"message" doc:"What has happened, in a sentence; at most 4096 bytes."`
	SyncID     string    `json:"sync_id" doc:"The sync_id that it is about; may be empty."`
	State      string    `json:"state" doc:"How the registration stands now; may be empty."`
	At         time.Time `json:"at" doc:"When it happened."`
	Reconciler string    `json:"reconciler,omitempty" doc:"The id of the process that saw it."`
}

// Request asks for the event to be delivered.
type Request struct {
	Event

	Channels []Channel `json:"channels,omitempty" doc:"Deliver it by these alone, out of slack_webhook, webhook and email; left out: by all that the team has."`
}

// Answer says by which channels the event was delivered and by which it was not. A channel that the team does not have is
// in neither.
type Answer struct {
	Delivered []Channel `json:"delivered"`
	Failed    []Failure `json:"failed" doc:"Worth another request, for these channels alone."`
}

// Failure is a channel by which an event was not delivered.
type Failure struct {
	Channel Channel `json:"channel"`
	Error   string  `json:"error" doc:"Why, for a person. It holds nothing that is secret."`
}
