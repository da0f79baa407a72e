package auth

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

const (
	// maxJWT is the length of the longest JWT that is looked at, in bytes.
	maxJWT = 16 << 10

	// skew is how far the clocks of the issuer and of this machine may be apart, either way.
	skew = 30 * time.Second
)

// OIDCOptions describe an issuer of tokens. Issuer and Audience are required.
type OIDCOptions struct {
	Issuer      string           // an absolute http or https URL, exactly as the issuer itself writes it in iss
	Audience    string           // what aud of a token must be or have: the id that the issuer knows Kayra by
	UserClaim   string           // the claim that names the user; "": sub
	GroupsClaim string           // the claim that has the user's groups; "": groups
	Logger      *slog.Logger     // nil: no log
	Timeout     time.Duration    // of one fetch of the issuer's keys; 0: 10 s
	Now         func() time.Time // nil: time.Now

	// Roots gives the authorities that verify an https issuer, and is asked before each fetch. nil: the system's.
	Roots func() (*x509.CertPool, error)
}

// OIDC authenticates by the JWTs of an OpenID Connect issuer. It reads the issuer's discovery document and its key set
// over HTTP when a token first needs them, never before, and each token after that is checked without the network:
//
//   - The keys are fetched anew, in the background of use, once they are 5 minutes old. When they have not been used for
//     so long that they are 10 minutes old, the next token waits for the fetch. A key that the issuer has withdrawn is
//     refused from then on.
//   - A token that no known key has signed has the keys fetched anew at once, and waits for that.
//   - Callers who need a fetch at the same time share it. It ends within the timeout, whoever of them goes away. A few
//     may follow each other at once, and then one every 5 seconds, however many tokens ask for more; after one that
//     failed there is none for 5 seconds.
//   - When it is too early for another fetch, whether a token with a key that is not known is good cannot be told
//     (ErrUnavailable), but for the second after a fetch, in which it is refused for good. A token that names a key which
//     is known, and has not signed it, is refused for good; it has the keys fetched if they are older than 5 seconds.
//   - When the issuer cannot be reached, the keys that are known stay in force, for as long as that takes, and tokens
//     that no known key has signed fail with ErrUnavailable, as all do when no key is known yet.
//
// A token must be signed with an asymmetric algorithm (RS, PS or ES with 256, 384 or 512, EdDSA) that the discovery
// document lists, or with RS256 if it lists none of them; iss must be the issuer, character by character; aud must be or
// have the audience; exp must be there. exp, nbf and iat are held against the clock with 30 seconds of tolerance.
type OIDC struct {
	issuer      string
	audience    string
	userClaim   string
	groupsClaim string
	now         func() time.Time
	config      oidc.Config
	keys        *keyring
	verified    *verified
}

// NewOIDC makes an OIDC, without a look at the issuer. Close ends it.
func NewOIDC(o OIDCOptions) (*OIDC, error) {
	if err := checkIssuer(o.Issuer); err != nil {
		return nil, fmt.Errorf("issuer %q: %w", o.Issuer, err)
	}
	if o.Audience == "" {
		return nil, errors.New("an issuer needs an audience: without one, a token for any of its clients would be accepted")
	}
	o.Timeout = cmp.Or(o.Timeout, fetchTimeout)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if IsExposed(o.Issuer) {
		o.Logger.LogAttrs(context.Background(), slog.LevelWarn,
			"the issuer's keys come over plain HTTP: whoever can alter the traffic can make tokens", slog.String("issuer", o.Issuer))
	}
	remembered, err := newVerified()
	if err != nil {
		return nil, err
	}
	now := o.Now
	return &OIDC{
		issuer: o.Issuer, audience: o.Audience, now: now,
		userClaim: cmp.Or(o.UserClaim, "sub"), groupsClaim: cmp.Or(o.GroupsClaim, "groups"),
		config: oidc.Config{
			ClientID: o.Audience, SupportedSigningAlgs: names(algorithms()),
			Now: func() time.Time { return now().Add(-skew) },
		},
		keys:     newKeyring((&source{issuer: o.Issuer, roots: o.Roots}).fetch, o.Timeout, now, o.Logger.With(slog.String("issuer", o.Issuer))),
		verified: remembered,
	}, nil
}

// Close cuts off a fetch of the keys that still runs. It returns when that has ended.
func (o *OIDC) Close() { o.keys.close() }

// Authenticate tells whom the token was issued to. It waits for the issuer only where the keys that it needs are not
// known, and no longer than ctx allows.
func (o *OIDC) Authenticate(ctx context.Context, token string) (Identity, error) {
	digest := DigestOf(token)
	if who, ok := o.verified.recall(digest, o.keys.young(), o.now()); ok {
		return who, nil
	}
	found, err := o.verify(ctx, token)
	if err != nil {
		return Identity{}, err
	}
	o.verified.note(digest, found)
	return found.who, nil
}

func (o *OIDC) verify(ctx context.Context, token string) (verdict, error) {
	signed, err := o.parse(token)
	if err != nil {
		return verdict{}, err
	}
	check := &signature{of: signed, keys: o.keys}
	verifier := oidc.NewVerifier(o.issuer, check, &o.config)
	_, err = verifier.Verify(ctx, token)
	if check.err != nil {
		return verdict{}, check.err
	}
	found, why := o.judge(check.payload)
	if why == nil && err != nil { // it shows what the token says, which this must not
		why = refusal("the token's claims are not those of a valid token")
	}
	if why != nil {
		return verdict{}, why
	}
	found.keys = check.by
	return found, nil
}

func (o *OIDC) judge(payload []byte) (verdict, error) {
	c, err := parseClaims(payload)
	if err == nil {
		err = c.check(o.audience, o.now())
	}
	if err != nil {
		return verdict{}, err
	}
	who, err := c.identity(o.userClaim, o.groupsClaim)
	expiry, _, _ := c.time("exp") // is there, and is one
	return verdict{who: who, expiry: expiry}, err
}

// parse reads a token as far as that needs no key. It lets through no other issuer's tokens: those need no key.
func (o *OIDC) parse(token string) (*jose.JSONWebSignature, error) {
	if len(token) > maxJWT {
		return nil, refusal("the token is longer than %d bytes", maxJWT)
	}
	if !isJWT(token) {
		return nil, refusal("the token is not a JWT")
	}
	signed, err := jose.ParseSignedCompact(token, algorithms())
	if _, other := errors.AsType[*jose.ErrUnexpectedSignatureAlgorithm](err); other {
		return nil, refusal("the token is signed with an algorithm that is never accepted")
	}
	if err != nil {
		return nil, refusal("the token is not a JWT")
	}
	var claims struct {
		Issuer string `json:"iss"`
	}
	if err := json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &claims); err != nil || claims.Issuer != o.issuer {
		return nil, refusal("the token does not come from the issuer %q", o.issuer)
	}
	return signed, nil
}

// signature is the set of keys of one verification. It keeps what the verifier would make text of.
type signature struct {
	of      *jose.JSONWebSignature
	keys    *keyring
	payload []byte
	by      *keySet
	err     error
}

// VerifySignature is for [oidc.IDTokenVerifier].
func (s *signature) VerifySignature(ctx context.Context, _ string) ([]byte, error) {
	s.payload, s.by, s.err = s.keys.verify(ctx, s.of)
	return s.payload, s.err
}

func checkIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("it is not an absolute http or https URL")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("it must not have a user, a query or a fragment")
	}
	return nil
}

// IsExposed tells whether requests to the URL travel in the clear, and further than this machine.
func IsExposed(to string) bool {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" {
		return false
	}
	return u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback()
}
