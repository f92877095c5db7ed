package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/stdlib"
)

// A tail is a tail of a distribution at given arguments: log P(X ≤ x) if it rises, else log P(X > x).
type tail struct {
	routine *autodiff.Routine
	rises   bool
	inputs  map[string][]float64 // x and the arguments
}

func (l tail) at(x float64) float64 {
	l.inputs["x"] = []float64{x}
	return l.routine.Eval(l.inputs)[0][0]
}

// tailsOf returns both tails of a scalar distribution with scalar arguments, or nil if it has none.
func tailsOf(f *stdlib.Form) []tail {
	if f.LogCDF == nil || f.LogCCDF == nil ||
		slices.ContainsFunc(f.Args, func(a stdlib.Arg) bool { return a.Rank > 0 }) {
		return nil
	}
	g := autodiff.New()
	x, args := g.Input("x"), make([]autodiff.Node, len(f.Args))
	for i := range args {
		args[i] = g.Input(argName(i))
	}
	cdf, ccdf := f.LogCDF(x, args), f.LogCCDF(x, args)
	if !cdf.Valid() || !ccdf.Valid() {
		return nil
	}
	return []tail{{autodiff.NewRoutine(cdf), true, nil}, {autodiff.NewRoutine(ccdf), false, nil}}
}

func argName(i int) string { return fmt.Sprint("argument ", i) }

// tailsAt returns the tails of a distribution at the given arguments; ok is false if it has none.
func (g *Numbers) tailsAt(f *stdlib.Form, args [][]float64) (below, above tail, ok bool) {
	both, known := g.tails[f]
	if !known {
		both = tailsOf(f)
		g.tails[f] = both
	}
	if both == nil {
		return tail{}, tail{}, false
	}
	inputs := map[string][]float64{}
	for i, a := range args {
		inputs[argName(i)] = a
	}
	below, above = both[0], both[1]
	below.inputs, above.inputs = inputs, inputs
	return below, above, true
}

// between draws from a distribution restricted to [lo, hi] by inverting its distribution function, from the side on
// which it is small and thus accurate (Devroye 1986, Non-Uniform Random Variate Generation, section II.2). ok is false
// if the distribution has no CDF or the interval is empty.
func (g *Numbers) between(r *rand.Rand, t *model.Term, args [][]float64, lo, hi float64) (x float64, ok bool) {
	below, above, ok := g.tailsAt(t.Form, args)
	if !ok {
		return 0, false
	}
	if t.Dist.Discrete() { // P(X > lo) excludes lo
		lo, hi = math.Ceil(lo)-1, math.Floor(hi)
	}
	side := below
	if below.at(lo) > math.Log(0.5) {
		side = above
	}
	most, least := side.at(lo), side.at(hi)
	if side.rises {
		most, least = least, most
	}
	aim := most + math.Log1p(r.Float64()*math.Expm1(least-most))
	if math.IsNaN(aim) || math.IsInf(aim, 0) {
		return 0, false
	}
	return side.find(aim, lo, hi, t.Dist.Discrete()), true
}

// widest is the largest distance that find searches for an infinite bound.
const widest = 1e300

// find bisects [lo, hi] for the point where the tail reaches the value aim. If integer is set, it returns the first
// integer at or beyond this point.
func (l tail) find(aim, lo, hi float64, integer bool) float64 {
	past := func(x float64) bool { return (l.at(x) >= aim) == l.rises }
	for step := 1.0; math.IsInf(hi, 1) && step < widest; step *= 2 {
		if x := lo + step; past(x) {
			hi = x
		}
	}
	for step := 1.0; math.IsInf(lo, -1) && step < widest; step *= 2 {
		if x := hi - step; !past(x) {
			lo = x
		}
	}
	for {
		mid := lo + (hi-lo)/2
		if integer {
			mid = math.Floor(mid)
		}
		switch {
		case mid <= lo || mid >= hi:
			return hi
		case past(mid):
			hi = mid
		default:
			lo = mid
		}
	}
}
