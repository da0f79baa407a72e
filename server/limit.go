package server

import (
	"fmt"
	"hash/maphash"
	"net/http"
	"net/netip"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"kayra/server/auth"
)

// maxCallers bounds the callers that are remembered of each sort: whoever was away for longest is forgotten, and begins
// anew.
const maxCallers = 1 << 16

// buckets limit callers of one sort, each by itself.
type buckets struct {
	perSecond int
	seed      maphash.Seed
	callers   *lru.Cache[uint64, *rate.Limiter] // by the hash of a name, which may be long
}

func newBuckets(perSecond int) (*buckets, error) {
	callers, err := lru.New[uint64, *rate.Limiter](maxCallers)
	if err != nil {
		return nil, fmt.Errorf("new rate limit: %w", err)
	}
	return &buckets{perSecond: perSecond, seed: maphash.MakeSeed(), callers: callers}, nil
}

// take takes one request out of the caller's bucket, if there is one left.
func (b *buckets) take(caller string) bool {
	key := maphash.String(b.seed, caller)
	bucket, ok := b.callers.Get(key)
	if !ok {
		bucket = rate.NewLimiter(rate.Limit(b.perSecond), b.perSecond)
		if there, had, _ := b.callers.PeekOrAdd(key, bucket); had {
			bucket = there
		}
	}
	return bucket.Allow()
}

// limits bound how many requests per second are taken from one caller. Who is known is counted by name, wherever the
// requests come from. Who is not is counted by address, beside those who are known there: neither can use up what is
// another's.
type limits struct {
	users, addresses *buckets
}

// newLimits has none for 0 requests per second.
func newLimits(perSecond int) (*limits, error) {
	if perSecond <= 0 {
		return nil, nil //nolint:nilnil // no limit is a limit, too
	}
	users, err := newBuckets(perSecond)
	if err != nil {
		return nil, err
	}
	addresses, err := newBuckets(perSecond)
	return &limits{users: users, addresses: addresses}, err
}

// limit refuses a request of a caller that sends too many. unknown is why the caller is not known, if it is not.
func (s *Server) limit(r *http.Request, who auth.Identity, unknown error) error {
	switch {
	case s.limits == nil:
		return nil
	case unknown == nil && !s.limits.users.take(who.User):
		s.metrics.limitedUsers.Inc()
		return refuse(http.StatusTooManyRequests, "user %q has sent more than %d requests per second, which is the limit of one caller: wait for a second, and send less",
			clip(who.User), s.limits.users.perSecond)
	case unknown != nil && !s.limits.addresses.take(network(r.RemoteAddr)):
		s.metrics.limitedAddresses.Inc()
		return refuse(http.StatusTooManyRequests, "your address has sent more than %d requests per second without a token that this server accepts: wait for a second, and send one that it does",
			s.limits.addresses.perSecond)
	}
	return nil
}

// network is what a client has as its own: an address of IPv4, and 64 bits of one of IPv6 (RFC 6177).
func network(remote string) string {
	const prefix = 64
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	address := at.Addr().Unmap().WithZone("")
	if !address.Is6() {
		return address.String()
	}
	return netip.PrefixFrom(address, prefix).Masked().String()
}
