// Package contexts keeps what logging in has led to: servers under names, each with the token for it, in one file.
//
//	current: prod
//	contexts:
//	  - name: prod
//	    server: https://kayra.example.com
//	    token: ...
//
// The file is the user's alone, and it is never left half written. What stands in it beside the keys that are known here,
// comments too, survives a change.
package contexts

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"kayra/config"
)

var errNoServer = errors.New("is no URL of a server: use one such as https://kayra.example.com, without user, query and fragment")

// maxName bounds a context's name, in bytes. The name of a host and its port fit.
const maxName = 260

// Context is a server, and what it is spoken to with. Only Name and Server are required.
type Context struct {
	Name       string
	Server     string // base URL
	Token      config.Secret
	GatewayURL string // base URL of the gateway that may have the token, too
	CAFile     string
	CertFile   string // with KeyFile a client certificate
	KeyFile    string

	Reconcilers bool   // the reconcilers that the server names may have the token, too
	Label       string // what it is marked with wherever it is shown, such as production; see [CheckLabel]

	node *yaml.Node // the entry that it was read from, or nil
}

// Contexts are all of a file.
type Contexts struct {
	Current string // the name of the one that is used where nothing else says which, or ""; it need not be there
	All     []Context

	root *yaml.Node // the mapping that they were read from, or nil
}

// Find gives the context of a name.
func (c *Contexts) Find(name string) (Context, bool) {
	i := c.index(name)
	if i < 0 {
		return Context{}, false
	}
	return c.All[i], true
}

func (c *Contexts) index(name string) int {
	return slices.IndexFunc(c.All, func(x Context) bool { return x.Name == name })
}

// Names are those of all contexts, in their order.
func (c *Contexts) Names() []string {
	names := make([]string, len(c.All))
	for i, x := range c.All {
		names[i] = x.Name
	}
	return names
}

// At gives the context that has a token for exactly the server: the current one, or else the only one.
func (c *Contexts) At(server string) (Context, bool) {
	server = Normal(server)
	var found []Context
	for _, x := range c.All {
		if Normal(x.Server) != server || x.Token.IsZero() {
			continue
		}
		if x.Name == c.Current {
			return x, true
		}
		found = append(found, x)
	}
	if len(found) != 1 {
		return Context{}, false
	}
	return found[0], true
}

// Put writes a context over the one of its name, or adds it.
func (c *Contexts) Put(x Context) {
	if i := c.index(x.Name); i >= 0 {
		x.node = c.All[i].node
		c.All[i] = x
		return
	}
	x.node = nil
	c.All = append(c.All, x)
}

// Rename gives a context another name, which must be free.
func (c *Contexts) Rename(from, to string) {
	c.All[c.index(from)].Name = to
	if c.Current == from {
		c.Current = to
	}
}

// Delete forgets a context.
func (c *Contexts) Delete(name string) {
	c.All = slices.DeleteFunc(c.All, func(x Context) bool { return x.Name == name })
	if c.Current == name {
		c.Current = ""
	}
}

// CheckName refuses what cannot be a context's name: nothing, what a command line would take for a flag, spaces, and what
// cannot be seen.
func CheckName(name string) error {
	odd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == unicode.ReplacementChar }
	if name == "" || len(name) > maxName || name[0] == '-' || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("%.80q is no name for a context: use up to %d letters, digits and marks, without spaces, and no dash in front", name, maxName)
	}
	return nil
}

// maxLabel bounds a context's label, in characters: it has to fit beside everything else.
const maxLabel = 20

// CheckLabel refuses what cannot mark a context: what is long, has spaces in it or cannot be seen. None at all is fine.
func CheckLabel(label string) error {
	odd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == unicode.ReplacementChar }
	if utf8.RuneCountInString(label) > maxLabel || strings.ContainsFunc(label, odd) {
		return fmt.Errorf("%.80q is no label for a context: use up to %d letters, digits and marks, without spaces", label, maxLabel)
	}
	return nil
}

// Production tells whether a label says production, such as prod, Production or prod-eu: nobody changes anything there by mistake.
func Production(label string) bool { return strings.HasPrefix(strings.ToLower(label), "prod") }

// CheckServer refuses what is not the base URL of a server.
func CheckServer(server string) error {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errNoServer
	}
	return nil
}

// Normal is a server's URL as it compares with others: the letters of its host small, without the port that its scheme
// has anyway and without a slash at its end.
func Normal(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" || port == "" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	return strings.TrimRight(u.String(), "/")
}

// Origin is the scheme, the host and the port of a URL, as they compare with others.
func Origin(at string) string {
	u, err := url.Parse(Normal(at))
	if err != nil {
		return at
	}
	return u.Scheme + "://" + u.Host
}

// NameOf is the name that a server's context has where none is given: its host, and its port if it has one of its own.
func NameOf(server string) string {
	u, err := url.Parse(Normal(server))
	if err != nil {
		return ""
	}
	if u.Port() == "" {
		return u.Hostname()
	}
	return net.JoinHostPort(u.Hostname(), u.Port())
}
