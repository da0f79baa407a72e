package oidctest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// Key is a key that signs tokens.
type Key struct {
	ID        string
	Algorithm jose.SignatureAlgorithm
	Private   crypto.Signer
	Bare      bool // the key set names neither its use nor its algorithm
	Nameless  bool // tokens do not name the key
}

// NewKey makes a key for the algorithm.
func NewKey(tb testing.TB, id string, algorithm jose.SignatureAlgorithm) *Key {
	tb.Helper()
	k := &Key{ID: id, Algorithm: algorithm}
	var err error
	switch algorithm {
	case jose.ES256:
		k.Private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.ES384:
		k.Private, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case jose.EdDSA:
		_, k.Private, err = ed25519.GenerateKey(rand.Reader)
	default:
		k.Private, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// Public is what the key set holds of the key.
func (k *Key) Public() jose.JSONWebKey {
	p := jose.JSONWebKey{Key: k.Private.Public(), KeyID: k.ID}
	if !k.Bare {
		p.Algorithm, p.Use = string(k.Algorithm), "sig"
	}
	return p
}

// Sign makes a token.
func (k *Key) Sign(tb testing.TB, claims any) string {
	tb.Helper()
	payload, err := json.Marshal(claims)
	if err != nil {
		tb.Fatal(err)
	}
	return Sign(tb, k.Algorithm, k.signing(), payload)
}

func (k *Key) signing() any {
	if k.Nameless {
		return k.Private
	}
	return jose.JSONWebKey{Key: k.Private, KeyID: k.ID}
}

// Sign makes a token of any payload, with any key that the algorithm can use.
func Sign(tb testing.TB, algorithm jose.SignatureAlgorithm, key any, payload []byte) string {
	tb.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		tb.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		tb.Fatal(err)
	}
	return token
}
