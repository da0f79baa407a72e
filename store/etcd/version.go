package etcd

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// warnOfOldServer logs that a server may tell a watch of progress ahead of the changes that led to it. One that does not
// say its version, since that takes a permission that it does not give, is taken for new enough.
func (s *Store) warnOfOldServer(ctx context.Context) {
	const patience = 500 * time.Millisecond // for each endpoint, of which one may be down
	for _, endpoint := range s.opts.Endpoints {
		ctx, cancel := context.WithTimeout(ctx, patience)
		var version string
		err := s.call(ctx, func(ctx context.Context) error {
			status, err := s.client.Status(ctx, endpoint)
			if err == nil {
				version = status.Version
			}
			return err //nolint:wrapcheck // nobody sees it
		})
		cancel()
		if err != nil {
			continue
		}
		if isOld(version) {
			s.log.Warn("etcd is older than 3.5.8: a watch of it can miss changes when it breaks; upgrade it",
				slog.String("endpoint", endpoint), slog.String("version", version))
		}
		return
	}
}

func isOld(version string) bool {
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil {
		return false
	}
	const series, since = 5, 8
	return major < 3 || major == 3 && (minor < series || minor == series && patch < since)
}
