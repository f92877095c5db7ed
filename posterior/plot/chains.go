package plot

import (
	"math"

	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// drawAutocorrelation plots the autocorrelation function of each chain. Independent draws would stay in the band at 95
// % of the lags.
func drawAutocorrelation(r *store.Run, o Options) (Picture, error) {
	most := min(60, r.Info.Draws/2)
	return eachSeries(r, o, 3, 24, func(q series) Panel {
		width := 1.96 / math.Sqrt(float64(len(q.chains[0])))
		p := Panel{Title: q.name, X: Axis{Label: "lag, in draws"}, Y: Axis{From: -.4, To: 1.05}}
		p.Layers = append(p.Layers, Band{[]float64{0, float64(most)}, []float64{-width, -width},
			[]float64{width, width},
			Style{Color: Quiet, Faint: true}}, Rule{0, true, Style{Color: Quiet}})
		for c, xs := range q.chains {
			rho := stats.Autocorrelation(xs, most)
			p.Layers = append(p.Layers, Line{count(len(rho)), rho, Style{Color: c, Width: 1.2}})
		}
		return p
	})
}

// drawEnergy compares the distribution of the energy, centred in each chain, with that of its changes between kept
// draws (Betancourt 2016). Much narrower changes mean that momentum resampling explores the energies slowly.
func drawEnergy(r *store.Run, _ Options) (Picture, error) {
	if !r.HasStat("energy") {
		return Picture{}, quantities.Unusable{Reason: "the sampler of " + r.Dir + " has no energies"}
	}
	chains, err := r.Stats("energy")
	if err != nil {
		return Picture{}, err
	}
	var level, change []float64
	for _, xs := range chains {
		mean := 0.0
		for _, x := range xs {
			mean += x / float64(len(xs))
		}
		for d, x := range xs {
			level = append(level, x-mean)
			if d > 0 {
				change = append(change, x-xs[d-1])
			}
		}
	}
	p := Panel{X: Axis{Label: "energy"}, Y: Axis{Bare: true}}
	for k, part := range []struct {
		name string
		xs   []float64
	}{{"about the mean", level}, {"changes", change}} {
		x, y := stats.Density(part.xs, 200)
		zero := make([]float64, len(x))
		p.Layers = append(p.Layers, Band{x, zero, y, Style{Color: k, Faint: true}},
			Line{x, y, Style{Color: k, Width: 1.4, Label: part.name}})
	}
	return Picture{Columns: 1, Panels: []Panel{p}}, nil
}

// drawESS plots the effective sample size of the first n draws against n. The points lie on a straight line if the
// chains mix equally well throughout the run.
func drawESS(r *store.Run, o Options) (Picture, error) {
	const steps = 12
	return eachSeries(r, o, 3, 24, func(q series) Panel {
		bulk := Line{Style: Style{Color: Main, Width: 1.4, Label: "bulk"}}
		tail := Line{Style: Style{Color: Second, Width: 1.4, Label: "tail"}}
		for k := 1; k <= steps; k++ {
			n := len(q.chains[0]) * k / steps
			part := make([][]float64, len(q.chains))
			for c := range part {
				part[c] = q.chains[c][:n]
			}
			total := float64(n * len(part))
			bulk.X, bulk.Y = append(bulk.X, total), append(bulk.Y, stats.ESSBulk(part))
			tail.X, tail.Y = append(tail.X, total), append(tail.Y, stats.ESSTail(part))
		}
		return Panel{Title: q.name, X: Axis{Label: "draws"}, LegendLow: true, Layers: []Layer{
			Rule{400, true, Style{Color: Alarm, Dashed: true}}, bulk, tail, Points{bulk.X, bulk.Y, Style{Color: Main}},
			Points{tail.X, tail.Y, Style{Color: Second}}}}
	})
}
