package screen

import (
	"kayra/tui/fleet"
	"kayra/tui/widget"
)

// untoldSubscriptions is why no subscription is shown although there may be some; "": all that there are have been told.
func untoldSubscriptions(d *Data) string {
	s := d.Fleet.Source(fleet.AllSubscriptions)
	switch {
	case s.Trouble == fleet.Denied:
		return "You may not see the subscriptions of all namespaces. `kayra top -n NAMESPACE` shows those of one, to those who may see them."
	case !s.Synced:
		return "Nothing has been told of subscriptions yet."
	}
	return ""
}

// deserted warns that nobody brings anything up to its sync id.
func deserted(d *Data, width int) []string {
	if !d.Fleet.Source(fleet.AllReconcilers).Synced || len(d.Fleet.Reconcilers()) > 0 {
		return nil
	}
	th := d.Theme
	return []string{th.Warn.Render(widget.Fit(th.Alert+" No reconciler is running: nothing is synced until one is.", width, th.Ellipsis))}
}
