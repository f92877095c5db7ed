package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ppl/lang/types"
	"ppl/posterior/store"
)

// Advice about the coordinates of effects, theta ~ Normal(mu, tau). Where data say little about each element, its
// posterior is about as wide as tau, a funnel, and coordinates of their own help; where data say much about each, they
// harm (Betancourt and Girolami 2015, Hamiltonian Monte Carlo for hierarchical models). The posterior shows which.

// wide and narrow are the ratios of an element's standard deviation to the scale above which `noncentered` helps, and
// below which it harms.
const (
	wide   = 0.5
	narrow = 0.2
)

// otherCoordinates reports what to do about a funnel: to the effect that has the wrong coordinates, else to the steps.
func (f *findings) otherCoordinates() store.Advice {
	if e := f.worstOf(false); e != nil && f.width(*e) > wide {
		return store.Advice{Do: store.Shift, On: e.Name,
			Text: fmt.Sprintf("Mark `%s` `noncentered`: its elements are known %s.", e.Name, f.how(*e))}
	}
	if e := f.worstOf(true); e != nil && f.width(*e) < narrow {
		return store.Advice{Do: store.Center, On: e.Name,
			Text: fmt.Sprintf("Write `%s` without `noncentered`: its elements are known %s.", e.Name, f.how(*e))}
	}
	return f.smallerSteps()
}

// how compares what is known of an effect's elements with their scale.
func (f *findings) how(e types.Effect) string {
	w := f.width(e)
	if w > wide {
		return fmt.Sprintf("hardly better than by their scale `%s` (%.2g of it)", e.Scale, w)
	}
	return fmt.Sprintf("well from the data (to %.2g of their scale `%s`)", w, e.Scale)
}

// worstOf returns the centred effect whose elements are least known, or the one not centred whose elements are best
// known, of those whose coordinates the sampler did not choose. Effects whose elements can change places are to be
// ordered.
func (f *findings) worstOf(noncentered bool) (worst *types.Effect) {
	for i, e := range f.effects {
		w := f.width(e)
		_, chosen := f.run.Report.Centring[e.Name]
		if chosen || e.NonCentered != noncentered || math.IsNaN(w) || slices.Contains(f.exchangeable, e.Name) {
			continue
		}
		if worst == nil || (w > f.width(*worst)) != noncentered {
			worst = &f.effects[i]
		}
	}
	return worst
}

// width returns the median of the standard deviations of an effect's elements, as a share of the mean of its scale; NaN
// if the run has no such scale.
func (f *findings) width(e types.Effect) float64 {
	var sds, scales []float64
	for _, p := range f.parameters {
		switch p.Variable {
		case e.Name:
			sds = append(sds, p.SD)
		case e.Scale:
			scales = append(scales, p.Mean)
		}
	}
	if len(sds) == 0 || len(scales) == 0 {
		return math.NaN()
	}
	return median(sds) / median(scales)
}

func median(xs []float64) float64 {
	xs = slices.SortedFunc(slices.Values(xs), cmp.Compare[float64])
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}
