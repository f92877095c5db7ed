package plot

import (
	"fmt"
	"math"

	"ppl/posterior/quantities"
	"ppl/posterior/store"
)

// mostPairs is the maximum number of quantities plotted against each other.
const mostPairs = 6

// drawPairs draws a scatter plot for each pair of quantities, and the histogram of each quantity on the diagonal. Draws
// from divergent trajectories are marked: where they cluster, the integrator failed.
func drawPairs(r *store.Run, o Options) (Picture, error) {
	qs, notes, err := seriesOf(r, o, mostPairs)
	if err != nil {
		return Picture{}, err
	}
	if len(qs) < 2 {
		return Picture{}, quantities.Unusable{Reason: "pairs needs two quantities or more"}
	}
	diverging, err := diverged(r)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Columns: len(qs), Notes: notes}
	for i, row := range qs {
		for j, column := range qs {
			panel := pair(row, column, i, j, len(qs), diverging)
			panel.X.From, panel.X.To = column.window()
			if i != j {
				panel.Y.From, panel.Y.To = row.window()
			}
			p.Panels = append(p.Panels, panel)
		}
	}
	n := 0
	for _, d := range diverging {
		if d {
			n++
		}
	}
	if n > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("Divergent draws (%d) are marked.", n))
	}
	return p, nil
}

// window returns the range of a quantity's axis, which all panels of its column or row share. If no draw is finite, the
// range is empty, and the axis fits its layers.
func (q series) window() (from, to float64) {
	r := [2]float64{math.Inf(1), math.Inf(-1)}
	for _, v := range q.all() {
		widen(&r, v)
	}
	if r[0] > r[1] {
		return 0, 0
	}
	r = Axis{}.span(r, 0.02)
	return r[0], r[1]
}

// pair returns the panel at row i and column j of an n × n grid. Panels above the diagonal are empty.
func pair(row, column series, i, j, n int, diverging []bool) Panel {
	p := Panel{X: Axis{Bare: i < n-1}, Y: Axis{Bare: j > 0 || i == 0}}
	if i == n-1 {
		p.X.Label = column.name
	}
	if j == 0 {
		p.Y.Label = row.name
	}
	switch {
	case i == j:
		p.Y = Axis{Bare: true, Label: p.Y.Label}
		p.Layers = []Layer{histogram(column.all(), Style{Color: Main})}
	case j < i:
		var good, bad Points
		x, y := column.all(), row.all()
		for d := range x {
			to := &good
			if diverging[d] {
				to = &bad
			}
			to.X, to.Y = append(to.X, x[d]), append(to.Y, y[d])
		}
		good.Style = Style{Color: Main, Faint: true, Width: 1}
		bad.Style = Style{Color: Alarm, Width: 1.8}
		p.Layers = []Layer{good, bad}
	default:
		p.X, p.Y = Axis{Bare: true}, Axis{Bare: true}
	}
	return p
}

// diverged reports for each draw, chain after chain, whether its trajectory diverged.
func diverged(r *store.Run) ([]bool, error) {
	out := make([]bool, r.Layout.Chains*r.Info.Draws)
	if !r.HasStat("diverging") {
		return out, nil
	}
	chains, err := r.Stats("diverging")
	if err != nil {
		return nil, err
	}
	for c, xs := range chains {
		for d, x := range xs {
			out[c*r.Info.Draws+d] = x != 0
		}
	}
	return out, nil
}
