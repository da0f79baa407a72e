package describe

import (
	"fmt"
	"time"

	"kayra/server/api"
)

// Subscription describes a subscription.
func Subscription(s api.Subscription) string {
	p := &page{}
	attempted := s.AttemptedSyncID
	if attempted == s.ExpectedSyncID {
		attempted = ""
	}
	p.facts("",
		fact{"API", s.API}, fact{"Namespace", s.Namespace}, fact{"Active", usable(s)},
		fact{"State", string(s.State)}, fact{"Synced", yesNo(s.Synced)}, fact{"Reason", string(s.Reason)}, fact{"Message", s.Message},
		fact{"Current", orNone(s.CurrentSyncID)}, fact{"Expected", s.ExpectedSyncID}, fact{"Attempted", attempted},
		fact{"Updated", moment(s.UpdatedAt)},
	)
	if !s.Synced {
		p.Heading("What is in the way, and what would help:")
		p.Verbatim("  ", fmt.Sprintf("kayra why %s -n %s", s.API, s.Namespace))
	}
	return p.String()
}

func usable(s api.Subscription) string {
	if s.Active {
		return "yes"
	}
	return "no: its first sync has not succeeded yet"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// NamespaceFacts are what is known of a namespace.
type NamespaceFacts struct {
	Namespace     api.Namespace
	Subscriptions []api.Subscription
	Bindings      []api.RoleBinding // that hold in it alone
}

// Namespace describes a namespace.
func Namespace(f NamespaceFacts) string {
	p := &page{}
	p.facts("", fact{"Name", f.Namespace.Name}, fact{"Active", yesNo(f.Namespace.Active)})
	if len(f.Subscriptions) == 0 {
		p.Heading("It subscribes to nothing.")
	} else {
		p.Heading(fmt.Sprintf("Subscriptions: %d", len(f.Subscriptions)))
		var facts []fact
		for _, s := range f.Subscriptions {
			facts = append(facts, fact{s.API, sentence(s.Reason, s.Message)})
		}
		p.facts("  ", facts...)
	}
	if len(f.Bindings) > 0 {
		p.Heading("Role bindings that hold in it alone")
		var facts []fact
		for _, b := range f.Bindings {
			facts = append(facts, fact{b.Name, fmt.Sprintf("role %s, for %s", b.Role, subjects(b))})
		}
		p.facts("  ", facts...)
	}
	return p.String()
}
