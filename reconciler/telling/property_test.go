package telling_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"kayra/notice"
	"kayra/store/catalog"
)

// Whatever happens, and whatever fails, each channel hears of a degradation first, and then of recoveries and degradations
// in turn; and in the end, once all channels work, what it has heard last is so.
func TestChannelsHearInTurn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		d := newDesk(t)
		d.interval = 0
		some := rapid.SliceOfDistinct(rapid.SampledFrom(notice.Channels()), rapid.ID[notice.Channel])
		d.has = some.Draw(r, "has")
		states := []catalog.HealthState{catalog.HealthHealthy, catalog.HealthDegraded, catalog.HealthPending}
		var running *catalog.Owed
		end := func() {
			if running != nil {
				d.end(*running)
				running = nil
			}
		}
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			switch rapid.SampledFrom([]string{"state", "open", "begin", "end", "wait", "down", "restart"}).Draw(r, "step") {
			case "state":
				d.standing.State = rapid.SampledFrom(states).Draw(r, "state")
			case "open":
				d.open = some.Draw(r, "open")
			case "begin":
				if o, ok := d.begin(); ok {
					running = &o
				}
			case "end":
				end()
			case "down":
				d.err = rapid.SampledFrom([]error{nil, notice.ErrUndelivered}).Draw(r, "error")
			case "restart":
				if running == nil && len(d.health.Told.Owed) == 0 {
					d.restart()
				}
			case "wait":
				d.now = d.now.Add(d.interval + 1e9)
			}
			d.look()
		}
		end()
		d.err, d.open, d.now = nil, notice.Channels(), d.now.Add(3600e9)
		d.turn()
		for _, c := range d.has {
			heard := d.heard[string(c)]
			for i, kind := range heard {
				if want := []string{"degraded", "recovered"}[i%2]; kind != want {
					r.Fatalf("by %s was heard %v", c, heard)
				}
			}
			if degraded := len(heard)%2 == 1; degraded != (d.health.Told.State == catalog.HealthDegraded) {
				r.Fatalf("by %s was heard %v in the end, when it is %s", c, heard, d.health.Told.State)
			}
		}
		if slices.Contains(d.late, notice.Degraded) || len(d.health.Told.Owed) > 0 {
			r.Fatalf("late %v, owed %+v", d.late, d.health.Told.Owed)
		}
	})
}
