package plot

import (
	"fmt"
	"math"
	"slices"

	"ppl/posterior/loo"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// drawPIT plots the empirical distribution function of the LOO-PIT values minus that of the uniform distribution, with
// a pointwise 95 % band. If predictions are calibrated, the line stays in the band. A hump in the first half and a dip
// in the second mean that predictions are too narrow; the reverse means that they are too wide.
func drawPIT(r *store.Run, o Options) (Picture, error) {
	l, err := leftOut(r, o)
	if err != nil {
		return Picture{}, err
	}
	switch {
	case l.NoPIT != "":
		return Picture{}, quantities.Unusable{Reason: "there is no LOO-PIT: " + l.NoPIT}
	case l.PIT == nil:
		return Picture{}, quantities.Unusable{Reason: fmt.Sprintf("%s has no replicates of the data yet; draw them: "+
			"ppl "+
			"predict %s", r.Dir, r.Dir)}
	}
	return Picture{Columns: 1, Panels: []Panel{pitPanel(l.Variable.Name, l.PIT)}}, nil
}

// leftOut returns the cross-validation of the named array, or of the only one.
func leftOut(r *store.Run, o Options) (loo.Result, error) {
	switch {
	case len(o.Names) > 0:
		return loo.CrossValidate(r, o.Names[0])
	case o.LeftOut != nil:
		return *o.LeftOut, nil
	}
	return loo.CrossValidate(r, "")
}

func pitPanel(name string, pit []float64) Panel {
	const points = 100
	n := float64(len(pit))
	sorted := slices.Sorted(slices.Values(pit))
	band := Band{Style: Style{Color: Quiet, Faint: true}}
	line := Line{Style: Style{Color: Main, Width: 1.6}}
	for k := range points + 1 {
		p := float64(k) / points
		spread := 1.96 * math.Sqrt(p*(1-p)/n)
		below, _ := slices.BinarySearchFunc(sorted, p, func(x, p float64) int {
			if x <= p {
				return -1
			}
			return 1
		})
		band.X, band.Lo, band.Hi = append(band.X, p), append(band.Lo, -spread), append(band.Hi, spread)
		line.X, line.Y = append(line.X, p), append(line.Y, float64(below)/n-p)
	}
	return Panel{Title: "LOO-PIT of " + name, X: Axis{Label: "share of the prediction below", From: 0, To: 1},
		Y: Axis{Label: "excess of rows"}, Layers: []Layer{band, Rule{0, true, Style{Color: Quiet}}, line}}
}

// drawCalibration plots, for data of zeros and ones, observed frequencies against predicted probabilities. For other
// data, it plots the share of rows in the central intervals of their replicates against the mass of the interval.
func drawCalibration(r *store.Run, o Options) (Picture, error) {
	all, err := replicatesOf(r, o.Names)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Columns: min(2, len(all))}
	for _, x := range all {
		if slices.ContainsFunc(x.data, func(v float64) bool { return v != 0 && v != 1 }) {
			p.Panels = append(p.Panels, x.coverage())
		} else {
			p.Panels = append(p.Panels, x.reliability())
		}
	}
	return p, nil
}

func diagonal() Line {
	return Line{[]float64{0, 1}, []float64{0, 1}, Style{Color: Quiet, Dashed: true}}
}

// reliability groups rows by predicted probability into up to ten bins. It plots the share of ones in each bin, with
// the interval that has 90 % probability under the predictions.
func (x replicates) reliability() Panel {
	n := len(x.data)
	type row struct{ p, y float64 }
	rows := make([]row, n)
	for i := range rows {
		rows[i].y = x.data[i]
		for _, xs := range x.drawn {
			rows[i].p += xs[i] / float64(len(x.drawn))
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.p < b.p {
			return -1
		}
		return 1
	})
	bins := max(1, min(10, n/10))
	var spread Segments
	seen := Points{Style: Style{Color: Second, Width: 2.6, Label: "data"}}
	for b := range bins {
		part := rows[b*n/bins : (b+1)*n/bins]
		var p, y, v float64
		for _, w := range part {
			p, y, v = p+w.p, y+w.y, v+w.p*(1-w.p)
		}
		m := float64(len(part))
		p, y, v = p/m, y/m, 1.645*math.Sqrt(v)/m
		spread.X0, spread.X1 = append(spread.X0, p), append(spread.X1, p)
		spread.Y0, spread.Y1 = append(spread.Y0, math.Max(0, p-v)), append(spread.Y1, math.Min(1, p+v))
		seen.X, seen.Y = append(seen.X, p), append(seen.Y, y)
	}
	spread.Style = Style{Color: Main, Width: 1.6, Label: "90 % expected"}
	return Panel{Title: x.variable.Name, X: Axis{Label: "predicted probability", From: -.02, To: 1.02},
		Y: Axis{Label: "frequency", From: -.02, To: 1.05}, Layers: []Layer{diagonal(), spread, seen}}
}

// coverage plots, for each interval mass, the share of rows in the central interval of their replicates.
func (x replicates) coverage() Panel {
	line := Line{Style: Style{Color: Main, Width: 1.6}}
	band := Band{Style: Style{Color: Quiet, Faint: true}}
	depth := make([]float64, len(x.data)) // by row: mass of the smallest central interval that contains it
	column := make([]float64, len(x.drawn))
	for i, y := range x.data {
		for d, xs := range x.drawn {
			column[d] = xs[i]
		}
		below := stats.PIT(column, y, stats.Tie(i))
		depth[i] = math.Abs(2*below - 1)
	}
	slices.Sort(depth)
	for k := range 51 {
		p := float64(k) / 50
		at, _ := slices.BinarySearch(depth, p+1e-12)
		spread := 1.96 * math.Sqrt(p*(1-p)/float64(len(depth)))
		line.X, line.Y = append(line.X, p), append(line.Y, float64(at)/float64(len(depth)))
		band.X, band.Lo, band.Hi = append(band.X, p), append(band.Lo, p-spread), append(band.Hi, p+spread)
	}
	return Panel{Title: x.variable.Name, X: Axis{Label: "mass of the interval", From: 0, To: 1},
		Y: Axis{Label: "rows in it", From: 0, To: 1.02}, Layers: []Layer{band, diagonal(), line}}
}
