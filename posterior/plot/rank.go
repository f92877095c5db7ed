package plot

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"ppl/posterior/store"
)

// drawRank counts in which twentieth of all draws those of each chain lie (Vehtari et al. 2021, section 4.3); the band
// has 95 % of such counts where all chains have the same distribution and draws are independent.
func drawRank(r *store.Run, o Options) (Picture, error) {
	const bins = 20
	return eachQuantity(r, o, 3, 24, func(q quantity) Panel {
		most := 0.0
		ranks := ranksOf(q)
		n := len(q.chains[0])
		expected := float64(n) / bins
		spread := 1.96 * math.Sqrt(expected*(1-1./bins))
		p := Panel{Title: q.name, X: Axis{Label: "rank, in twentieths"}, Y: Axis{}, LegendLow: true}
		p.Layers = append(p.Layers, Band{[]float64{0, bins}, []float64{expected - spread, expected - spread},
			[]float64{expected + spread, expected + spread}, Style{Color: Quiet, Faint: true}})
		for c, chain := range ranks {
			heights := make([]float64, bins)
			for _, at := range chain {
				heights[min(bins-1, int(at*bins))]++
			}
			most = max(most, slices.Max(heights))
			line := Line{Style: Style{Color: c, Width: 1.2, Label: fmt.Sprintf("chain %d", c+1)}}
			for k, h := range heights { // steps
				line.X = append(line.X, float64(k), float64(k+1))
				line.Y = append(line.Y, h, h)
			}
			p.Layers = append(p.Layers, line)
		}
		p.Y.To = max(2*expected, 1.05*most)
		return p
	})
}

// ranksOf gives each draw's rank among all, as a share of them.
func ranksOf(q quantity) [][]float64 {
	type source struct{ chain, draw int }
	var all []source
	out := make([][]float64, len(q.chains))
	for c, xs := range q.chains {
		out[c] = make([]float64, len(xs))
		for d := range xs {
			all = append(all, source{c, d})
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		return q.chains[all[i].chain][all[i].draw] < q.chains[all[j].chain][all[j].draw]
	})
	for rank, at := range all {
		out[at.chain][at.draw] = float64(rank) / float64(len(all))
	}
	return out
}
