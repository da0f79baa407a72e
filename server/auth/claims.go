package auth

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxName   = 256 // of a user or a group, in bytes
	maxGroups = 500
)

// claims are what a token says, after its signature was checked.
type claims map[string]json.RawMessage

// parseClaims reads claims. It refuses the name of a claim that decides in any other case than its own, because readers of
// JSON differ on whether that is the same.
func parseClaims(payload []byte) (claims, error) {
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, refusal("the token's claims are not a JSON object")
	}
	for name := range c {
		for _, own := range []string{"iss", "sub", "aud", "exp", "nbf", "iat", "email_verified"} {
			if name != own && strings.EqualFold(name, own) {
				return nil, refusal("the token has the claim %s in another case", own)
			}
		}
	}
	return c, nil
}

// check holds the claims that every token has against what is expected of them.
func (c claims) check(audience string, now time.Time) error {
	if got, ok := c.texts("aud"); !ok || !slices.Contains(got, audience) {
		return refusal("the token is meant for another audience than %q", audience)
	}
	expiry, has, ok := c.time("exp")
	switch {
	case !ok:
		return refusal("the token's expiry time (exp) is not a time in seconds")
	case !has:
		return refusal("the token has no expiry time (exp)")
	case expired(expiry, now):
		return refusal("the token expired at %s", show(expiry))
	}
	if from, _, ok := c.time("nbf"); !ok || now.Add(skew).Before(from) {
		return refusal("the token is not valid yet (nbf); mind the clocks of the issuer and of this server")
	}
	if issued, _, ok := c.time("iat"); !ok || now.Add(skew).Before(issued) {
		return refusal("the token was issued in the future (iat); mind the clocks of the issuer and of this server")
	}
	return nil
}

func expired(expiry, now time.Time) bool { return now.Add(-skew).After(expiry) }

func show(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// time reads a NumericDate (RFC 7519, section 2), which may be missing.
func (c claims) time(name string) (at time.Time, has, ok bool) {
	raw, has := c[name]
	if !has {
		return at, false, true
	}
	const most = 253402300799 // the year 9999
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil || string(raw) == "null" || seconds < 0 || seconds > most {
		return at, true, false
	}
	return time.Unix(int64(seconds), 0), true, true
}

// texts reads a text or a list of texts.
func (c claims) texts(name string) ([]string, bool) {
	var one string
	var many []*string
	if raw := c[name]; json.Unmarshal(raw, &one) == nil && string(raw) != "null" {
		return []string{one}, true
	}
	if err := json.Unmarshal(c[name], &many); err != nil || slices.Contains(many, nil) {
		return nil, false
	}
	texts := make([]string, len(many))
	for i, text := range many {
		texts[i] = *text
	}
	return texts, true
}

// identity is who the claims say that the caller is.
func (c claims) identity(userClaim, groupsClaim string) (Identity, error) {
	var user *string
	if json.Unmarshal(c[userClaim], &user) != nil || user == nil {
		return Identity{}, refusal("the token's claim %q, which names the user, is missing or not a text", userClaim)
	}
	if why := checkName(*user); why != "" {
		return Identity{}, refusal("the token's claim %q, which names the user, %s", userClaim, why)
	}
	if raw, ok := c["email_verified"]; ok && userClaim == "email" && string(raw) != "true" {
		return Identity{}, refusal("the token's email address is not verified (email_verified)")
	}
	groups, err := c.groups(groupsClaim)
	if err != nil {
		return Identity{}, err
	}
	return Identity{User: *user, Groups: groups}, nil
}

func (c claims) groups(claim string) ([]string, error) {
	if raw, ok := c[claim]; !ok || string(raw) == "null" {
		return nil, nil
	}
	groups, ok := c.texts(claim)
	if !ok {
		return nil, refusal("the token's claim %q, which has the groups, is neither a text nor a list of texts", claim)
	}
	if len(groups) > maxGroups {
		return nil, refusal("the token has %d groups, and %d are allowed", len(groups), maxGroups)
	}
	for _, g := range groups {
		if why := checkName(g); why != "" {
			return nil, refusal("the token's claim %q has a group that %s", claim, why)
		}
	}
	return groups, nil
}

// checkName refuses names that would not show in a log, an audit or a list as what they are.
func checkName(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is empty"
	case len(name) > maxName:
		return fmt.Sprintf("is longer than %d bytes", maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsGraphic(c) || c == utf8.RuneError }):
		return "has characters that cannot be shown"
	}
	return ""
}
