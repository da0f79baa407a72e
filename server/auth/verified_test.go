package auth_test

import (
	"testing"
	"time"

	"kayra/server/auth/oidctest"
)

// A token that was found good is remembered until it expires, or its key is gone.
func TestATokenIsRemembered(t *testing.T) {
	t.Parallel()
	one, two := ec(t, "one"), ec(t, "two")
	d := newDesk(t, oidctest.Start(t, one))
	short := d.issuer.Token(one, map[string]any{"exp": time.Now().Add(time.Minute).Unix()})
	long := d.issuer.Token(one, nil)
	for range 3 {
		d.admits(short)
		d.admits(long)
	}
	d.clock.advance(80 * time.Second)
	d.admits(short) // clocks may differ
	d.clock.advance(20 * time.Second)
	d.refuses(short, "expired")
	d.admits(long)
	d.issuer.Publish(two)
	d.admits(d.issuer.Token(two, nil))
	d.refuses(long, "does not publish")
	d.issuer.Publish(one, two)
	d.clock.advance(10 * time.Minute)
	d.admits(long)
	d.refuses(long[:len(long)-1]+string(long[len(long)-1]^1), "")
}
