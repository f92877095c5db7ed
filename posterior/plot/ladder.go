package plot

import (
	"errors"
	"fmt"
	"math"

	"ppl/posterior/bayesfactor"
	"ppl/posterior/evidence"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
)

// drawLadder plots the share of walkers at each rung that last visited the cold end (it falls evenly on a good ladder)
// and the swap rates between neighbours. If draws of all rungs were kept, it also plots the curve whose integral is the
// log evidence.
func drawLadder(r *store.Run, _ Options) (Picture, error) {
	s := r.Info.Report
	n := len(s.Temperatures)
	if n < 2 {
		return Picture{}, quantities.Unusable{Reason: fmt.Sprintf("%s has no ladder: its sampler used one temperature",
			r.Dir)}
	}
	var ticks []Tick
	for j, t := range s.Temperatures {
		label := fmt.Sprintf("%.3g", t)
		if math.IsInf(t, 1) {
			label = "prior"
		}
		ticks = append(ticks, Tick{float64(j), label})
	}
	x := Axis{Label: "temperature", From: -.5, To: float64(n) - .5, Ticks: ticks}
	p := Picture{Columns: 2}
	if len(s.Rungs.Upward) == n {
		even := Line{[]float64{0, float64(n - 1)}, []float64{1, 0}, Style{Color: Quiet, Dashed: true}}
		flow := Line{count(n), s.Rungs.Upward, Style{Color: Main, Width: 1.4}}
		p.Panels = append(p.Panels, Panel{Title: "share that comes from the cold end", X: x,
			Y:      Axis{From: -.02, To: 1.05},
			Layers: []Layer{even, flow, Points{flow.X, flow.Y, Style{Color: Main, Width: 2.4}}}})
	}
	var rates Bars
	for j, rate := range s.SwapRates {
		rates.Edges = append(rates.Edges, float64(j)+.1)
		rates.Heights = append(rates.Heights, rate)
		if j+1 < len(s.SwapRates) { // a gap between bars
			rates.Edges, rates.Heights = append(rates.Edges, float64(j)+.9), append(rates.Heights, 0)
		} else {
			rates.Edges = append(rates.Edges, float64(j)+.9)
		}
	}
	rates.Style = Style{Color: Main}
	p.Panels = append(p.Panels, Panel{Title: "swap rates between neighbours", X: x, Y: Axis{From: 0, To: 1.05},
		Layers: []Layer{rates, Rule{.1, true, Style{Color: Alarm, Dashed: true}}}})
	curve, err := bayesfactor.AlongLadder(r)
	switch {
	case errors.As(err, new(evidence.Unusable)):
	case err != nil:
		return p, err
	default:
		p.Panels = append(p.Panels, drawCurve(curve, s.Path))
		p.Notes = append(p.Notes, fmt.Sprintf("The area under the curve of the mean log %s is %.4g ± %.2g: log Z at "+
			"temperature 1 minus log Z at the hottest temperature", tempered(s.Path), curve.Integral.Value,
			curve.Integral.SE))
	}
	return p, nil
}

// drawCurve plots the mean log likelihood or log density of each rung against β. It omits rungs with β < 0.01, except
// among the coldest three, since the mean may diverge as β approaches 0.
func drawCurve(l *evidence.Ratios, path string) Panel {
	const least, shown = .01, 3
	var line Line
	for j, beta := range l.Betas {
		if beta >= least || j < shown {
			line.X, line.Y = append(line.X, beta), append(line.Y, l.Means[j])
		}
	}
	line.Style = Style{Color: Main, Width: 1.4}
	return Panel{Title: "mean log " + tempered(path), X: Axis{Label: "1 / temperature", From: 0, To: 1.02},
		Layers: []Layer{line, Points{line.X, line.Y, Style{Color: Main, Width: 2.4}}}}
}

// tempered names the quantity that the ladder raises to powers.
func tempered(path string) string {
	if path == "likelihood" {
		return path
	}
	return "density"
}
