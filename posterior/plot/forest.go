package plot

import (
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// drawForest plots a horizontal line for each quantity: thin for the central 95 % of the draws, thick for the central
// half, with a point at the median.
func drawForest(r *store.Run, o Options) (Picture, error) {
	qs, notes, err := seriesOf(r, o, 60)
	if err != nil {
		return Picture{}, err
	}
	var wide, half Segments
	var middle Points
	p := Panel{Y: Axis{From: -.5, To: float64(len(qs)) - .5}}
	for i, q := range qs {
		at := float64(len(qs) - 1 - i)
		all := q.all()
		add := func(s *Segments, lo, hi float64) {
			s.X0, s.X1 = append(s.X0, stats.Quantile(all, lo)), append(s.X1, stats.Quantile(all, hi))
			s.Y0, s.Y1 = append(s.Y0, at), append(s.Y1, at)
		}
		add(&wide, .025, .975)
		add(&half, .25, .75)
		middle.X, middle.Y = append(middle.X, stats.Quantile(all, .5)), append(middle.Y, at)
		p.Y.Ticks = append(p.Y.Ticks, Tick{at, q.name})
	}
	wide.Style, half.Style = Style{Color: Main}, Style{Color: Main, Width: 3}
	middle.Style = Style{Color: Second, Width: 2.4}
	p.Layers = []Layer{Rule{0, false, Style{Color: Quiet, Dashed: true}}, wide, half, middle}
	if !straddles(wide) {
		p.Layers = p.Layers[1:]
	}
	return Picture{Columns: 1, Panels: []Panel{p}, Notes: notes}, nil
}

// straddles reports whether the segments together extend to both sides of 0.
func straddles(s Segments) bool {
	below, above := false, false
	for i := range s.X0 {
		below, above = below || s.X0[i] < 0, above || s.X1[i] > 0
	}
	return below && above
}
