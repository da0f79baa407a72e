package auth

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-jose/go-jose/v4"
)

// minRSABits is the least that RFC 7518, section 3.3, allows.
const minRSABits = 2048

var (
	errUnknownKey = refusal("the token is signed with a key that its issuer does not publish")
	errForged     = refusal("the token's signature is wrong")
)

// algorithms are those that a token may ever be signed with. With others, who knows the public key could sign.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{
		jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
	}
}

func names(of []jose.SignatureAlgorithm) []string {
	out := make([]string, len(of))
	for i, a := range of {
		out[i] = string(a)
	}
	return out
}

// keySet is what an issuer signs its tokens with. It does not change.
type keySet struct {
	keys       []jose.JSONWebKey
	algorithms []jose.SignatureAlgorithm
}

// parseKeySet reads a JWK set (RFC 7517, section 5). Keys that cannot be used are left out, so that an issuer may publish
// kinds of keys that are not known here. A set without any is a set: the issuer has withdrawn them.
func parseKeySet(data []byte) ([]jose.JSONWebKey, error) {
	var doc struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(data, &doc) != nil || doc.Keys == nil {
		return nil, errors.New("the document is not a JWK set")
	}
	var keys []jose.JSONWebKey
	for _, raw := range doc.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) == nil && usable(k) {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

func usable(k jose.JSONWebKey) bool {
	if r, ok := k.Key.(*rsa.PublicKey); ok && r.N.BitLen() < minRSABits {
		return false
	}
	return k.Valid() && k.IsPublic() && (k.Use == "" || k.Use == "sig")
}

// verify gives the payload if one of the keys has signed it. It fails with errForged when the key that the token names is
// there, and has not signed it, and with errUnknownKey otherwise.
func (s *keySet) verify(signed *jose.JSONWebSignature) ([]byte, error) {
	head := signed.Signatures[0].Header
	err := errUnknownKey
	if !slices.Contains(s.algorithms, jose.SignatureAlgorithm(head.Algorithm)) {
		return nil, err
	}
	for _, k := range s.keys {
		if head.KeyID != "" && k.KeyID != head.KeyID || k.Algorithm != "" && k.Algorithm != head.Algorithm {
			continue
		}
		if payload, wrong := signed.Verify(k.Key); wrong == nil {
			return payload, nil
		}
		if head.KeyID != "" {
			err = errForged
		}
	}
	return nil, err
}
