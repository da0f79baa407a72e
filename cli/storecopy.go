package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kayra/cli/term"
	"kayra/config"
	"kayra/store"
	"kayra/store/etcd"
	"kayra/store/local"
	"kayra/store/transfer"
)

// storeCopy copies a store into a place where there is none.
type storeCopy struct {
	output

	from, to string
	dryRun   bool
	online   bool

	source, target config.Database
	log            *slog.Logger
}

func storeCopyCommand(e *env) *cobra.Command {
	s := &storeCopy{}
	cmd := &cobra.Command{
		Use:   "copy --from STORE --to STORE",
		Short: "Copy a store into a place where there is none",
		Long: "Copy a store into a place where there is none: from a local file to etcd, when\n" +
			"one machine is no longer enough, the other way round, or to another file.\n" +
			"\n" +
			"STORE is local:PATH or etcd:ENDPOINTS, with commas between several; local and\n" +
			"etcd alone are what database.local and database.etcd of the configuration say.\n" +
			"Prefix, user and certificates of etcd come from there in any case.\n" +
			"\n" +
			"Stop all servers and reconcilers first. A store that a reconciler holds is\n" +
			"refused, and so is one that changes meanwhile. With --online processes may go\n" +
			"on: the copy is what was there at one instant, for a backup.\n" +
			"\n" +
			"All records are copied, and read again to compare them; locks and what else\n" +
			"belongs to a running process are not. The copy has revisions of its own: entity\n" +
			"tags change, and streams begin anew. Until it is complete nobody can open it.\n" +
			"What fails or is interrupted leaves nothing there. What one has left that was\n" +
			"killed is overwritten in a file; on etcd the next copy says what to delete.",
		Example: `  kayra store copy --from local:kayra.db --to etcd:http://127.0.0.1:2379 --dry-run
  kayra store copy --from local:kayra.db --to etcd:http://127.0.0.1:2379
  kayra store copy --from etcd:http://127.0.0.1:2379 --to local:from-etcd.db
  kayra store copy --from local --to local:backup.db --online`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(e); err != nil {
				return err
			}
			return s.run(cmd.Context(), e)
		},
	}
	cmd.Flags().StringVar(&s.from, "from", "", "the store that is copied: local[:PATH] or etcd[:ENDPOINTS]")
	cmd.Flags().StringVar(&s.to, "to", "", "where it is copied to: local[:PATH] or etcd[:ENDPOINTS]")
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "say what would be copied, and write nothing")
	cmd.Flags().BoolVar(&s.online, "online", false, "processes may go on: copy what is there at one instant")
	addDocument(cmd, &s.output)
	return cmd
}

// load finds out which stores are meant.
func (s *storeCopy) load(e *env) error {
	source, err := e.databaseOf("from", s.from)
	if err != nil {
		return err
	}
	target, err := e.databaseOf("to", s.to)
	if err != nil {
		return err
	}
	s.source, s.target = source.Database, target.Database
	s.log, err = e.logger(source.Log)
	return err
}

// databaseOf is the configuration with the store that a flag names.
func (e *env) databaseOf(flag, value string) (*config.Config, error) {
	backend, place, given := strings.Cut(value, ":")
	keys := map[string]string{"local": "database.local.path", "etcd": "database.etcd.endpoints"}
	if keys[backend] == "" || given && place == "" {
		return nil, usage("give local:PATH or etcd:ENDPOINTS", "--%s %q names no store", flag, value)
	}
	o := e.configOptions()
	o.Flags["database.backend"], o.FlagNames["database.backend"] = backend, flag
	if given {
		o.Flags[keys[backend]], o.FlagNames[keys[backend]] = place, flag
	}
	c, _, err := config.Load(o)
	if err != nil {
		return nil, &failure{code: codeUsage, message: err.Error(), err: err}
	}
	return c, nil
}

func (s *storeCopy) run(ctx context.Context, e *env) error {
	source, err := openExisting(ctx, s.source, s.log)
	if err != nil {
		return err
	}
	err = s.copyFrom(ctx, e, source)
	return errors.Join(err, source.Close())
}

// copyFrom reads the source, and keeps reconcilers away from it meanwhile, if its backend can.
func (s *storeCopy) copyFrom(ctx context.Context, e *env, source backend) error {
	if !s.online {
		session, err := source.NewSession(ctx)
		if errors.Is(err, store.ErrInUse) {
			return s.inUse(err.Error(), err)
		}
		if err != nil {
			return fmt.Errorf("keep reconcilers away from %s: %w", named(s.source), err)
		}
		defer session.Close(context.WithoutCancel(ctx)) //nolint:errcheck // a session without keys
	}
	contents, err := transfer.Read(ctx, source)
	if err != nil {
		return fmt.Errorf("copy %s: %w", named(s.source), err)
	}
	if n := len(contents.Bound); n > 0 && !s.online {
		return s.inUse(fmt.Sprintf("processes hold %d keys, such as %q", n, contents.Bound[0].Key), store.ErrInUse)
	}
	if s.dryRun {
		err = s.vacant(ctx)
	} else {
		err = s.create(ctx, e, source, contents)
	}
	if err != nil {
		return err
	}
	return s.report(e, contents)
}

