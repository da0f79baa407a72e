package fleet

import (
	"kayra/reconciler/katalog"
	"kayra/server/api"
	"kayra/store/catalog"
)

// merge makes anew what several processes tell of each API: their workers and queues add up. How it is doing is what the
// server says, which has it from the reconciler that decides for all; else what that one says, or else any.
func (f *Fleet) merge() {
	for _, a := range f.apis {
		a.Busy, a.Workers, a.Queue, a.Told, a.Untold = 0, 0, 0, 0, 0
		a.State, a.Because, a.Writes = "", "", nil
	}
	var konductor *Reconciler
	for _, r := range f.Reconcilers() {
		if r.tells() {
			f.addTold(r.Katalog)
			if konductor == nil || r.Konductor {
				konductor = r
			}
		} else {
			f.addUntold(&r.Reconciler)
		}
	}
	if konductor != nil {
		for i := range konductor.Katalog.CRDs {
			crd := &konductor.Katalog.CRDs[i]
			if a := f.apis[crd.Name]; a != nil {
				a.State, a.Because = catalog.HealthState(crd.State), crd.DegradedReason
			}
		}
	}
	for name, said := range f.gateway {
		a := f.apis[name]
		if a == nil {
			continue
		}
		if a.Writes = said; said.State != "" {
			a.State, a.Because = said.State, said.DegradedReason
		}
	}
}

func (f *Fleet) addTold(k *katalog.KatalogResponse) {
	for i := range k.CRDs {
		crd := &k.CRDs[i]
		a := f.apis[crd.Name]
		if a == nil {
			continue
		}
		a.Workers += crd.Workers
		a.Busy += int(crd.WorkersProcessing)
		a.Queue += crd.QueueDepth
		a.Told++
	}
}

func (f *Fleet) addUntold(r *api.Reconciler) {
	for name, a := range f.apis {
		a.Untold++
		a.Queue += r.Queues[name].Waiting
		a.Busy += r.Queues[name].Running
	}
}
