package plot

import (
	"math"
	"slices"

	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// drawDensity plots the density of all chains together, with its central 95 % shaded, and the median.
func drawDensity(r *store.Run, o Options) (Picture, error) {
	return eachSeries(r, o, 3, 24, func(q series) Panel {
		all := q.all()
		p := Panel{Title: q.name, Y: Axis{Bare: true}}
		x, y := stats.Density(all, 200)
		lo, hi := stats.Quantile(all, .025), stats.Quantile(all, .975)
		var inside Band
		for i := range x {
			if x[i] >= lo && x[i] <= hi {
				inside.X, inside.Lo, inside.Hi = append(inside.X, x[i]), append(inside.Lo, 0), append(inside.Hi, y[i])
			}
		}
		inside.Style = Style{Color: Main, Faint: true}
		p.Layers = []Layer{inside, Line{x, y, Style{Color: Main, Width: 1.4}},
			Rule{stats.Quantile(all, .5), false, Style{Color: Second, Dashed: true}}}
		return p
	})
}

// drawHistogram plots a histogram with bars of equal width. Integer values get one bar each if they span a small range.
func drawHistogram(r *store.Run, o Options) (Picture, error) {
	return eachSeries(r, o, 3, 24, func(q series) Panel {
		return Panel{Title: q.name, Y: Axis{Bare: true}, Layers: []Layer{histogram(q.all(), Style{Color: Main})}}
	})
}

// mostWhole is the largest range of integers that get one bar each.
const mostWhole = 60

// histogram returns bars with total area 1.
func histogram(xs []float64, s Style) Bars {
	xs = slices.DeleteFunc(slices.Clone(xs), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(xs) == 0 {
		return Bars{Style: s}
	}
	lo, hi := slices.Min(xs), slices.Max(xs)
	bins := max(8, min(60, int(math.Sqrt(float64(len(xs)))/1.5)))
	switch {
	case allWhole(xs) && hi-lo < mostWhole:
		lo, hi = lo-.5, hi+.5
		bins = int(hi - lo)
	case lo == hi:
		lo, hi = lo-.5, hi+.5
	}
	b := Bars{Heights: make([]float64, bins), Style: s}
	for k := range bins + 1 {
		b.Edges = append(b.Edges, lo+(hi-lo)*float64(k)/float64(bins))
	}
	for _, v := range xs {
		b.Heights[min(bins-1, int((v-lo)/(hi-lo)*float64(bins)))] += float64(bins) / (hi - lo) / float64(len(xs))
	}
	return b
}

func allWhole(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(v float64) bool { return v != math.Trunc(v) })
}