func (s *storeCopy) inUse(why string, err error) error {
	return &failure{
		code: codeConflict, message: fmt.Sprintf("%s is in use: %s", named(s.source), why), err: err,
		hint: "stop all reconcilers and servers; what one has held that died is free soon after (database.etcd.lease_ttl). --online copies what is there now, for a backup",
	}
}

// vacant tells that a copy could be made.
func (s *storeCopy) vacant(ctx context.Context) error {
	target, err := openExisting(ctx, s.target, s.log)
	switch {
	case err == nil:
		return errors.Join(occupied(s.target, store.ErrExists), target.Close())
	case errors.Is(err, store.ErrMissing):
		return nil
	}
	return err
}

func occupied(target config.Database, err error) error {
	return &failure{
		code: codeConflict, message: named(target) + " holds a store already, and nothing is put into one that exists", err: err,
		hint: "name another path or prefix, or move away what is there",
	}
}

// unfinished is a store that nobody finds or opens until it is finished.
type unfinished interface {
	store.Store
	Finish(ctx context.Context) error
	Discard(ctx context.Context) error
	Close() error
}

func (s *storeCopy) create(ctx context.Context, e *env, source store.Store, contents *transfer.Contents) error {
	target, err := s.begin(ctx)
	if errors.Is(err, store.ErrExists) {
		return occupied(s.target, err)
	}
	if err != nil {
		return err
	}
	if err := s.fill(ctx, e, source, target, contents); err != nil {
		return errors.Join(err, discard(ctx, target))
	}
	if err := target.Finish(ctx); err != nil {
		return errors.Join(err, discard(ctx, target))
	}
	return target.Close() //nolint:wrapcheck // says what it closes
}

func (s *storeCopy) begin(ctx context.Context) (unfinished, error) {
	if s.target.Backend == "etcd" {
		o, err := etcdOptions(s.target.Etcd, s.log)
		if err != nil {
			return nil, err
		}
		return etcd.Create(ctx, o) //nolint:wrapcheck // says what could not be created
	}
	return local.Create(ctx, local.Options{Path: s.target.Local.Path, Logger: s.log}) //nolint:wrapcheck // as above
}

// discard takes back what was begun, also where that was interrupted.
func discard(ctx context.Context, target unfinished) error {
	const patience = time.Minute
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return target.Discard(ctx) //nolint:wrapcheck // says what
}

// fill copies, compares, and finds out whether the source has changed meanwhile.
func (s *storeCopy) fill(ctx context.Context, e *env, source store.Store, target unfinished, contents *transfer.Contents) error {
	shown := newReport(e, "keys copied", true)
	err := contents.Write(ctx, target, func(done int) { shown.update("", tally{total: len(contents.Records), there: done}) })
	shown.end()
	if err == nil {
		err = contents.Verify(ctx, target)
	}
	if err != nil {
		return fmt.Errorf("copy to %s: %w", named(s.target), err)
	}
	if s.online {
		return nil
	}
	changed, err := contents.Since(ctx, source)
	if err != nil {
		return fmt.Errorf("copy %s: %w", named(s.source), err)
	}
	if n := len(changed); n > 0 {
		return &failure{
			code:    codeConflict,
			message: fmt.Sprintf("%s has changed while it was copied: %d keys, such as %q; nothing was copied", named(s.source), n, changed[0]),
			hint:    "stop all servers and reconcilers, and copy again; --online copies what is there at one instant, for a backup",
		}
	}
	return nil
}

func openExisting(ctx context.Context, c config.Database, log *slog.Logger) (backend, error) {
	s, err := openAs(ctx, c, log, true)
	if errors.Is(err, store.ErrMissing) {
		return nil, &failure{code: codeNotFound, message: named(c) + ": there is no store", err: err}
	}
	return s, err
}

// report says what was copied.
func (s *storeCopy) report(e *env, contents *transfer.Contents) error {
	r := reportCopy(contents)
	r.From, r.To, r.DryRun = named(s.source), named(s.target), s.dryRun
	if s.format.given {
		document, err := encode(r)
		if err != nil {
			return err
		}
		return e.show(s.output, "copy", document)
	}
	did := "copied"
	if s.dryRun {
		did = "would copy"
	}
	if err := e.say("%s", term.Escape(fmt.Sprintf("%s %s to %s: %s", did, r.From, r.To, r))); err != nil {
		return err
	}
	if !s.dryRun && !s.online {
		e.tell("next: have database in kayra.yaml name the copy, and start kayra serve and kayra reconciler")
	}
	return nil
}
