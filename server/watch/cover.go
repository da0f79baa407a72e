package watch

import "slices"

// cover tells which feeds have a subscription among their rows, so that none is looked at without need.
type cover struct {
	everywhere  []*feed
	ofAPI       map[string][]*feed
	ofNamespace map[string][]*feed
}

func newCover() cover { return cover{ofAPI: map[string][]*feed{}, ofNamespace: map[string][]*feed{}} }

func (c *cover) add(f *feed) {
	switch {
	case !f.topic.ofSubscriptions():
	case f.topic.API != "":
		c.ofAPI[f.topic.API] = append(c.ofAPI[f.topic.API], f)
	case f.topic.Namespace != "":
		c.ofNamespace[f.topic.Namespace] = append(c.ofNamespace[f.topic.Namespace], f)
	default:
		c.everywhere = append(c.everywhere, f)
	}
}

func (c *cover) remove(f *feed) {
	without := func(list []*feed) []*feed {
		return slices.DeleteFunc(list, func(o *feed) bool { return o == f })
	}
	c.everywhere = without(c.everywhere)
	for by, name := range map[*map[string][]*feed]string{&c.ofAPI: f.topic.API, &c.ofNamespace: f.topic.Namespace} {
		if (*by)[name] = without((*by)[name]); len((*by)[name]) == 0 {
			delete(*by, name)
		}
	}
}

// empty tells whether no feed has any subscription.
func (c *cover) empty() bool {
	return len(c.everywhere) == 0 && len(c.ofAPI) == 0 && len(c.ofNamespace) == 0
}

// has tells whether a feed may have the subscription.
func (c *cover) has(t *tenant) bool {
	return len(c.everywhere) > 0 || len(c.ofAPI[t.group.name]) > 0 || len(c.ofNamespace[t.namespace]) > 0
}

// some tells whether a feed may have one of the API's subscriptions.
func (c *cover) some(a *group) bool {
	return len(c.everywhere) > 0 || len(c.ofNamespace) > 0 || len(c.ofAPI[a.name]) > 0
}

// of are the feeds that may have the subscription.
func (c *cover) of(t *tenant) [3][]*feed {
	return [3][]*feed{c.everywhere, c.ofAPI[t.group.name], c.ofNamespace[t.namespace]}
}
