package pipeline

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// site is a scheme, host and port: what a secret may not leave. The zero site is none.
type site struct {
	scheme, host string // the host with its port, in lower case
}

func siteOf(u *url.URL) site {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return site{u.Scheme, net.JoinHostPort(strings.ToLower(u.Hostname()), port)}
}

// outputHosts are the hosts and hosts with ports that an output may send a step to.
type outputHosts map[string]bool

func parseOutputHosts(entries []string) (outputHosts, error) {
	hosts := outputHosts{}
	for i, entry := range entries {
		u, err := url.Parse("//" + entry)
		if err != nil || u.Host != entry || u.Hostname() == "" {
			return nil, fmt.Errorf("output_hosts[%d]: %q is not a host or host:port", i, entry)
		}
		hosts[strings.ToLower(entry)] = true
	}
	return hosts, nil
}

// allow reports whether an output that giver gave may send a step to target. To its own giver it may, but not from https
// down to http.
func (h outputHosts) allow(target, giver site) bool {
	name, _, err := net.SplitHostPort(target.host)
	if err != nil {
		return false
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	own := target.host == giver.host && (target.scheme == "https" || giver.scheme == "http")
	return own || h[name] || h[target.host]
}
