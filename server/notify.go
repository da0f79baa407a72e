package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"kayra/notice"
	"kayra/store/catalog"
)

// Bounds on the texts of an event, in bytes.
const (
	maxMessage = 4096
	maxWord    = 512
	maxTeam    = 64 << 10 // as an owner's
)

// notify has an event delivered. That a team cannot be told is no failure of the request, whose answer says so.
func (s *Server) notify(c *call) (reply, error) {
	r := noticeRequest(c.body)
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	answer := notice.Answer{Delivered: []notice.Channel{}, Failed: []notice.Failure{}}
	if s.notifier != nil {
		answer = s.notifier.Deliver(c.Context(), r.Event, r.Channels)
	}
	for _, f := range answer.Failed {
		s.log.LogAttrs(c.Context(), slog.LevelWarn, "a team was not told", slog.String("team", clip(r.Team)),
			slog.String("event", string(r.Kind)), slog.String("api", r.API), slog.String("channel", string(f.Channel)),
			slog.String("error", f.Error), slog.String("request_id", requestIDOf(c.Request)))
	}
	return reply{status: http.StatusOK, body: answer}, nil
}

func noticeRequest(o *object) notice.Request {
	r := notice.Request{Event: notice.Event{
		Team: o.short("team", maxTeam, o.filled), Kind: oneOf(o, "event", notice.Kinds()), API: o.filled("api"),
		Message: o.short("message", maxMessage, o.filled), SyncID: o.short("sync_id", maxWord, o.optional),
		State: o.short("state", maxWord, o.optional), At: o.instant("at"), Reconciler: o.short("reconciler", maxWord, o.optional),
	}}
	if r.API != "" && !catalog.ValidLongName(r.API) {
		o.refuse("api", "%q cannot be the name of an API registration", clip(r.API))
	}
	for i, name := range o.names("channels") {
		if !slices.Contains(notice.Channels(), notice.Channel(name)) {
			o.refuseAt(fmt.Sprintf("/channels/%d", i), "%q is not a channel: %v are", clip(name), notice.Channels())
		}
		r.Channels = append(r.Channels, notice.Channel(name))
	}
	return r
}

// optional is the string under a key that may be left out or null.
func (o *object) optional(key string) string {
	var text string
	set(&text, o.text(key))
	return text
}

// short reads a string, which may not be longer than so many bytes.
func (o *object) short(key string, most int, read func(string) string) string {
	text := read(key)
	if len(text) > most {
		o.refuse(key, "is %d bytes long; at most %d are allowed", len(text), most)
	}
	return text
}

// instant is the time under a key that has to be there.
func (o *object) instant(key string) time.Time {
	before := len(o.wrong)
	text := o.identity(key)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil && len(o.wrong) == before {
		o.refuse(key, "%q is not a time of RFC 3339, such as 2026-11-30T03:08:41Z", clip(text))
	}
	return at
}

// oneOf is the string under a key that has to be there, and one of those that are allowed.
func oneOf[T ~string](o *object, key string, allowed []T) T {
	before := len(o.wrong)
	text := T(o.identity(key))
	if !slices.Contains(allowed, text) && len(o.wrong) == before {
		o.refuse(key, "%q is not allowed; %v are", clip(string(text)), allowed)
	}
	return text
}
