// Package tui is the dashboard: one [Model], which is what it shows, above screens that are plain structs (package screen) and
// draw what a copy of the deployment has (package fleet). No method of the model waits for anything. What takes time is a
// command, and all commands are in commands.go; they reach the outside through [Client] alone.
//
// [Run] shows it on a terminal, which it leaves as it was, however it ends.
package tui

import (
	"context"

	"kayra/rollout"
	"kayra/tui/fleet"
)

// Client is a connection to a deployment, through which the dashboard does everything that it does outside of itself. Its
// methods may be called from any goroutine, and end soon after ctx. Their errors are for the person at the terminal: a
// sentence without secrets that says what to do. They need not be escaped.
type Client interface {
	// Follow sends to out what is new, until ctx ends or nothing more can be learnt. It holds an update back rather than send
	// more than a few times a second, sends nothing while nothing is new, and waits where out is full. It sends a
	// [fleet.Source] for whatever cannot be reached, and goes on trying for ever; now has a try made at once. It closes
	// nothing, and sends nothing after it has returned.
	Follow(ctx context.Context, out chan<- []fleet.Update, now <-chan struct{}) error
	// Detail asks about a subscription: its run, its steps and its events. What cannot be learnt stands in the update.
	Detail(ctx context.Context, api, namespace string) (fleet.Update, error)
	// Act does something, once.
	Act(ctx context.Context, a Action) error
	// Rollouts gives what rolls out through this connection. It may ask the server where its API is, once.
	Rollouts(ctx context.Context) (*rollout.Engine, error)
	// Switch connects to the context of a name, without asking its server anything. This connection stays as it is.
	Switch(ctx context.Context, context string) (Connection, error)
}

// Connection is a connection, and what there is to say of it without asking anybody.
type Connection struct {
	Client

	Context    string   // its name; "": the server was named otherwise
	Server     string   // URL, without a user
	Label      string   // what it is marked with, such as staging; "": nothing
	Production bool     // its label says that it is in production, so that nobody takes it for another one
	Contexts   []string // that there are to switch to, by name

	Place rollout.Place // of the commands that are shown
}

// Action is something to be done to one thing.
type Action struct {
	Verb      Verb
	API       string
	Namespace string // of Resync
}

// Verb says what is done.
type Verb string

// The verbs.
const (
	Resync Verb = "resync" // has a subscription synced again, whether or not it is synced
	Pause  Verb = "pause"  // has an API's subscriptions wait
	Resume Verb = "resume" // ends that
)
