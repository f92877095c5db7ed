package diagnose

import (
	"cmp"
	"slices"
)

// An edge is an end of a quantity's range of draws at which many trajectories diverge. The sampler cannot pass it, so
// draws may be missing beyond it even if divergences are rare overall.
type edge struct {
	name     string
	above    bool // upper end, else lower end
	draws    int  // number of draws examined at this end
	diverged int  // number of these draws whose trajectory diverged
}

const (
	edgeShare = .01 // share of the draws examined at each end
	edgeDraws = 20  // minimum number of draws examined at each end
	// edgeDiverged is the smallest share of divergent draws that makes an edge. If trajectories diverge on the way to a
	// region that walkers do reach, such as the thin end of a hyperbola, the share is about a quarter.
	edgeDiverged = .4
	edgeContrast = 2 // minimum ratio to the overall share of divergences; walls of zero density raise both
	leastEdge    = 8 // minimum number of divergent draws: edgeDiverged × edgeDraws
)

// edgeOf returns the end of a quantity's draws at which more trajectories diverged, or the zero edge if neither end has
// enough of them. chains and diverged have shape [chain][draw].
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
		return edge{} // nearly all values are equal
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
