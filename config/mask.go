package config

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
	text = userinfo.ReplaceAllString(text, "${1}"+mask+"@")
	rest, _, fragmented := strings.Cut(text, "#")
	path, query, queried := strings.Cut(rest, "?")
	if queried {
		path += "?" + parameter.ReplaceAllStringFunc(query, maskParameter)
	}
	if fragmented {
		path += "#" + mask
	}
	return strings.NewReplacer(actions...).Replace(path)
}

func maskParameter(text string) string {
	if name, _, ok := strings.Cut(text, "="); ok {
		return name + "=" + mask
	}
	return mask
}

// each visits the members of a mapping, and the items of a list under the name "".
func each(n *yaml.Node, visit func(name string, n *yaml.Node)) {
	if isMapping(n) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			visit(n.Content[i].Value, n.Content[i+1])
		}
		return
	}
	for _, item := range n.Content {
		visit("", item)
	}
}

func hideTokens(n *yaml.Node) {
	each(n, func(_ string, item *yaml.Node) {
		if token := member(item, "token"); token != nil {
			hideSecret(token)
		}
	})
}

// hideSecret leaves where a secret is found, and hides everything else.
func hideSecret(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		n.Value, n.Tag = mask, tagStr
		return
	}
	each(n, func(name string, child *yaml.Node) {
		if name != fromEnv && name != fromFile {
			hideSecret(child)
		}
	})
}

func hideHeaders(n *yaml.Node) {
	each(n, func(_ string, header *yaml.Node) {
		if content := member(header, "value"); content != nil {
			hideSecret(content)
		} else {
			hideSecret(header)
		}
	})
}

// hideTeams hides the URLs of webhooks as a whole: the key of one may stand anywhere in it.
func hideTeams(n *yaml.Node) {
	each(n, func(_ string, team *yaml.Node) {
		each(team, func(name string, n *yaml.Node) {
			if name != "email" {
				hideSecret(n)
			}
		})
	})
}

func hideModes(n *yaml.Node) {
	each(n, func(_ string, steps *yaml.Node) {
		each(steps, func(_ string, step *yaml.Node) {
			each(step, func(name string, n *yaml.Node) {
				switch name {
				case "endpoint":
					n.Value = maskURL(n.Value)
				case "headers":
					hideHeaders(n)
				case "data":
					hideData(n)
				}
			})
		})
	})
}

// hideData hides what someone has written into a body instead of naming a variable or a file. What of it is a secret cannot
// be told, so that all texts and numbers go; templates stay, but for those with a text of their own.
func hideData(n *yaml.Node) {
	if tag := n.ShortTag(); n.Kind == yaml.ScalarNode && tag != tagBool && tag != tagNull {
		hideText(n)
	}
	each(n, func(_ string, child *yaml.Node) { hideData(child) })
}

// hideText hides a text but for the harmless actions of its template.
func hideText(n *yaml.Node) {
	actions := action.FindAllString(n.Value, -1)
	if actions == nil {
		hideSecret(n)
		return
	}
	var b strings.Builder
	for i, literal := range action.Split(n.Value, -1) {
		if literal != "" {
			b.WriteString(mask)
		}
		switch {
		case i == len(actions):
		case harmless.MatchString(actions[i]):
			b.WriteString(actions[i])
		default:
			b.WriteString(mask)
		}
	}
	n.Value = b.String()
}
