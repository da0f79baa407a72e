package etcd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"kayra/store"
)

// Watch follows a prefix over a stream of its own.
//
// It does not use the client library's watcher. That one reconnects by itself and does not say so, and the cluster that
// it then finds may be one that was restored meanwhile, where it waits for revisions that are still to come. Here, a
// stream that breaks ends the Watch, and the next one begins by looking at what the cluster says of itself.
func (s *Store) Watch(ctx context.Context, prefix string, from int64, fn func(store.Batch) error) error {
	w := watch{store: s, prefix: s.data + prefix, at: max(from, 1) - 1, told: max(from, 1) - 1, fn: fn}
	return fmt.Errorf("watch %q from revision %d: %w", prefix, from, w.run(ctx))
}

type watch struct {
	store  *Store
	prefix string
	at     int64 // all changes up to this revision have been delivered, as the server says
	told   int64 // the last change that was delivered, or was known before
	fn     func(store.Batch) error
}

func (w *watch) run(ctx context.Context) error {
	streaming, cancel := context.WithCancelCause(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel(nil)

	patience := w.store.opts.WatchSilence
	silence := time.AfterFunc(patience, func() {
		cancel(fmt.Errorf("nothing heard for %s: %w", patience, store.ErrSilent))
	})
	defer silence.Stop()

	stream, err := w.open(streaming)
	if err != nil {
		return w.explain(ctx, streaming, err)
	}
	asking.Go(func() { w.ask(streaming, stream) })
	for {
		resp, err := stream.Recv()
		if err != nil {
			return w.explain(ctx, streaming, err)
		}
		silence.Stop() // the time that fn takes does not count
		if err := w.handle(ctx, resp); err != nil {
			return err
		}
		silence.Reset(patience)
	}
}

// explain tells why the stream ended: because the caller wanted it, because of the silence, or by itself.
func (w *watch) explain(ctx, streaming context.Context, err error) error {
	if cause := context.Cause(streaming); ctx.Err() == nil && cause != nil {
		return cause //nolint:wrapcheck // Watch does
	}
	return classify(ctx, err)
}

func (w *watch) open(ctx context.Context) (pb.Watch_WatchClient, error) {
	client := pb.NewWatchClient(w.store.client.ActiveConnection())
	// Without a leader, a member that is cut off from the others would go on telling nothing.
	stream, err := client.Watch(clientv3.WithRequireLeader(ctx), grpc.MaxCallRecvMsgSize(math.MaxInt32))
	if err != nil {
		return nil, err //nolint:wrapcheck // Watch does
	}
	// The stream begins one revision early, and deliver leaves out what was known: as long as a cluster has not come to
	// the revision that a watch begins at, which may be for hours, it answers none of its requests for a sign of life.
	create := &pb.WatchCreateRequest{
		Key:            []byte(w.prefix),
		RangeEnd:       []byte(clientv3.GetPrefixRangeEnd(w.prefix)),
		StartRevision:  max(w.at, 1),
		ProgressNotify: true,
	}
	// What Send fails with says nothing; the next Recv tells the reason.
	_ = stream.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: create}})
	return stream, nil
}

// ask requests signs of life, which the server on its own gives every ten minutes only.
func (w *watch) ask(ctx context.Context, stream pb.Watch_WatchClient) {
	ticker := time.NewTicker(w.store.opts.WatchProgress)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		progress := &pb.WatchRequest_ProgressRequest{ProgressRequest: &pb.WatchProgressRequest{}}
		if stream.Send(&pb.WatchRequest{RequestUnion: progress}) != nil {
			return // Recv has the reason
		}
	}
}

func (w *watch) handle(ctx context.Context, resp *pb.WatchResponse) error {
	switch {
	case resp.CompactRevision != 0:
		return fmt.Errorf("history begins at revision %d: %w", resp.CompactRevision, store.ErrCompacted)
	case resp.Canceled:
		return canceled(resp.CancelReason)
	case len(resp.Events) > 0:
		return w.deliver(resp.Events)
	}
	if resp.Created && w.store.moved(w.prefix, resp.Header.ClusterId) {
		return fmt.Errorf("the cluster is another one now: %w", store.ErrFutureRevision)
	}
	if resp.Created && resp.Header.Revision != w.at || resp.Header.Revision < w.at {
		if err := w.confirm(ctx); err != nil {
			return err
		}
	}
	if !resp.Created {
		w.at = max(w.at, resp.Header.Revision)
	}
	return w.fn(store.Batch{Revision: w.at})
}

// canceled is the error for the reason that the server gives as a text.
func canceled(reason string) error {
	switch {
	case strings.Contains(reason, rpctypes.ErrCompacted.Error()):
		return store.ErrCompacted
	case reason == "", strings.Contains(reason, rpctypes.ErrNoLeader.Error()),
		strings.Contains(reason, rpctypes.ErrInvalidAuthToken.Error()), strings.Contains(reason, rpctypes.ErrAuthOldRevision.Error()):
		return fmt.Errorf("server ended the watch: %w", store.ErrUnavailable)
	case strings.Contains(reason, rpctypes.ErrPermissionDenied.Error()), strings.Contains(reason, rpctypes.ErrUserEmpty.Error()):
		return fmt.Errorf("%w: %s", ErrDenied, reason)
	default:
		return errors.New(reason)
	}
}

func (w *watch) deliver(events []*mvccpb.Event) error {
	var b store.Batch
	for _, e := range events {
		if e.Kv.ModRevision > w.told { // and not w.at: an old server says that it is there before it has told all
			b.Events = append(b.Events, w.store.event(e))
		}
	}
	w.told = max(w.told, events[len(events)-1].Kv.ModRevision)
	// The header's revision is that of the server at the time; there may be more to come up to it.
	w.at = max(w.at, events[len(events)-1].Kv.ModRevision)
	b.Revision = w.at
	return w.fn(b)
}

func (s *Store) event(e *mvccpb.Event) store.Event {
	entry := s.entry(e.Kv)
	if e.Type == mvccpb.Event_DELETE {
		return store.Event{Entry: store.Entry{Key: entry.Key, ModRevision: entry.ModRevision}, Deleted: true}
	}
	return store.Event{Entry: entry}
}

// confirm asks the cluster as a whole whether it has the revision that the watch has come to. The member that the stream
// leads to may only be behind, and it looks for compacted history after it has said that the watch is there.
func (w *watch) confirm(ctx context.Context) error {
	_, err := w.store.get(ctx, w.store.opts.Prefix+"/schema", clientv3.WithCountOnly(), clientv3.WithRev(w.at))
	return err
}

// moved notes the cluster that a prefix is watched on, and tells whether it was another one before. A cluster gets a new
// id when it is restored, and its revisions then say nothing about those that are known.
func (s *Store) moved(prefix string, cluster uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.clusters[prefix]
	if !ok {
		before = s.cluster
	}
	s.clusters[prefix] = cluster
	return before != cluster
}
