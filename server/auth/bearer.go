package auth

import (
	"net/http"
	"strings"
)

// Bearer is the token that the request carries in its Authorization header (RFC 6750, section 2.1), or "" where it
// carries none. It fails with ErrUnauthenticated when there are several such headers, or when what follows Bearer is not
// a token by IsToken.
func Bearer(r *http.Request) (string, error) {
	values := r.Header["Authorization"]
	if len(values) > 1 {
		return "", refusal("several Authorization headers were sent")
	}
	if len(values) == 0 {
		return "", nil
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if token = strings.Trim(token, " "); token == "" || !strings.EqualFold(scheme, "Bearer") {
		return "", nil
	}
	if !IsToken(token) {
		return "", refusal("what follows Bearer is not one token: a token has no spaces, and visible ASCII characters only")
	}
	return token, nil
}

// IsToken tells whether a request can carry the text as its token: it is made of visible ASCII characters, without spaces.
// RFC 6750, section 2.1, allows fewer, but many a token that people have chosen has others, and nothing is ambiguous.
func IsToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' })
}

// isJWT tells whether the text is three parts of base64url, as a signed JWT is (RFC 7515, section 7.1).
func isJWT(text string) bool {
	return strings.Count(text, ".") == 2 && !strings.ContainsFunc(text, func(c rune) bool { return !isBase64URL(c) && c != '.' })
}

func isBase64URL(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
