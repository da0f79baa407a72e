package cli

import (
	"net/url"
	"strconv"
	"strings"

	"kayra/config"
)

// minMasked is how long a token must be to be masked, in bytes: a shorter one is a part of too many words.
const minMasked = 6

// masked hides a token in a text, which may quote a server that repeats what it was sent.
func masked(text, token string) string {
	if len(token) < minMasked {
		return text
	}
	mask := config.SecretOf(token).String()
	for _, form := range []string{token, strings.Trim(strconv.Quote(token), `"`), url.QueryEscape(token), url.PathEscape(token)} {
		text = strings.ReplaceAll(text, form, mask)
	}
	return text
}
