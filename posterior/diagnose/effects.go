package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ppl/lang/types"
	"ppl/posterior/store"
)

// This file gives advice about the parameterization of effects, theta ~ Normal(mu, tau). If data say little about each
// element, its posterior is about as wide as tau, which makes a funnel, and the non-centered form helps. If data say
// much about each element, it harms (Betancourt and Girolami 2015, Hamiltonian Monte Carlo for hierarchical models).
// The widths in the posterior show which is the case.

// wide and narrow bound the ratio of an element's standard deviation to the effect's scale: above wide, `noncentered`
// helps; below narrow, it harms.
const (
	wide   = 0.5
	narrow = 0.2
)

// otherCoordinates returns advice against a funnel: change the parameterization of an effect if it is wrong, else use
// smaller steps.
func (f *findings) otherCoordinates() store.Advice {
	if e := f.worstOf(false); e != nil && f.width(*e) > wide {
		return store.Advice{Do: store.Shift, On: e.Name,
			Text: fmt.Sprintf("Mark `%s` `noncentered`: the data say little about its elements "+
				"(%s).", e.Name, f.ratio(*e))}
	}
	if e := f.worstOf(true); e != nil && f.width(*e) < narrow {
		return store.Advice{Do: store.Center, On: e.Name,
			Text: fmt.Sprintf("Write `%s` without `noncentered`: the data determine its elements well (%s).", e.Name,
				f.ratio(*e))}
	}
	return f.smallerSteps()
}

func (f *findings) ratio(e types.Effect) string {
	return fmt.Sprintf("their posterior sd is %.2g of their scale `%s`", f.width(e), e.Scale)
}

// worstOf returns the effect whose parameterization fits worst: the widest centered effect, or the narrowest
// non-centered one. It skips effects whose parameterization the sampler chose, and those with exchangeable elements,
// which should be ordered instead. It returns nil if no effect remains.
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

// width returns the median posterior standard deviation of an effect's elements, divided by the posterior mean of their
// scale (the median over scales if there are several). It is NaN if the run stores no elements or no scale.
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
