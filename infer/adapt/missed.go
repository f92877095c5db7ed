package adapt

import (
	"math"

	"ppl/posterior/store"
)

// A MissedMode is a mode that holds a share of the target but was not visited by the chains of a sampler without a
// ladder.
type MissedMode struct {
	At     []float64 // position of its peak
	Share  float64   // its share of the target's mass
	Normal Normal    // Laplace approximation of the mode
	Seen   MassOf    // the part of the target that the chains visited
}

// A SearchResult is the result of a search for regions that the chains missed.
type SearchResult struct {
	Missed    []MissedMode
	Elsewhere *store.Elsewhere // comparison of an exploration with the chains; nil if no climb gave a reason to explore
	Gradients int64
}

// MassOf describes a part of a target: its share of the mass, and a normal that approximates it.
type MassOf struct {
	Share  float64
	Normal Normal
}

// logDensity returns the log density of this part at x, up to a constant.
func (m *MassOf) logDensity(x []float64) float64 {
	return math.Log(m.Share) - m.Normal.LogVolume() - m.Normal.Distance(x)/2
}

// Holds reports whether x is more likely a draw of the mode than of the region that the chains visited. In many
// dimensions, the distance from the peak alone does not distinguish the two.
func (m *MissedMode) Holds(x []float64) bool {
	own := MassOf{m.Share, m.Normal}
	return m.Normal.Around(x) && (m.Seen.Share == 0 || own.logDensity(x) > m.Seen.logDensity(x))
}
