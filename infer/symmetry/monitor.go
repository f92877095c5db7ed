package symmetry

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A Monitor measures whether chains agree, based on quantities that do not depend on the image. Draws are random
// images, so R-hat of parameters with symmetries hardly shows how slowly a chain moves in its mode.
type Monitor struct {
	Reference Reference
	Chains    []watched
}

// watched holds quantities of some draws of a chain.
type watched struct {
	stats.Thinning
	At [][]float64
}

const (
	mostWatched  = 1024 // maximum number of draws of a chain
	mostNumbers  = 64   // maximum number of quantities of a draw
	leastWatched = 64   // minimum number of draws of a chain for an estimate
	worrying     = 1.02 // a higher R-hat causes a warning; hundreds of draws give a good estimate of R-hat
	leastESS     = 400  // R-hat is not reliable below this (Vehtari et al. 2021)
)

// NewMonitor returns a Monitor that uses images near ref.
func NewMonitor(chains int, ref Reference) *Monitor {
	return &Monitor{Reference: ref, Chains: make([]watched, chains)}
}

// Add adds a draw of a chain.
func (m *Monitor) Add(images *Images, chain int, x []float64, r *rand.Rand) {
	if w := &m.Chains[chain]; w.Takes() {
		numbers := images.numbers(images.ToModel(x), m.Reference, r)
		w.At = stats.Kept(&w.Thinning, append(w.At, numbers), mostWatched)
	}
}

// numbers returns at most mostNumbers quantities that do not depend on the image: the lengths of vectors that rotate,
// and the other coordinates of the nearest image.
func (g *Group) numbers(x []float64, ref Reference, r *rand.Rand) (out []float64) {
	at := g.extended(g.Nearest(x, ref, r))
	for _, s := range g.Of {
		if s.Kind != types.Rotations {
			for _, set := range s.Sets {
				for _, i := range set {
					out = append(out, at[i])
				}
			}
			continue
		}
		for i := range s.Sets[0] {
			length := 0.0
			for _, set := range s.Sets {
				length = math.Hypot(length, at[set[i]])
			}
			out = append(out, length)
		}
	}
	return stats.Thinned(out, mostNumbers)
}

// Worst returns the largest R-hat and the smallest effective sample size of all quantities, or NaN if chains have too
// few draws.
func (m *Monitor) Worst() (rHat, ess float64) {
	rHat, ess = math.NaN(), math.NaN()
	for _, w := range m.Chains {
		if len(w.At) < leastWatched {
			return rHat, ess
		}
	}
	for k := range m.Chains[0].At[0] {
		var chains [][]float64
		for _, w := range m.Chains {
			var values []float64
			for _, at := range w.At {
				values = append(values, at[k])
			}
			chains = append(chains, values)
		}
		if r := stats.RHat(chains); !(r <= rHat) && !math.IsNaN(r) {
			rHat = r
		}
		if n := stats.ESSBulk(chains); !(n >= ess) && !math.IsNaN(n) {
			ess = n
		}
	}
	return rHat, ess
}

// Warnings returns the warnings about chains that disagree or move slowly.
func (m *Monitor) Warnings() []store.Warning {
	more := []store.Advice{{Do: store.Raise, On: "draws",
		Text: "Take more draws (--draws), and as many iterations of warm-up (--warmup)."}}
	switch rHat, ess := m.Worst(); {
	case rHat > worrying:
		return []store.Warning{{
			Fact: fmt.Sprintf("R-hat is %.3f if images under the symmetries of the model count as equal.",
				rHat),
			Reason: "Each draw is an image that was chosen at random, so R-hat of single parameters does not show " +
				"that the chains have not converged to a common distribution.",
			Advice: more}}
	case ess < leastESS:
		return []store.Warning{{
			Fact: fmt.Sprintf("The effective sample size is %.0f, below %d, if images under the symmetries of the "+
				"model count as equal.", ess, leastESS),
			Reason: "Each draw is an image that was chosen at random, so the effective sample sizes of single " +
				"parameters do not show that the chains move slowly within a mode.",
			Advice: more}}
	}
	return nil
}
