package warmup

import (
	"math"
	"slices"

	"ppl/infer"
	"ppl/infer/renhd/population"
)

// An end is one end of the line along a coordinate.
type end struct {
	coordinate int
	up         bool
}

// A tail is an end of the line through a walker, and two places far out there.
type tail struct {
	end
	walker    int
	near, far float64 // the coordinate there
	most      float64 // by how much the log density has to fall between them, at least
}

// mostTails is the largest number of coordinates that are examined.
const mostTails = 1000

// refuseFlatTails ends a run whose density does not fall off along some coordinate: where that is so for the positions
// of several walkers, the integral over the coordinate is infinite, and so is that over all of them. Walkers may not
// show it: where a scale goes to 0, they look as if they had come to rest. Along a line in other directions the density
// may have no end as well, which only walkers that move off show (adapt.Divergence). Proper priors need no look.
func (r *Warmup) refuseFlatTails() error {
	s := &r.Phase
	if s.Target.ProperPrior() || s.Unadjusted() || s.Target.Dim() > mostTails || r.Replaying() {
		return nil
	}
	tails := r.tails()
	near, err := r.densitiesAt(tails, func(t tail) float64 { return t.near })
	if err != nil {
		return err
	}
	far, err := r.densitiesAt(tails, func(t tail) float64 { return t.far })
	if err != nil {
		return err
	}
	const least = 3 // walkers at whose positions that can be said
	known, flat := map[end]int{}, map[end]int{}
	for i, t := range tails {
		if math.IsInf(near[i], 0) || math.IsInf(far[i], 0) || math.IsNaN(near[i]+far[i]) {
			continue
		}
		known[t.end]++
		if near[i]-far[i] <= t.most {
			flat[t.end]++
		}
	}
	for _, t := range tails { // in order, so that the first is named
		if known[t.end] >= least && flat[t.end] == known[t.end] {
			return infer.DoesNotFall(s.Given, t.coordinate, t.up)
		}
	}
	return nil
}

// tails returns both ends of every coordinate for one walker of each chain, at least four walkers.
func (r *Warmup) tails() (all []tail) {
	w := r.Walkers
	at := w.Positions()
	for j := range w.Dim {
		column := population.Coordinate([][][]float64{at}, j)[0]
		for chain := range max(4, w.Chains) {
			lane := chain * w.Lanes() / max(4, w.Chains)
			for _, sign := range []float64{-1, 1} {
				t := tail{end: end{j, sign > 0}, walker: lane}
				all = append(all, r.tailsOf(t, column[lane])...)
			}
		}
	}
	return all
}

// tailsOf returns the places to look at for one end. The density of a logarithm has to fall faster than any small power
// of the parameter, where numbers and their squares still exist; that of a logit also where p differs from 1. The ends
// of the real line are not looked at: a walker that is still far from the target, with a scale of 1e10 in its other
// coordinates, sees a flat line in any direction, and proper posteriors of regressions with flat priors were refused.
func (r *Warmup) tailsOf(t tail, from float64) []tail {
	sign := 2*population.OneIf(t.up) - 1
	tailAt := func(near, far, most float64) tail {
		t.near, t.far, t.most = near, far, most
		return t
	}
	if r.Phase.Ends == nil || !r.Phase.Ends[t.coordinate].Bounded() {
		return nil
	}
	out := []tail{tailAt(sign*150, sign*300, 1e-4)}
	if c := r.Phase.Ends[t.coordinate]; c.Lower && c.Upper && math.Abs(from) < 37 { // e^-37 < 2⁻⁵³
		out = append(out, tailAt(sign*10, sign*25, 1e-4))
	}
	return out
}

// densitiesAt returns the log densities of the target at places of the tails.
func (r *Warmup) densitiesAt(tails []tail, place func(tail) float64) ([]float64, error) {
	here, at := r.Walkers.Positions(), make([][]float64, len(tails))
	for i, t := range tails {
		at[i] = slices.Clone(here[t.walker])
		at[i][t.coordinate] = place(t)
	}
	return r.Heights(at)
}
