package reconciler

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"kayra/reconciler/kordinator"
	"kayra/store"
	"kayra/store/catalog"
)

// Controller is one reconciler process.
type Controller struct {
	opts    Options
	repo    *catalog.Repository
	modes   modes
	cache   *cache
	queues  *kordinator.Queues[job] // of what registrations' workers do, and of what is about none
	asides  *kordinator.Queues[job] // of what else is to be done for registrations, their documents above all
	order   *order
	office  *office
	courier *courier // nil: nobody is told of anything
	staffs  *staffs
	abroad  chan struct{} // dependencies on other scopes may have changed
	log     *slog.Logger
	metrics *metrics
	runs    *runs
	memory  *memory
	feed    *feed
}

// New makes a reconciler of the options. It does nothing until Run.
func New(opts Options) (*Controller, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	c := &Controller{
		opts:   opts,
		repo:   catalog.NewRepository(opts.Store, opts.Scope),
		modes:  modes{fallback: opts.DefaultMode, has: opts.Pipeline.Has},
		cache:  newCache(opts),
		staffs: &staffs{all: map[string]*staff{}},
		order:  &order{open: map[string]bool{}}, abroad: make(chan struct{}, 1),
		log:  opts.Logger,
		runs: newRuns(), memory: newMemory(),
		feed: newFeed(),
	}
	c.queues = kordinator.NewQueues[job](opts.MaxConcurrent, c.refill)
	c.asides = kordinator.NewQueues[job](opts.MaxConcurrent, nil)
	c.office = newOffice()
	if opts.Notifier != nil {
		c.courier = newCourier(opts)
	}
	c.metrics = newMetrics(c)
	c.cache.wake, c.cache.live, c.cache.dropped = c.woken, c.follows, c.forget
	c.cache.gone = func(j job) {
		c.runs.cancel(j)
		c.memory.forget(j)
	}
	if err := opts.Registry.Register(c.metrics); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return c, nil
}

// Run reconciles until ctx ends. It then begins no new attempt, waits for those that run for up to Options.DrainTimeout,
// cuts off the rest, and returns when all its goroutines have ended. It fails with [store.ErrInUse] when the store takes
// one reconciler only and has one.
func (c *Controller) Run(ctx context.Context) error {
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	session, err := c.firstSession(ctx)
	if err != nil || session == nil {
		return err
	}
	c.queues.Open(system, kordinator.Limits{})
	var background, workers sync.WaitGroup
	follow, unfollow := context.WithCancel(work)
	background.Go(func() { _ = store.Follow(follow, c.opts.Store, c.opts.Scope.Prefix(), c.cache) })
	replaced := make(chan error, 1)
	background.Go(func() { replaced <- c.keepSession(follow, session) })
	background.Go(func() { c.konduct(follow) })
	background.Go(func() { c.followAbroad(follow) })
	background.Go(func() { c.tellQueues(follow) })
	background.Go(func() { c.autoscale(follow) })
	c.startCourier(follow, &background)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for slot := range c.opts.MaxConcurrent {
		workers.Go(func() { c.worker(ctx, work, slot, c.queues) })
		workers.Go(func() { c.worker(ctx, work, slot, c.asides) })
	}
	select {
	case <-ctx.Done():
	case err = <-replaced:
	}
	stop()
	stopped := c.stopAll()
	c.queues.ShutDown()
	c.asides.ShutDown()
	c.drain(&workers, cut)
	<-stopped
	c.stopCourier()
	unfollow()
	background.Wait()
	return err
}

// drain waits for the workers, and cuts their attempts off when that takes too long.
func (c *Controller) drain(workers *sync.WaitGroup, cut func()) {
	c.log.Info("stopping: no new attempt begins, and those that run may end",
		slog.Duration("drain_timeout", c.opts.DrainTimeout), slog.Int("running", c.runs.count()))
	done := make(chan struct{})
	go func() {
		workers.Wait()
		close(done)
	}()
	timer := time.NewTimer(c.opts.DrainTimeout)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		c.log.Warn("attempts are cut off: they did not end within the drain timeout; another reconciler will repeat them",
			slog.Duration("drain_timeout", c.opts.DrainTimeout), slog.Int("attempts", c.runs.count()))
		cut()
		<-done
	}
}

// forget drops what is kept of a registration that is gone.
func (c *Controller) forget(api string) {
	c.metrics.forget(api)
	c.office.forget(api)
	c.asides.Close(api)
	c.opts.Pipeline.Forget(api)
}

// woken looks at what a change may have made due.
func (c *Controller) woken(w wakeup) {
	if !c.runs.opened() {
		return // everything is looked at when there is one
	}
	if w.reorder {
		c.kordinate(w.apis)
		signal(c.abroad)
	}
	c.enqueue(kordinator.Live, w.live)
	c.enqueue(kordinator.Bulk, w.bulk)
	c.office.look(w)
}

