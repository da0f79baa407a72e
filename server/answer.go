package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"kayra/server/api"
	"kayra/store/catalog"
)

const jsonType = "application/json"

// send answers with a reply.
func (s *Server) send(w http.ResponseWriter, r *http.Request, rep reply) {
	h := w.Header()
	if rep.tag != "" {
		h.Set("ETag", `"`+rep.tag+`"`)
	}
	if rep.location != "" {
		h.Set("Location", rep.location)
	}
	if rep.status == 0 {
		rep.status = http.StatusOK
	}
	switch {
	case rep.handler != nil:
		rep.handler.ServeHTTP(w, r)
	case rep.raw != nil:
		s.writeBytes(w, r, jsonType, rep.status, rep.raw)
	case rep.body != nil:
		s.write(w, r, jsonType, rep.status, rep.body)
	default:
		w.WriteHeader(rep.status)
	}
}

// write sends a value as JSON. It is encoded before the status is sent, so that a failure can still be told.
func (s *Server) write(w http.ResponseWriter, r *http.Request, mediaType string, status int, value any) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		s.fail(w, r, fmt.Errorf("encode answer: %w", err))
		return
	}
	s.writeBytes(w, r, mediaType, status, buf.Bytes())
}

func (s *Server) writeBytes(w http.ResponseWriter, r *http.Request, mediaType string, status int, data []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	if _, err := w.Write(data); err != nil {
		s.log.LogAttrs(r.Context(), slog.LevelDebug, "answer not sent", slog.String("path", r.URL.Path),
			slog.String("request_id", requestIDOf(r)), slog.Any("error", err))
	}
}

// listed answers with a page of a list.
func listed[T, R any](page catalog.Page[R], err error, answer func(*R) T) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{body: api.NewList(page.Items, next(page.Next), answer)}, nil
}

// created is the reply for an object that is new, at the path of its collection.
func created(c *call, name string, object reply) reply {
	object.status, object.location = http.StatusCreated, c.URL.Path+"/"+name
	return object
}

func deleted(err error) (reply, error) {
	return reply{status: http.StatusNoContent}, err
}
