package report

import (
	"cmp"
	"fmt"
	"slices"

	"ppl/posterior/store"
)

// An edge is the end of a quantity's draws where trajectories of walkers diverge: beyond it the sampler cannot go, so
// what the posterior holds there is missing, however few divergences there are in all.
type edge struct {
	name     string
	above    bool // the largest draws, else the least
	draws    int
	diverged int // of the trajectories that ended in these draws
}

const (
	edgeShare = .01 // of the draws are looked at, at each end,
	edgeDraws = 20  // and at least that many
	// edgeDiverged is the share of them that diverged from which on there is an edge. Where trajectories diverge on
	// their way to a place that walkers do reach, such as the thin end of a hyperbola, it is a quarter.
	edgeDiverged = .4
	edgeContrast = 2 // and that many times the share of all draws, since walls of zero density are everywhere
	leastEdge    = 8 // draws that diverged, fewer than which make no edge: edgeDiverged of edgeDraws
)

// edgeOf looks at the ends of one quantity. Chains and diverged have the same shape, [chain][draw].
func edgeOf(name string, chains, diverged [][]float64) (found edge) {
	type draw struct{ value, diverged float64 }
	var all []draw
	everywhere := 0
	for c := range chains {
		for i, x := range chains[c] {
			all = append(all, draw{x, diverged[c][i]})
			if diverged[c][i] != 0 {
				everywhere++
			}
		}
	}
	n := max(int(edgeShare*float64(len(all))), edgeDraws)
	if len(all) < 2*n {
		return edge{}
	}
	slices.SortStableFunc(all, func(a, b draw) int { return cmp.Compare(a.value, b.value) })
	if all[n-1].value == all[len(all)-n].value {
		return edge{} // hardly more than one value
	}
	for _, above := range []bool{false, true} {
		e, end := edge{name: name, above: above, draws: n}, all[:n]
		if above {
			end = all[len(all)-n:]
		}
		for _, d := range end {
			if d.diverged != 0 {
				e.diverged++
			}
		}
		if e.diverged > found.diverged {
			found = e
		}
	}
	usual := float64(everywhere) / float64(len(all))
	if share := float64(found.diverged) / float64(n); share < edgeDiverged || share < edgeContrast*usual {
		return edge{}
	}
	return found
}

// cutOff warns of the edge where most trajectories diverge. Where divergences are many, that is said of all of them.
func cutOff(f *findings) (w store.Warning) {
	e := f.edge
	if e.diverged == 0 || f.diverges() || f.escapes() {
		return w
	}
	end := "least"
	if e.above {
		end = "largest"
	}
	return store.Warning{
		Fact: fmt.Sprintf("Of the %d draws with the %s %s, %d are where trajectories diverge.", e.draws, end, e.name,
			e.diverged),
		Reason: "The sampler cannot follow the density there, and what lies beyond may be missing from the draws.",
		Advice: []store.Advice{f.otherCoordinates()},
	}
}
