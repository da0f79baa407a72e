// Package demo shows Kayra's main job from beginning to end: a server, a reconciler and a sample app behind a sample
// gateway run as processes of their own on a temporary store; an API is registered, namespaces subscribe to it, a canary
// reaches one of them and the release the others. Each transition is shown when it happens, and checked.
package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kayra/server/client"
)

// tokenVariable hands the processes the token that the demonstration has made up.
const tokenVariable = "KAYRA_DEMO_TOKEN"

// Options say how the demonstration runs. All but Keep are required.
type Options struct {
	Executable string   // the program, which is run again for each process
	Name       string   // what it is run as
	Environ    []string // of the processes; what would configure Kayra is left out
	Out        io.Writer
	Err        io.Writer
	Now        func() time.Time
	Keep       bool // leave it running at the end until ctx ends
}

// Run runs the demonstration. It returns when all processes have ended and, unless something went wrong, their directory
// is gone.
func Run(ctx context.Context, o Options) (err error) {
	dir, err := os.MkdirTemp("", "kayra-demo-")
	if err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	o.Environ = unconfigured(o.Environ)
	s := &stage{Options: o, dir: dir, token: rand.Text(), show: newTimeline(o.Out, o.Now), platform: "demo", listen: anyPorts()}
	err = errors.Join(s.play(ctx), s.end())
	if err != nil && ctx.Err() == nil {
		s.explain()
		return err
	}
	if gone := os.RemoveAll(dir); gone != nil {
		err = errors.Join(err, fmt.Errorf("remove the directory: %w", gone))
	}
	return err
}

// unconfigured is an environment without what would configure Kayra.
func unconfigured(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		return strings.HasPrefix(pair, "KAYRA_") || strings.HasPrefix(pair, "INFRAPI_")
	})
}

// stage is what the demonstration plays on.
type stage struct {
	Options

	dir       string
	token     string
	platform  string
	listen    Addresses
	machines  string   // where the app keeps its machines, or ""
	lock      *os.File // held for as long as a process runs, or nil
	show      *timeline
	processes []*process // in the order they were started
	gateway   string     // URL
	server    string     // URL
}

func (s *stage) play(ctx context.Context) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	if err := s.set(ctx, fail); err != nil {
		return err
	}
	c, err := client.New(client.Options{URL: s.server, Token: s.token, Timeout: stepTimeout, UserAgent: "kayra-demo"})
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer c.Close()
	story := &story{server: c, show: s.show}
	if err := story.tell(ctx); err != nil {
		return err
	}
	if s.Keep {
		return s.keep(ctx)
	}
	return nil
}

// set starts the processes. One that ends before its time ends the demonstration.
func (s *stage) set(ctx context.Context, fail context.CancelCauseFunc) (err error) {
	if s.gateway, err = s.start(ctx, fail, "sample app", "demo-app", "--listen", s.listen.Gateway, "--file", s.machines); err != nil {
		return err
	}
	file := filepath.Join(s.dir, "kayra.yaml")
	if err := os.WriteFile(file, []byte(fmt.Sprintf(configuration, s.gateway, s.platform)), 0o600); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	if s.server, err = s.start(ctx, fail, "server", "serve", "--config", file, "--listen", s.listen.Server); err != nil {
		return err
	}
	reconciler, err := s.start(ctx, fail, "reconciler", "reconciler", "--config", file, "--listen", s.listen.Reconciler)
	if err != nil {
		return err
	}
	s.show.note("server %s, reconciler %s, sample app behind gateway %s", s.server, reconciler, s.gateway)
	return nil
}

func (s *stage) start(ctx context.Context, fail context.CancelCauseFunc, name string, args ...string) (string, error) {
	// The process outlives an interrupt by as much as it takes to end the others in order.
	p, err := start(context.WithoutCancel(ctx), s, name, args...)
	if err != nil {
		return "", err
	}
	s.processes = append(s.processes, p)
	go func() {
		<-p.ended
		fail(fmt.Errorf("the %s has ended by itself: %s", p.name, p.state))
	}()
	return p.address(ctx)
}

// end ends the processes, the last one first.
func (s *stage) end() error {
	var errs []error
	for _, p := range slices.Backward(s.processes) {
		errs = append(errs, p.end())
	}
	return errors.Join(errs...)
}

// explain shows what the processes wrote last.
func (s *stage) explain() {
	for _, p := range s.processes {
		_, _ = fmt.Fprintf(s.Err, "--- %s, the end of %s:\n%s\n", p.name, p.log, p.tail())
	}
	_, _ = fmt.Fprintf(s.Err, "--- everything is kept in %s\n", s.dir)
}

// keep leaves the stage to the user until ctx ends.
func (s *stage) keep(ctx context.Context) error {
	if err := os.WriteFile(s.tokenFile(), []byte(s.token), 0o600); err != nil {
		return fmt.Errorf("write the token: %w", err)
	}
	config, err := s.configureClients()
	if err != nil {
		return err
	}
	s.show.note("all of it runs on until Ctrl-C. %s", s.commands(config,
		"get catalog subscriptions -A",
		"get catalog apiregistrations compute.example.com/status",
		"rollout start compute.example.com --canary apps --wait",
		"rollout release compute.example.com --wait",
		"get compute -n sre machines",
		"top"))
	return s.wait(ctx)
}

func (s *stage) tokenFile() string { return filepath.Join(s.dir, "token") }

// configureClients writes the configuration that has clients speak to the server, and gives its path.
func (s *stage) configureClients() (string, error) {
	config := filepath.Join(s.dir, "client.yaml")
	text := fmt.Sprintf("client: {server: %q, token: {file: %q}}\nreconciler: {gateway_url: %q}\n", s.server, s.tokenFile(), s.gateway)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("write the client's configuration: %w", err)
	}
	return config, nil
}

// wait waits until ctx ends, and fails where a process has ended it.
func (s *stage) wait(ctx context.Context) error {
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause //nolint:wrapcheck // made by start
	}
	return nil
}

// configuration is of the server and the reconciler, for the gateway's address and a platform.
const configuration = `platform: "%[2]s"
region: local
log: {level: info, format: json}
server: {listen: "127.0.0.1:0"}
database: {backend: local, local: {path: kayra.db}}
auth: {tokens: [{user: root, groups: [sysadmin], token: {env: ` + tokenVariable + `}}]}
reconciler:
  listen: 127.0.0.1:0
  gateway_url: "%[1]s"
  default_mode: demo
  wait_poll_interval: 50ms
  drain_timeout: 2s
  mode:
    demo:
      - method: post
        endpoint: "%[1]s/apis/{{ .Subscription.Api }}/v1/namespaces/{{ .Subscription.Namespace }}/sync"
        data: {sync_id: "{{ .Subscription.ExpectedSyncID }}"}
      - method: get
        endpoint: "%[1]s/apis/{{ .Subscription.Api }}/v1/namespaces/{{ .Subscription.Namespace }}/sync/{{ .Subscription.ExpectedSyncID }}"
        wait: [{key: .status, successes: [done], failures: [failed]}]
        timeout: 10s
`
