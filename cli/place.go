package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kayra/cli/contexts"
	"kayra/cli/term"
	"kayra/config"
)

// place is the server that a command speaks to, and what it is spoken to with.
type place struct {
	server  string
	by      string // what has decided for the server
	context string // the context that has decided, or ""

	token   config.Secret
	tokenBy string // what has given the token, or ""
	stored  bool   // the token is one of a context: it is for this server alone

	gateway    string // base URL, or ""
	ownGateway bool   // the gateway stands in the context

	reconcilers bool   // the context's token may go to reconcilers that the server names, too
	label       string // what the context is marked with, or ""

	caFile, certFile, keyFile string
}

// String is how messages name the place.
func (p *place) String() string {
	if p.context == "" {
		return p.server
	}
	return fmt.Sprintf("%s (context %s)", p.server, p.context)
}

// withheld tells that the gateway does not get the token: one of a context goes to the gateway that stands in the context,
// or is the server itself, alone. Any other may be of another deployment.
func (p *place) withheld() bool {
	return p.stored && !p.ownGateway && contexts.Origin(p.gateway) != contexts.Origin(p.server)
}

// The name of the flag, and of the variable, that names a context.
const (
	contextFlag     = "context"
	contextVariable = "KAYRA_CONTEXT"
)

// chooser finds the place that a command's flags, the environment, kayra.yaml and the contexts give.
type chooser struct {
	config *config.Config
	flag   string // --context
	env    string // $KAYRA_CONTEXT
	token  config.Secret
	read   func() (*contexts.Contexts, error)
	warn   func(format string, args ...any)
	all    *contexts.Contexts // what read gave
}

// kind is what sort of thing has given a key its value: flag, env, file or default.
func kind(c *config.Config, key string) string {
	sort, _, _ := strings.Cut(c.Source(key), " ")
	return sort
}

// place finds the server: that of --server, else of --context, $KAYRA_CLIENT_SERVER, $KAYRA_CONTEXT, kayra.yaml, the
// current context, or the default.
func (c *chooser) place() (*place, error) {
	client := c.config.Client
	p := &place{server: client.Server, by: c.config.Source("client.server"), gateway: c.config.Reconciler.GatewayURL}
	x, err := c.decide(p)
	if err != nil {
		return nil, err
	}
	if err := c.chooseToken(p, &x); err != nil {
		return nil, err
	}
	p.caFile, p.certFile, p.keyFile = client.CAFile, client.CertFile, client.KeyFile
	if p.context != "" || p.stored {
		c.useContext(p, x)
	}
	return p, nil
}

// decide gives the context that the place is of, if it is of one.
func (c *chooser) decide(p *place) (contexts.Context, error) {
	name, by, err := c.named()
	if err != nil {
		return contexts.Context{}, err
	}
	switch {
	case name != "":
		x, err := c.find(name, by)
		p.server, p.by, p.context = x.Server, by, name
		return x, err
	case c.flag != "": // beside --server
		x, err := c.find(c.flag, "flag --"+contextFlag)
		if err != nil || contexts.Normal(x.Server) == contexts.Normal(p.server) {
			p.context = x.Name
			return x, err
		}
		c.warn("warning: --server decides: context %s is for %s, and its token is not sent", term.Escape(x.Name), term.Escape(x.Server))
	}
	return contexts.Context{}, nil
}

// useContext takes what stands in the context beside its server and its token. kayra.yaml, which may be that of any folder,
// has no say in how a context's server is found to be the right one; the environment has.
func (c *chooser) useContext(p *place, x contexts.Context) {
	if x.GatewayURL != "" {
		p.gateway, p.ownGateway = x.GatewayURL, true
	}
	p.reconcilers, p.label = x.Reconcilers, x.Label
	if !strong(c.config, "client.ca_file") {
		p.caFile = x.CAFile
	}
	if !strong(c.config, "client.cert_file") {
		p.certFile, p.keyFile = x.CertFile, x.KeyFile
	}
}

// strong tells whether a flag or a variable has given a key its value.
func strong(c *config.Config, key string) bool {
	from := kind(c, key)
	return from == "flag" || from == "env"
}

// currentContext has decided where nothing else has.
const currentContext = "current context"

// named is the context that decides for the server, or "".
func (c *chooser) named() (name, by string, err error) {
	switch from := kind(c.config, "client.server"); {
	case from == "flag":
		return "", "", nil
	case c.flag != "":
		return c.flag, "flag --" + contextFlag, nil
	case from == "env":
		return "", "", nil
	case c.env != "":
		return c.env, "env " + contextVariable, nil
	case from == "file":
		return "", "", nil
	}
	all, err := c.contexts()
	if err != nil {
		return "", "", err
	}
	return all.Current, currentContext, nil
}

// contexts reads the file when it is first needed, so that what does not need it does not fail for it.
func (c *chooser) contexts() (_ *contexts.Contexts, err error) {
	if c.all == nil {
		c.all, err = c.read()
	}
	return c.all, err
}

func (c *chooser) find(name, by string) (contexts.Context, error) {
	all, err := c.contexts()
	if err != nil {
		return contexts.Context{}, err
	}
	x, ok := all.Find(name)
	if !ok {
		return x, unknownContext(name, by, all)
	}
	return x, nil
}

// chooseToken takes that of --token-file, else of --context, $KAYRA_CLIENT_TOKEN, kayra.yaml or a context. What is stored
// in a context goes to the server of that context, and what stands in kayra.yaml to none that a context has named. x is the
// context that has decided for the server, and becomes the one whose token was taken.
func (c *chooser) chooseToken(p *place, x *contexts.Context) error {
	configured, from := c.config.Client.Token, c.config.Source("client.token")
	switch {
	case !c.token.IsZero():
		p.token, p.tokenBy = c.token, "flag --"+tokenFile
	case c.flag != "" && p.context == c.flag && !x.Token.IsZero():
		p.store(*x)
	case kind(c.config, "client.token") == "env":
		p.token, p.tokenBy = configured, from
	case p.context != "":
		p.store(*x)
	case !configured.IsZero() && kind(c.config, "client.server") != "flag":
		p.token, p.tokenBy = configured, from
	default:
		all, err := c.contexts()
		if err != nil {
			return err
		}
		var found bool
		if *x, found = all.At(p.server); found {
			p.store(*x)
		} else if !configured.IsZero() {
			p.token, p.tokenBy = configured, from
		}
	}
	return nil
}

// store takes the token of a context, if it has one.
func (p *place) store(x contexts.Context) {
	if !x.Token.IsZero() {
		p.token, p.tokenBy, p.stored = x.Token, "context "+x.Name, true
	}
}

// unknownContext is the failure for a context that is none, with those that there are.
func unknownContext(name, by string, all *contexts.Contexts) error {
	names := slices.Sorted(slices.Values(all.Names()))
	hint := "`kayra login --server URL` makes one"
	if len(names) > 0 {
		hint = "there are " + strings.Join(names, ", ")
	}
	if len(names) == 1 {
		hint = "there is " + names[0]
	}
	message := fmt.Sprintf("there is no context %q", name)
	if by != "" {
		message += ", which " + by + " names"
	}
	err := unknown(name, names, message, hint)
	if f, ok := errors.AsType[*failure](err); ok {
		f.code = codeUsage
	}
	return err
}
