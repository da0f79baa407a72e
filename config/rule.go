package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rule says which texts a key takes.
type rule struct {
	use string // what is allowed, as the end of "use …"
	ok  func(text string) bool
}

var (
	label    = regexp.MustCompile(`^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$`)
	hostName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	prefix   = regexp.MustCompile(`^(?:/[A-Za-z0-9._-]+)+$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	scheme   = regexp.MustCompile(`^(?i:https?)://[^/?#\s]`)
)

func anyText() rule { return rule{"text", func(string) bool { return true }} }

func filled(use string) rule { return rule{use, func(text string) bool { return text != "" }} }

func oneOf(allowed ...string) rule {
	return rule{list(allowed), func(text string) bool { return slices.Contains(allowed, text) }}
}

func httpMethod() rule {
	r := oneOf("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
	return rule{r.use, func(text string) bool { return r.ok(strings.ToUpper(text)) }}
}

func dnsLabel() rule {
	return rule{"a DNS label such as eu-west-1: at most 63 of a-z, 0-9 and inner dashes", func(text string) bool {
		return text == "" || isLabel(text)
	}}
}

func dnsName() rule {
	return rule{"a DNS name such as example.com, in lower case", func(text string) bool {
		return len(text) <= 253 && !slices.ContainsFunc(strings.Split(text, "."), func(part string) bool {
			return !isLabel(part)
		})
	}}
}

func address() rule {
	return rule{"an address HOST:PORT such as 127.0.0.1:8080 or :8080", func(text string) bool {
		host, port, err := net.SplitHostPort(text)
		return err == nil && isPort(port) && (host == "" || isHost(host))
	}}
}

// baseURL takes a URL that paths are appended to.
func baseURL() rule {
	return rule{"a URL such as https://gateway.example.com, without query and fragment", func(text string) bool {
		u, err := url.Parse(text)
		return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isHostPort(u.Host) &&
			u.RawQuery == "" && u.Fragment == "" && !u.ForceQuery && u.Opaque == ""
	}}
}

// issuer takes the identifier of an OIDC issuer (OpenID Connect Discovery 1.0, section 3), which is compared as text.
func issuer() rule {
	base := baseURL()
	return rule{"a URL such as https://login.example.com, without user, query and fragment", func(text string) bool {
		return base.ok(text) && !strings.ContainsAny(text, "@#")
	}}
}

func etcdEndpoint() rule {
	base := baseURL()
	return rule{"HOST:PORT, http://HOST:PORT or https://HOST:PORT (username and password_file are keys of their own)", func(text string) bool {
		if strings.Contains(text, "@") {
			return false
		}
		if strings.Contains(text, "://") {
			return base.ok(text)
		}
		host, port, err := net.SplitHostPort(text)
		return err == nil && isPort(port) && isHost(host)
	}}
}

func keyPrefix() rule {
	return rule{"a prefix such as /kayra: parts of letters, digits, dots, dashes and underscores, each after a slash", prefix.MatchString}
}

func outputHost() rule {
	return rule{"HOST or HOST:PORT, without scheme and path", isHostPort}
}

// endpoint takes what may become a URL once its templates are rendered.
func endpoint() rule {
	return rule{"a URL that begins with http:// or https://, or a template", func(text string) bool {
		return strings.TrimSpace(text) == text && (strings.HasPrefix(text, "{{") || scheme.MatchString(text))
	}}
}

func headerType() rule {
	return rule{"one word such as Bearer or Basic", func(text string) bool {
		return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
	}}
}

func envName() rule {
	return rule{"the name of an environment variable, such as KAYRA_ROOT_TOKEN", variable.MatchString}
}

func sha256Digest() rule {
	return rule{"the SHA-256 of the token: 64 hexadecimal digits", func(text string) bool {
		digest, err := hex.DecodeString(text)
		return err == nil && len(digest) == sha256.Size
	}}
}

func isLabel(text string) bool { return len(text) <= 63 && label.MatchString(text) }

func isHostName(text string) bool { return len(text) <= 253 && hostName.MatchString(text) }

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && strconv.FormatUint(port, 10) == text
}

func isHost(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil || isHostName(text)
}

// isHostPort takes a host, in brackets if it is an IPv6 address, with or without a port.
func isHostPort(text string) bool {
	if host, port, err := net.SplitHostPort(text); err == nil {
		return isHost(host) && isPort(port)
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		return isHost(strings.TrimSuffix(inner, "]"))
	}
	return isHostName(text)
}

// list writes words as "a, b or c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return fmt.Sprintf("%s or %s", strings.Join(words[:last], ", "), words[last])
}
