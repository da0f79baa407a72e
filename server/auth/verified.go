package auth

import (
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// maxVerified is how many tokens are remembered. They are the issuer's own, and not longer than maxJWT.
const maxVerified = 4096

// verified remembers the tokens whose signature was checked, by their digests: the check costs more than all else that a
// short request takes.
type verified struct {
	tokens *lru.Cache[Digest, verdict]
}

// verdict is what a token was found to say, with the keys that were in force then.
type verdict struct {
	who    Identity
	expiry time.Time
	keys   *keySet
}

func newVerified() (*verified, error) {
	tokens, err := lru.New[Digest, verdict](maxVerified)
	if err != nil {
		return nil, fmt.Errorf("remember tokens: %w", err)
	}
	return &verified{tokens: tokens}, nil
}

// recall tells what a token says that was checked with the keys that are in force now, and has not expired since.
func (v *verified) recall(token Digest, keys *keySet, now time.Time) (Identity, bool) {
	known, ok := v.tokens.Get(token)
	if !ok || keys == nil || keys != known.keys || expired(known.expiry, now) {
		return Identity{}, false
	}
	return known.who, true
}

func (v *verified) note(token Digest, found verdict) { v.tokens.Add(token, found) }
