package adapt

import (
	"math"

	"ppl/posterior/store"
)

// A MissedMode holds a share of a target, and chains of a sampler without a ladder have not been in it.
type MissedMode struct {
	At     []float64 // its top
	Share  float64   // of the target
	Normal Normal    // Laplace's approximation of it
	Seen   MassOf    // where the chains were
}

// A SearchResult is what a search for what chains have not seen comes to.
type SearchResult struct {
	Missed    []MissedMode
	Elsewhere *store.Elsewhere // an exploration against the chains; nil if no climb gave a reason for one
	Gradients int64
}

// MassOf is a share of a target that is like a normal.
type MassOf struct {
	Share  float64
	Normal Normal
}

// logDensity is that of the share at a point, up to a constant.
func (m *MassOf) logDensity(x []float64) float64 {
	return math.Log(m.Share) - m.Normal.LogVolume() - m.Normal.Distance(x)/2
}

// Holds reports whether a point is a draw of the mode, rather than of what the chains have seen: in many dimensions
// draws of both are about as far from the top.
func (m *MissedMode) Holds(x []float64) bool {
	own := MassOf{m.Share, m.Normal}
	return m.Normal.Around(x) && (m.Seen.Share == 0 || own.logDensity(x) > m.Seen.logDensity(x))
}
