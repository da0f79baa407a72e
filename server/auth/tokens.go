package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"slices"
)

// Digest is the SHA-256 of a token, all that a server needs to know of it.
type Digest [sha256.Size]byte

// DigestOf is the digest of a token's text.
func DigestOf(text string) Digest { return sha256.Sum256([]byte(text)) }

// ParseDigest reads a digest as `sha256sum` prints it: 64 hexadecimal digits.
func ParseDigest(text string) (Digest, error) {
	var d Digest
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != len(d) {
		return d, fmt.Errorf("a SHA-256 digest has %d hexadecimal digits", hex.EncodedLen(len(d))) //nolint:err113 // for people
	}
	return Digest(data), nil
}

// Token is a token that does not change, and whom it belongs to.
type Token struct {
	Identity

	Digest Digest
}

// Tokens authenticates by a fixed list of tokens.
type Tokens struct {
	list []Token
}

// NewTokens refuses a token without a user, an empty token, and one that two entries share.
func NewTokens(list []Token) (*Tokens, error) {
	empty := DigestOf("")
	for i, t := range list {
		same := slices.IndexFunc(list, func(o Token) bool { return o.Digest == t.Digest })
		switch {
		case t.User == "":
			return nil, fmt.Errorf("token %d has no user", i)
		case t.Digest == empty || t.Digest == Digest{}:
			return nil, fmt.Errorf("token %d, of user %q, is empty", i, t.User)
		case same != i:
			return nil, fmt.Errorf("token %d, of user %q, is the token of user %q, too", i, t.User, list[same].User)
		}
	}
	return &Tokens{list: slices.Clone(list)}, nil
}

// Authenticate finds the token's entry. How long it takes tells nothing about the tokens in the list: digests are
// compared, in constant time, and always with all entries.
func (t *Tokens) Authenticate(_ context.Context, token string) (Identity, error) {
	digest := DigestOf(token)
	found := -1
	for i := range t.list {
		same := subtle.ConstantTimeCompare(digest[:], t.list[i].Digest[:])
		found = subtle.ConstantTimeSelect(same, i, found)
	}
	if found < 0 {
		return Identity{}, refusal("the token is not known")
	}
	return t.list[found].Identity, nil
}
