package effects

import (
	"strings"

	"ppl/posterior/plot"
)

// Picture draws the effects: a curve over a numeric first term, or points over its categories, for each value of the
// second term.
func (e *Effects) Picture() plot.Picture {
	first := e.Terms[0]
	n := len(first.Values)
	x := plot.Axis{Label: first.Name}
	at := make([]float64, n)
	for i, v := range first.Values {
		at[i] = v.Number
		if first.Category {
			at[i] = float64(i + 1)
			x.Ticks = append(x.Ticks, plot.Tick{At: at[i], Label: v.Label})
			x.From, x.To = 0.5, float64(n)+0.5
		}
	}
	var curves []plot.Curve
	for k := 0; k < len(e.Places); k += n {
		c := plot.Curve{X: at, AtCategories: first.Category}
		var others []string
		for i, v := range e.Places[k].Values[1:] {
			others = append(others, e.Terms[i+1].Name+" "+v.Label)
		}
		c.Label = strings.Join(others, ", ")
		for _, m := range e.Estimates[k : k+n] {
			c.Mean, c.Lo, c.Hi = append(c.Mean, m.Mean), append(c.Lo, m.Lo), append(c.Hi, m.Hi)
		}
		curves = append(curves, c)
	}
	label := "expected " + e.Outcome
	if e.Shares {
		label = "probability"
	}
	return plot.Effects(x, plot.Axis{Label: label}, curves)
}
