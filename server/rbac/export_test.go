package rbac

import "time"

// Prove has the policy take its copy for up to date, without a store to ask.
func (p *Policy) Prove() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.age.told(p.age.reached, p.age.reached, time.Now())
	p.settle()
}

// Sizes is how much the policy holds: what is empty must not stay behind.
func (p *Policy) Sizes() map[string]int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	k := p.known
	return map[string]int{
		"apis": len(k.apis), "namespaces": len(k.namespaces), "roles": len(k.roles),
		"bindings": len(k.bindings), "users": len(k.users), "groups": len(k.groups),
	}
}

// Stopped has it look as if the process had been stopped until now.
func (p *Policy) Stopped(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.age.beat = p.age.beat.Add(-d)
}
