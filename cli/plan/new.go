package plan

import (
	"encoding/json"
	"fmt"

	"kayra/server/api"
)

// New makes a plan of all but its requests. It fails on an answer that is not a registration.
func New(f Facts) (*Plan, error) {
	subject, err := f.subject()
	if err != nil {
		return nil, fmt.Errorf("read registration: %w", err)
	}
	var before api.Registration
	p := &Plan{Name: subject.Name, Action: Create, Requests: Requests{Steps: nil}}
	if f.Before != nil {
		p.Action = Update
		if err := json.Unmarshal(f.Before, &before); err != nil {
			return nil, fmt.Errorf("read registration: %w", err)
		}
	}
	if p.Changes, err = changes(f.Before, f.After); err != nil {
		return nil, fmt.Errorf("compare registrations: %w", err)
	}
	if f.Minted {
		p.hideMinted()
	}
	g := newGraph(subject, f.Registrations)
	p.StartOrder = g.startOrder()
	p.Reconcile = f.reconcile(g, before)
	return p, nil
}

// hideMinted keeps an id out of the plan that the registration will not have.
func (p *Plan) hideMinted() {
	for i, c := range p.Changes {
		if c.Field == "sync_id" || c.Field == "released_sync_id" {
			p.Changes[i].New = json.RawMessage(`"` + Minted + `"`)
		}
	}
}
