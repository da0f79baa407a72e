package auth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4"

	"kayra/server/auth"
	"kayra/server/auth/oidctest"
)

// FuzzToken reads any Authorization headers, one a line. What comes out is a token that the one header has, and what is
// said of others shows nothing of them.
func FuzzToken(f *testing.F) {
	for _, lines := range []string{
		"", "Bearer abc", "bearer  abc= ", "Bearer a b", "Bearer a\nBearer b", "Basic YTpi", "Bearer", "Bearer ===", "Bearer é", "Bearer a,b",
	} {
		f.Add(lines)
	}
	_, several := bearer("", "")
	_, strange := bearer("Bearer a b")
	f.Fuzz(func(t *testing.T, lines string) {
		values := strings.Split(lines, "\n")
		token, err := bearer(values...)
		if err != nil && (token != "" || err.Error() != several.Error() && err.Error() != strange.Error()) {
			t.Fatalf("%q: %v", token, err)
		}
		if token == "" {
			return
		}
		if len(values) != 1 || !auth.IsToken(token) || !strings.EqualFold(strings.ReplaceAll(values[0], " ", ""), "Bearer"+token) {
			t.Fatalf("%q gives %q", lines, token)
		}
	})
}

// FuzzJWT changes a valid token, or makes another one when at is beyond its end. None is accepted that does not say the
// same, with the same signature, and no error shows any of it.
func FuzzJWT(f *testing.F) {
	key := ec(f, "one")
	d := newDesk(f, oidctest.Start(f, key), standing(time.Now()))
	valid := d.issuer.Token(key, nil)
	d.admits(valid)
	payload := strings.Split(valid, ".")[1]
	for _, s := range []struct {
		at, drop uint16
		insert   string
	}{
		{0, 0, ""},
		{0, 1, ""},
		{60, 0, "."},
		{10, 3, "AAA"},
		{500, 9, "="},
		{9999, 0, ".."},
		{9999, 0, "eyJhbGciOiJub25lIn0." + payload + "."},
		{9999, 0, "eyJhbGciOiJIUzI1NiIsImtpZCI6Im9uZSJ9." + payload + ".AAAA"},
		{9999, 0, `{"payload":"e30","signatures":[]}`},
		{9999, 0, "eyJhbGciOiJFUzI1NiIsImNyaXQiOlsiYjY0Il0sImI2NCI6ZmFsc2V9." + payload + ".AAAA"},
		{0, 0, " "},
		{0, 0, "\n"},
	} {
		f.Add(s.at, s.drop, s.insert)
	}
	f.Fuzz(func(t *testing.T, at, drop uint16, insert string) {
		token := insert
		if from := int(at); from <= len(valid) {
			token = valid[:from] + insert + valid[min(from+int(drop), len(valid)):]
		}
		who, err := d.Authenticate(t.Context(), token)
		if err != nil {
			if !errors.Is(err, auth.ErrUnauthenticated) || who.User != "" {
				t.Fatalf("%+v, %v", who, err)
			}
			return
		}
		if same, err := says(token, valid); err != nil || !same {
			t.Fatalf("%s is accepted in place of %s", token, valid)
		}
	})
}

// standing has the clock stand still, so that no second fetch of the keys is due, and no log.
func standing(now time.Time) func(*auth.OIDCOptions) {
	return func(o *auth.OIDCOptions) { o.Now, o.Logger = func() time.Time { return now }, nil }
}

func says(token, other string) (bool, error) {
	a, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return false, err
	}
	b, err := jose.ParseSignedCompact(other, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return false, err
	}
	return string(a.UnsafePayloadWithoutVerification()) == string(b.UnsafePayloadWithoutVerification()) &&
		string(a.Signatures[0].Signature) == string(b.Signatures[0].Signature), nil
}

// FuzzClaims has the issuer sign anything, with its name in place of ISSUER. Whoever is accepted is somebody, by a token
// that is of this issuer, for this audience, and of this hour.
func FuzzClaims(f *testing.F) {
	now := time.Unix(1_900_000_000, 0)
	for _, more := range []string{
		``, `,"groups":"a"`, `,"groups":["a","b"]`, `,"groups":null`, `,"groups":[null]`, `,"sub":7`, `,"sub":""`, `,"AUD":"x"`, `,"nbf":1e99`,
		`,"aud":["x","kayra"]`, `,"exp":1`, `,"exp":"1"`, `,"iat":-1`, `,"sub":"\u0000"`, `,"_claim_names":{"a":"b"}`, `,"email_verified":false`,
	} {
		f.Add([]byte(fmt.Sprintf(`{"iss":"ISSUER","aud":"kayra","sub":"ann","exp":%d%s}`, now.Unix()+60, more)))
	}
	f.Add([]byte(`[]`))
	f.Add([]byte(`{"iss":"ISSUER"}{`))
	key := ec(f, "one")
	d := newDesk(f, oidctest.Start(f, key), standing(now))
	f.Fuzz(func(t *testing.T, payload []byte) {
		payload = []byte(strings.ReplaceAll(string(payload), "ISSUER", d.issuer.URL))
		who, err := d.Authenticate(t.Context(), oidctest.Sign(t, key.Algorithm, jose.JSONWebKey{Key: key.Private, KeyID: key.ID}, payload))
		if err != nil {
			if !errors.Is(err, auth.ErrUnauthenticated) || who.User != "" || !utf8.ValidString(err.Error()) {
				t.Fatalf("%+v, %v", who, err)
			}
			return
		}
		var c map[string]any
		if err := json.Unmarshal(payload, &c); err != nil {
			t.Fatal(err)
		}
		exp, _ := c["exp"].(float64)
		audiences, _ := c["aud"].([]any)
		if c["iss"] != d.issuer.URL || c["sub"] != who.User || who.User == "" || exp < float64(now.Unix()-30) ||
			c["aud"] != "kayra" && !slices.Contains(audiences, any("kayra")) || slices.Contains(who.Groups, "") {
			t.Fatalf("%+v by %s", who, payload)
		}
	})
}
