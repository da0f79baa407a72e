package katalog

import "kayra/store/catalog"

// Where a limit comes from.
const (
	sourceDefault    = "default"
	sourceConfigured = "configured" // by the registration, or by kayra.yaml
	sourceAutoscaler = "autoscaler"
)

// limits says where what limits a registration's workers comes from.
type limits struct {
	workers, resync, maxDepthSource string
	maxDepth                        int
}

// MaxDepth is the limit on the queue that holds now; 0: none.
func (a *API) MaxDepth() int { return a.limits().maxDepth }

func (a *API) limits() limits {
	s, scaled := a.Settings, a.Scale.OverrideActive
	l := limits{
		workers:        sourceOf(s.Workers.Source, scaled && s.ScaleWorkers.Value > 0),
		resync:         sourceOf(s.Resync.Source, scaled && s.ScaleResync.Value > 0),
		maxDepth:       s.MaxDepth.Value,
		maxDepthSource: sourceOf(s.MaxDepth.Source, scaled && s.ScaleMaxDepth.Value > 0),
	}
	if l.maxDepthSource == sourceAutoscaler {
		l.maxDepth = s.ScaleMaxDepth.Value
	}
	return l
}

func sourceOf(source catalog.Source, scaled bool) string {
	switch {
	case scaled:
		return sourceAutoscaler
	case source == catalog.SourceRegistration || source == catalog.SourceConfig:
		return sourceConfigured
	}
	return sourceDefault
}
