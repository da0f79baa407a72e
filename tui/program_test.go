package tui_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/muesli/termenv"

	"kayra/store/catalog"
	"kayra/tui"
	"kayra/tui/fleet"
	"kayra/tui/theme"
	"kayra/tui/tuitest"
)

// showing has the test binary show the dashboard instead of running tests. Its value is how that goes wrong.
const showing = "KAYRA_TEST_SHOW"

// Exit codes of the program.
const (
	exitQuit = iota + 10
	exitSignal
	exitFailed
	exitHungUp
	exitOther
)

// show is a program that shows the sample deployment, and ends as cli.Main does when it gets a signal. SIGUSR1 has a row change.
func show(mode string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt, syscall.SIGHUP)
	defer stop()
	c := &tuitest.Client{News: make(chan []fleet.Update, 1)}
	c.News <- tuitest.Still(time.Now().Add(-time.Hour))
	pokes := make(chan os.Signal, 1)
	signal.Notify(pokes, poke)
	defer signal.Stop(pokes)
	if mode != fanOut {
		go poked(c, pokes)
	}
	o := tui.Options{
		Connection: tui.Connection{Client: c, Context: "sandbox", Server: "http://localhost:8080"},
		Theme:      theme.New(theme.Options{Name: theme.Dark, Profile: termenv.TrueColor}),
	}
	terminal := tui.Terminal{In: os.Stdin, Out: os.Stdout, Env: os.LookupEnv}
	switch mode {
	case "panic in Update":
		c.News = make(chan []fleet.Update, 1)
		c.News <- []fleet.Update{(*fleet.Subscriptions)(nil)}
	case "panic in View":
		o.Theme = nil
	case "panic in Cmd":
		o.Client = nil
	case fanOut:
		o.API = "storage.example.com"
		c.News = make(chan []fleet.Update, 1)
		go moving(c.News, pokes)
	case "insist":
		terminal.Guard = func(restore func()) {
			go func() {
				<-ctx.Done()
				if restore != nil {
					restore()
					os.Exit(exitSignal) //nolint:forbidigo // whoever insists
				}
			}()
		}
		o.Client = stubborn{c}
	}
	err := tui.Run(ctx, o, terminal)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
	}
	switch {
	case err == nil:
		return exitQuit
	case errors.Is(err, tui.ErrFailed):
		return exitFailed
	case errors.Is(err, tui.ErrHungUp):
		return exitHungUp
	case errors.Is(err, context.Canceled):
		return exitSignal
	}
	return exitOther
}

// poked has a row change with each signal.
func poked(c *tuitest.Client, pokes <-chan os.Signal) {
	reasons := []catalog.Reason{catalog.ReasonPaused, catalog.ReasonSynced}
	for n := 0; ; n++ {
		<-pokes
		row := tuitest.Row("billing.example.com", "team-0004", tuitest.OldID, reasons[n%2], time.Now().Add(-time.Hour))
		c.News <- []fleet.Update{&fleet.Subscriptions{At: time.Now().Add(-time.Hour), Late: true, Changes: []fleet.SubscriptionChange{{Subscription: row}}}}
	}
}

// fanOut is a mode in which a hundred subscriptions move for ten seconds once there is a signal: ten at a time, each for a second.
const fanOut = "fan-out"

const (
	fanned      = 100
	fannedAtime = 10
)

func moving(news chan<- []fleet.Update, begin <-chan os.Signal) {
	change := func(i int, r catalog.Reason) fleet.SubscriptionChange {
		return fleet.SubscriptionChange{Subscription: tuitest.Row("storage.example.com", fmt.Sprintf("team-%04d", i), tuitest.NewID, r, time.Now())}
	}
	first := &fleet.Subscriptions{Whole: true, At: time.Now()}
	for i := range fanned {
		first.Changes = append(first.Changes, change(i, catalog.ReasonQueued))
	}
	news <- append(tuitest.Still(time.Now()), first)
	<-begin
	every := time.NewTicker(time.Second / fannedAtime)
	for i := range fanned + fannedAtime {
		<-every.C
		moved := &fleet.Subscriptions{At: time.Now()}
		if i < fanned {
			moved.Changes = append(moved.Changes, change(i, catalog.ReasonRunning))
		}
		if done := i - fannedAtime; done >= 0 {
			moved.Changes = append(moved.Changes, change(done, catalog.ReasonSynced))
		}
		news <- []fleet.Update{moved}
	}
}

// stubborn is a connection that does not end when it should.
type stubborn struct{ *tuitest.Client }

func (stubborn) Follow(context.Context, chan<- []fleet.Update, <-chan struct{}) error { select {} }
