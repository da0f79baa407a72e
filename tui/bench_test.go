package tui_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"kayra/store/catalog"
	"kayra/tui"
	"kayra/tui/fleet"
	"kayra/tui/theme"
	"kayra/tui/tuitest"
)

// shown is a dashboard of an API with so many subscriptions, at 120 columns and 40 lines.
func shown(tb testing.TB, subscriptions int) (*tui.Model, *fleet.Fleet) {
	tb.Helper()
	m, wait := tui.New(tb.Context(), tui.Options{
		Connection: tui.Connection{Client: &tuitest.Client{}, Context: "bench"},
		Theme:      theme.New(theme.Options{Name: theme.Dark, Profile: termenv.TrueColor}),
		API:        "storage.example.com",
	})
	tb.Cleanup(wait)
	now := time.Now()
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	f := m.Fleet()
	f.Apply(tuitest.Sample(now)...)
	f.Apply(&fleet.Subscriptions{At: now, Changes: tuitest.Many("storage.example.com", tuitest.NewID, subscriptions, now, func(i int) catalog.Reason {
		if i%2 == 0 {
			return catalog.ReasonQueued
		}
		return catalog.ReasonSynced
	})})
	m.View()
	return m, f
}

// frame is how long it takes to draw a screen after a key was pressed and so many subscriptions have moved on: the median of many.
func frame(tb testing.TB, subscriptions, moved int) time.Duration {
	tb.Helper()
	m, f := shown(tb, subscriptions)
	const frames = 60
	runtime.GC()
	took := make([]time.Duration, frames)
	reasons := []catalog.Reason{catalog.ReasonRunning, catalog.ReasonSynced}
	for n := range frames {
		changes := make([]fleet.SubscriptionChange, moved)
		for i := range changes {
			at := (n*moved + i) % subscriptions
			changes[i].Subscription = tuitest.Row("storage.example.com", fmt.Sprintf("team-%04d", at), tuitest.NewID, reasons[n%2], time.Now())
		}
		began := time.Now()
		if moved > 0 {
			f.Apply(&fleet.Subscriptions{At: time.Now(), Changes: changes})
		}
		m.Update(tea.KeyMsg{Type: tea.KeyDown})
		if m.View() == "" {
			tb.Fatal("nothing was drawn")
		}
		took[n] = time.Since(began)
	}
	slices.Sort(took)
	return took[frames/2]
}

// BenchmarkTopFrame10k draws a screen of 10,000 subscriptions after a key; its floor is one of a screenful.
func BenchmarkTopFrame10k(b *testing.B) { benchmarkFrame(b, 0) }

// BenchmarkTopLiveFrame10k draws one after a tenth of a second of a fan-out at 3,000 a second, too.
func BenchmarkTopLiveFrame10k(b *testing.B) { benchmarkFrame(b, 300) }

func benchmarkFrame(b *testing.B, moved int) {
	b.Helper()
	var value, floor time.Duration
	for range b.N {
		value += frame(b, 10_000, moved)
		floor += frame(b, 40, moved)
	}
	b.ReportMetric(float64(value.Microseconds())/1000/float64(b.N), "ms")
	b.ReportMetric(float64(floor.Microseconds())/1000/float64(b.N), "floor-ms")
	b.ReportMetric(float64(value)/float64(floor), "ratio")
}
