// Package notify tells teams what has happened to their APIs, by Slack, by a webhook of their own and by e-mail.
//
// A channel is tried at most four times, within a bounded time in all: again after what may pass (no answer, 408, 429, 5xx, a
// reply of SMTP that begins with 4), at growing and random intervals or when the receiver says that it may be, and not
// after anything else. No redirect is followed. Tries are made for a few channels at a time, and for each channel one by
// one; none is held up while another waits for its next try.
//
// A webhook's URL is a secret, as is the password of SMTP. What fails is told in words of this package's own, which never
// hold a URL, an address, an answer or what a library has said.
package notify

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kayra/notice"
)

// Bounds on a delivery.
const (
	defaultTimeout = 12 * time.Second // of all tries together; within the time that a request may take
	defaultPause   = 500 * time.Millisecond
	tryTimeout     = 5 * time.Second
	maxTries       = 4
	maxAtOnce      = 8 // tries
)

// Secret gives a text that must not show: it is asked for before each try, so that it may be replaced.
type Secret func() (string, error)

// Team is how a team is reached. What is nil or empty is not used.
type Team struct {
	SlackWebhook Secret // URL of an incoming webhook
	Webhook      Secret // URL
	Email        []string
}

// Options are what a Notifier is made of.
type Options struct {
	Teams    map[string]Team // by name, to the letter
	SMTP     SMTP            // required if a team has e-mail
	Platform string          // with Region the deployment that the events are of
	Region   string
	Version  string               // of the program
	Registry *prometheus.Registry // nil: none
	Timeout  time.Duration        // of a delivery; 0: 12 s
	Pause    time.Duration        // about how long to wait before the second try; 0: 500 ms
}

// Notifier delivers events. Its methods may be called from any number of goroutines.
type Notifier struct {
	teams   map[string][]*target
	from    sender
	timeout time.Duration
	pause   time.Duration
	slots   chan struct{}
	counts  *prometheus.CounterVec
}

// target is one channel of one team.
type target struct {
	channel notice.Channel
	turn    chan struct{} // held by the event that is delivered by it
	send    func(ctx context.Context, m *message) error
}

// CheckURL tells whether a webhook can have the URL. Its error does not show it.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "" {
		return errors.New("it is not a URL with http:// or https:// and a host")
	}
	return nil
}

// New makes a notifier. It reads none of the secrets. It fails where a password would cross a connection in the clear, and
// when the registry has metrics of another notifier.
func New(o Options) (*Notifier, error) {
	if o.SMTP.Username != "" && o.SMTP.Encryption == Clear {
		return nil, errors.New("new notifier: a password is not sent in the clear")
	}
	n := &Notifier{
		teams: map[string][]*target{}, from: sender{o.Platform, o.Region}, timeout: o.Timeout, pause: o.Pause,
		slots: make(chan struct{}, maxAtOnce),
		counts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kayra_notifications_total", Help: "Events by the channel they were to be told by, and whether they were: delivered or failed.",
		}, []string{"event", "channel", "result"}),
	}
	if n.timeout == 0 {
		n.timeout = defaultTimeout
	}
	if n.pause == 0 {
		n.pause = defaultPause
	}
	hooks, mail := newHooks(o.Version), mailer{o.SMTP}
	for name, team := range o.Teams {
		n.add(name, notice.Slack, team.SlackWebhook != nil, hooks.slack(team.SlackWebhook))
		n.add(name, notice.Webhook, team.Webhook != nil, hooks.plain(team.Webhook))
		n.add(name, notice.Email, len(team.Email) > 0, mail.to(team.Email))
	}
	if o.Registry != nil {
		if err := o.Registry.Register(n.counts); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return n, nil
}

func (n *Notifier) add(team string, channel notice.Channel, has bool, send func(context.Context, *message) error) {
	if has {
		n.teams[team] = append(n.teams[team], &target{channel: channel, turn: make(chan struct{}, 1), send: send})
	}
}

// Deliver tells the team of the event by all its channels, or by those that are named, and says by which it was told. It
// returns within the timeout. A team that is not known has no channels.
func (n *Notifier) Deliver(ctx context.Context, e notice.Event, by []notice.Channel) notice.Answer {
	ctx, cancel := context.WithTimeout(ctx, n.timeout)
	defer cancel()
	targets := slices.DeleteFunc(slices.Clone(n.teams[e.Team]), func(t *target) bool { return len(by) > 0 && !slices.Contains(by, t.channel) })
	m := n.from.message(&e)
	errs := make([]error, len(targets))
	var all sync.WaitGroup
	for i, t := range targets {
		all.Go(func() { errs[i] = n.deliver(ctx, t, m) })
	}
	all.Wait()
	answer := notice.Answer{Delivered: []notice.Channel{}, Failed: []notice.Failure{}}
	for i, t := range targets {
		result := "delivered"
		if errs[i] == nil {
			answer.Delivered = append(answer.Delivered, t.channel)
		} else {
			result = "failed"
			answer.Failed = append(answer.Failed, notice.Failure{Channel: t.channel, Error: errs[i].Error()})
		}
		n.counts.WithLabelValues(string(e.Kind), string(t.channel), result).Inc()
	}
	return answer
}
