package plot

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"ppl/posterior/store"
)

// drawRank plots, for each chain, how many of its draws fall in each twentieth of the ranks of all draws (Vehtari et
// al. 2021, section 4.3). If all chains have the same distribution and draws are independent, 95 % of the counts lie in
// the band.
func drawRank(r *store.Run, o Options) (Picture, error) {
	const bins = 20
	return eachSeries(r, o, 3, 24, func(q series) Panel {
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
			for k, h := range heights { // draw a step function
				line.X = append(line.X, float64(k), float64(k+1))
				line.Y = append(line.Y, h, h)
			}
			p.Layers = append(p.Layers, line)
		}
		p.Y.To = max(2*expected, 1.05*most)
		return p
	})
}

// ranksOf returns the rank of each draw among all draws, as a fraction in [0, 1).
func ranksOf(q series) [][]float64 {
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