// signal says that there is something to look at.
func signal(knock chan<- struct{}) {
	select {
	case knock <- struct{}{}:
	default: // it has been said already
	}
}

// system is the queue of what is about no registration.
const system = ""

func (j job) queue() string {
	if j.kind == jobNamespace {
		return system
	}
	return j.api
}

// aside tells that a job is for a registration, and is no run. It takes no slot of the pool, so that documents that hang
// keep nobody from running.
func (j job) aside() bool { return j.kind == jobSpec || j.kind == jobGood }

// queuesFor are those that a job waits in. Unlike that of a registration's workers, the queue of what else is to be done
// for it is always open.
func (c *Controller) queuesFor(j job) *kordinator.Queues[job] {
	if !j.aside() {
		return c.queues
	}
	c.asides.Open(j.queue(), kordinator.Limits{})
	return c.asides
}

// enqueue queues those of the jobs that there is something to do about, in an order of this process's own. What there
// will be something to do about later is queued then.
func (c *Controller) enqueue(lane kordinator.Lane, jobs []job) {
	jobs, later := c.cache.due(jobs, c.modes, c.runs.isUncertain)
	rand.Shuffle(len(jobs), func(i, k int) { jobs[i], jobs[k] = jobs[k], jobs[i] })
	for _, j := range jobs {
		c.add(lane, j)
	}
	c.noteDepths(jobs)
	for j, at := range later {
		c.addAt(j, at)
	}
}

func (c *Controller) add(lane kordinator.Lane, j job) { c.queuesFor(j).Add(j.queue(), lane, j) }

// addAt queues a job for a time when there will be something to do about it, if nothing happens until then.
func (c *Controller) addAt(j job, at time.Time) {
	c.queuesFor(j).AddAfter(j.queue(), kordinator.Bulk, j, at.Sub(c.cache.now()))
}

// rearm queues a job that was queued for a time, when it is for a later one by now.
func (c *Controller) rearm(j job, p pending) {
	if p.action == actNothing && !p.at.IsZero() {
		c.addAt(j, p.at)
	}
}

// refill queues what a queue had no room for.
func (c *Controller) refill(api string) { c.enqueue(kordinator.Bulk, c.cache.ofAPI(api)) }

// worker is one slot of the pool of the queues.
func (c *Controller) worker(ctx, work context.Context, slot int, queues *kordinator.Queues[job]) {
	for {
		turn, ok := queues.Get()
		if !ok {
			return
		}
		c.noteDepth(turn.Queue)
		if ctx.Err() == nil {
			c.process(ctx, work, slot, turn)
		}
		queues.Done(turn)
	}
}

// process does what there is to do about a job now.
func (c *Controller) process(ctx, work context.Context, slot int, turn kordinator.Turn[job]) {
	j := turn.Job
	run, session, end := c.runs.begin(work, j)
	defer end()
	if session == "" {
		return // everything is looked at when there is one
	}
	w := &worker{
		Controller: c, job: j, session: session, stopping: ctx.Done(),
		log: c.log.With(slog.Int("lock_id", slot)), number: turn.Worker, staff: c.staffs.of(j.api),
	}
	if !j.aside() {
		c.metrics.busy(1)
		defer c.metrics.busy(-1)
	}
	p := c.cache.decide(j, c.modes)
	w.settings = p.settings
	c.rearm(j, p)
	if ended(run.Done()) {
		c.add(kordinator.Live, j) // what was to be done is no more, but the decision may be about what has come after it
		return
	}
	if p.action == actRun && p.attempt.Begun == maxBegun {
		if !c.runs.beginLast(j) {
			return
		}
		defer func() { c.enqueue(kordinator.Bulk, c.runs.endLast()) }()
	}
	if err := w.do(run, p); err != nil {
		c.later(j, w.log, err)
	}
}

// later brings a job back that the store would not take.
func (c *Controller) later(j job, log *slog.Logger, err error) {
	const least, spread = 100 * time.Millisecond, 400 * time.Millisecond
	log.Warn("the store did not take a job; it is tried again", slog.Any("error", err))
	c.queuesFor(j).AddAfter(j.queue(), kordinator.Live, j, least+rand.N(spread))
}

// follows is told whether the cache is being kept up to date.
func (c *Controller) follows(err error) {
	if c.feed.set(err == nil) {
		if err == nil {
			c.log.Info("the watch of the store runs")
		} else {
			c.log.Warn("the watch of the store has broken; it is resumed", slog.Any("error", err))
		}
	}
}
