package plot

import (
	"fmt"
	"math"
	"slices"

	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// drawPrior plots the posterior of each quantity over its prior, with draws from o.Prior.
func drawPrior(r *store.Run, o Options) (Picture, error) {
	if o.Prior == nil || len(o.Prior.Layout.Prior) == 0 {
		return Picture{}, quantities.Unusable{Reason: fmt.Sprintf("draws from the prior are needed: ppl predict %s, "+
			"then ppl plot %s prior --prior DIR", r.Info.Model, r.Dir)}
	}
	var missing []string
	p, err := eachSeries(r, o, 3, 24, func(q series) Panel {
		panel := Panel{Title: q.name, Y: Axis{Bare: true}}
		posterior := q.all()
		lo, hi := stats.Quantile(posterior, .001), stats.Quantile(posterior, .999)
		if prior := priorOf(o.Prior, q.name); prior != nil {
			from, to := stats.Quantile(prior, .02), stats.Quantile(prior, .98)
			lo, hi = math.Min(lo, from), math.Max(hi, to)
			panel.Layers = append(panel.Layers, outlines(inside(prior, lo, hi), Second, "prior")...)
		} else {
			missing = append(missing, q.name)
		}
		panel.Layers = append(panel.Layers, outlines(posterior, Main, "posterior")...)
		panel.X.From, panel.X.To = lo, hi
		return panel
	})
	if len(missing) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s has no draws of %v.", o.Prior.Dir, missing))
	}
	return p, err
}

func outlines(xs []float64, color int, label string) []Layer {
	x, y := stats.Density(xs, 200)
	return []Layer{Band{x, make([]float64, len(x)), y, Style{Color: color, Faint: true}},
		Line{x, y, Style{Color: color, Width: 1.4, Label: label}}}
}

func inside(xs []float64, lo, hi float64) []float64 {
	return slices.DeleteFunc(slices.Clone(xs), func(v float64) bool { return !(v >= lo && v <= hi) })
}

// priorOf returns the prior draws of a quantity, or nil if the run has none.
func priorOf(r *store.Run, name string) []float64 {
	s, err := quantities.Select(r.Layout.Prior, []string{name}, r)
	if err != nil {
		return nil
	}
	some, _ := spread(r)
	chains, err := some.Prior(s[0].Variable.Name)
	if err != nil {
		return nil
	}
	return slices.Concat(element(chains, s[0].Elements[0], s[0].Variable.Size())...)
}
