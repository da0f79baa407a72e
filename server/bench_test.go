package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"kayra/server/api"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
)

const (
	benchClients  = 30
	benchRequests = 6_000
)

// BenchmarkGet measures reading one registration with 30 clients on etcd. The floor is a handler of net/http that makes
// the same answer of one read, asked by as many clients in the same run.
func BenchmarkGet(b *testing.B) {
	cluster := etcdtest.Start(b, etcdtest.Fsync())
	s, err := etcd.Open(b.Context(), etcd.Options{Endpoints: cluster.Endpoints()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	l := newLab(b, s)
	l.world()
	bare := httptest.NewServer(bareGet(b, s))
	b.Cleanup(bare.Close)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}}
	b.Cleanup(client.CloseIdleConnections)
	ask(b, client, l.url+regs+"/"+compute, benchRequests/10)
	ask(b, client, bare.URL, benchRequests/10)
	var took, floor time.Duration
	for range b.N {
		floor += ask(b, client, bare.URL, benchRequests)
		took += ask(b, client, l.url+regs+"/"+compute, benchRequests)
	}
	each := float64(b.N * benchRequests)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took.Microseconds())/each, "us")
	b.ReportMetric(float64(floor.Microseconds())/each, "floor-us")
	b.ReportMetric(took.Seconds()/floor.Seconds(), "ratio")
}

func bareGet(b *testing.B, s store.Store) http.HandlerFunc {
	b.Helper()
	l, err := s.List(b.Context(), "", store.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	var key string
	for _, e := range l.Entries {
		if r := new(catalog.Registration); len(e.Value) > 0 && catalog.Decode(e, r) == nil && r.Name == compute {
			key = e.Key
		}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		e, err := s.Get(r.Context(), key)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		var reg catalog.Registration
		if err := catalog.Decode(e, &reg); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(api.NewRegistration(&reg))
	}
}

// ask has the clients make n requests.
func ask(b *testing.B, client *http.Client, url string, n int) time.Duration {
	b.Helper()
	began := time.Now()
	var clients sync.WaitGroup
	for range benchClients {
		clients.Go(func() {
			for range n / benchClients {
				r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
				if err != nil {
					b.Error(err)
					return
				}
				r.Header.Set("Authorization", "Bearer "+rootToken)
				res, err := client.Do(r)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				if res.StatusCode != http.StatusOK {
					b.Errorf("status %d", res.StatusCode)
				}
			}
		})
	}
	clients.Wait()
	return time.Since(began)
}
