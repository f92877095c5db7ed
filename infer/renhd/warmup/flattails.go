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

// A tail is one end of a line through a walker, with two values of the coordinate far out.
type tail struct {
	end
	walker    int
	near, far float64 // values of the coordinate
	most      float64 // maximum fall of the log density from near to far that counts as flat
}

// mostTails is the maximum dimension in which tails are examined.
const mostTails = 1000

// refuseFlatTails ends a run whose density does not fall along some coordinate. If this holds at the positions of all
// examined walkers, of which there must be three or more, the integral over the coordinate is infinite, and so is the
// integral over all coordinates. The walkers' motion may not show it: if a scale goes to 0, they seem to have
// converged. In directions other than coordinates, only diverging walkers show it (adapt.Divergence). Targets with
// proper priors are not examined.
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
	const least = 3 // minimum number of walkers with a result
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
	for _, t := range tails { // in order of coordinates, so that the first is reported
		if known[t.end] >= least && flat[t.end] == known[t.end] {
			return infer.DoesNotFall(s.Given, t.coordinate, t.up)
		}
	}
	return nil
}

// tails returns both ends of every coordinate, for one walker of each chain and at least four walkers.
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

// tailsOf returns the points to examine for one end. The density of a log coordinate must fall faster than any small
// power of the parameter, within the range of double precision for values and their squares. The density of a logit
// coordinate must also fall where p is not yet rounded to 1. The ends of the real line are not examined: for a walker
// far from the target, with a scale of 1e10 in its other coordinates, every line looks flat, and proper posteriors of
// regressions with flat priors would be refused.
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

// densitiesAt returns the log densities of the target at one point of each tail.
func (r *Warmup) densitiesAt(tails []tail, place func(tail) float64) ([]float64, error) {
	here, at := r.Walkers.Positions(), make([][]float64, len(tails))
	for i, t := range tails {
		at[i] = slices.Clone(here[t.walker])
		at[i][t.coordinate] = place(t)
	}
	return r.Heights(at)
}
