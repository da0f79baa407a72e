package pipeline

import (
	"fmt"
	"regexp"
	"strings"
)

// What follows is what package config does to show a step. It has to be the same, and neither package may import the other.

// viewMask stands in a [StepView] where a secret would.
const viewMask = "********"

var (
	action    = regexp.MustCompile(`\{\{.*?\}\}`)
	userinfo  = regexp.MustCompile(`^([^/?#]*://)[^/?#]*@`)
	parameter = regexp.MustCompile(`[^&]+`)
	harmless  = regexp.MustCompile("^\\{\\{(?:[^\"`]*|-?\\s*(?:env|file)\\s+[\"`][^\"`]*[\"`]\\s*-?)\\}\\}$") // has no text but a name
)

// maskURL hides the userinfo, the values of the query and the fragment in what is a URL or a template of one. Other texts
// stay.
func maskURL(text string) string {
	if !strings.Contains(text, "://") && !strings.HasPrefix(text, "{{") {
		return text
	}
	var actions []string // of the template, taken out so that nothing in them counts as a part of the URL
	text = action.ReplaceAllStringFunc(text, func(a string) string {
		placeholder := fmt.Sprintf("\x00%d\x00", len(actions))
		actions = append(actions, placeholder, a)
		return placeholder
	})
	text = userinfo.ReplaceAllString(text, "${1}"+viewMask+"@")
	rest, _, fragmented := strings.Cut(text, "#")
	path, query, queried := strings.Cut(rest, "?")
	if queried {
		path += "?" + parameter.ReplaceAllStringFunc(query, maskParameter)
	}
	if fragmented {
		path += "#" + viewMask
	}
	return strings.NewReplacer(actions...).Replace(path)
}

func maskParameter(text string) string {
	if name, _, ok := strings.Cut(text, "="); ok {
		return name + "=" + viewMask
	}
	return viewMask
}

// maskData gives a copy in which all literal texts and numbers are hidden. What of them is a secret cannot be told.
func maskData(v any) any {
	switch v := v.(type) {
	case nil, bool:
		return v
	case string:
		return maskText(v)
	case map[string]any:
		shown := make(map[string]any, len(v))
		for key, value := range v {
			shown[key] = maskData(value)
		}
		return shown
	case []any:
		shown := make([]any, len(v))
		for i, item := range v {
			shown[i] = maskData(item)
		}
		return shown
	}
	return viewMask
}

// maskText hides a text but for the harmless actions of its template.
func maskText(text string) string {
	actions := action.FindAllString(text, -1)
	if actions == nil {
		return viewMask
	}
	var b strings.Builder
	for i, literal := range action.Split(text, -1) {
		if literal != "" {
			b.WriteString(viewMask)
		}
		switch {
		case i == len(actions):
		case harmless.MatchString(actions[i]):
			b.WriteString(actions[i])
		default:
			b.WriteString(viewMask)
		}
	}
	return b.String()
}
