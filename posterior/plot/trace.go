package plot

import (
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// drawTrace draws two panels for each quantity: its density by chain, and its draws in order.
func drawTrace(r *store.Run, o Options) (Picture, error) {
	qs, notes, err := seriesOf(r, o, 12)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Columns: 2, Notes: notes}
	for _, q := range qs {
		left := Panel{Title: q.name, Y: Axis{Bare: true}}
		right := Panel{Title: q.name, X: Axis{Label: "draw"}}
		for c, xs := range q.chains {
			x, y := stats.Density(xs, 120)
			left.Layers = append(left.Layers, Line{x, y, Style{Color: c, Width: 1.2}})
			right.Layers = append(right.Layers, Line{count(len(xs)), xs, Style{Color: c, Width: .5}})
		}
		p.Panels = append(p.Panels, left, right)
	}
	return p, nil
}
