package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"kayra/notice"
)

// sender is the deployment that events are of.
type sender struct{ platform, region string }

// message is an event as it is told.
type message struct {
	id      string // the same for every try, and for a repeated request of the same event
	subject string // on one line
	text    string
	plain   []byte // what a plain webhook gets
}

// posted is the body of a plain webhook.
type posted struct {
	notice.Event

	ID       string `json:"id"`
	Platform string `json:"platform"`
	Region   string `json:"region"`
}

// message puts the event into words.
func (s sender) message(e *notice.Event) *message {
	e.At = e.At.UTC()
	m := &message{id: identify(s, e)}
	m.subject = fmt.Sprintf("[%s/%s] %s", s.platform, s.region, readable(headline(e), false))
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", m.subject, readable(e.Message, true))
	for _, line := range []struct{ name, value string }{
		{"API", e.API},
		{"Sync id", e.SyncID},
		{"State", e.State},
		{"At", e.At.Format(time.RFC3339)},
		{"Team", e.Team},
		{"Reconciler", e.Reconciler},
	} {
		if line.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", line.name, readable(line.value, false))
		}
	}
	m.text = b.String()
	m.plain, _ = json.Marshal(posted{*e, m.id, s.platform, s.region}) // texts and a time always are JSON
	return m
}

// headline says what has happened.
func headline(e *notice.Event) string {
	format := map[notice.Kind]string{
		notice.Degraded: "%s is degraded", notice.Recovered: "%s has recovered",
		notice.RolloutStarted: "a rollout of %s has started", notice.RolloutReleased: "the rollout of %s was released",
		notice.RolloutAborted: "the rollout of %s was aborted", notice.RolledBack: "%s was rolled back",
	}[e.Kind]
	return fmt.Sprintf(format, e.API)
}

// identify has the same id for the same event.
func identify(s sender, e *notice.Event) string {
	const long = 16 // bytes
	content, _ := json.Marshal(posted{Event: *e, Platform: s.platform, Region: s.region})
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:long])
}

// readable is the text without what a terminal, a mail program or a header could take for more than text. It is on one line
// unless there may be more.
func readable(text string, lines bool) string {
	return strings.Map(func(c rune) rune {
		switch {
		case lines && c == '\n':
			return c
		case unicode.IsSpace(c), unicode.IsControl(c):
			return ' '
		case unicode.Is(unicode.Bidi_Control, c):
			return -1
		}
		return c
	}, text)
}

// slackText is the text as Slack takes it, which reads < and > as the ends of links and mentions.
func slackText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
