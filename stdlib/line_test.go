package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	ad "ppl/autodiff"
)

// coordinate returns the unconstrained coordinate of x between two ends, which may be infinite.
func coordinate(x, lo, hi float64) float64 {
	switch below, above := !math.IsInf(lo, -1), !math.IsInf(hi, 1); {
	case below && above:
		return math.Log(x-lo) - math.Log(hi-x)
	case below:
		return math.Log(x - lo)
	case above:
		return math.Log(hi - x)
	}
	return x
}

// Coordinates of draws have about the location and the scale that a line returns, for the whole support and for a
// truncated one.
func TestDrawsOnLine(t *testing.T) {
	t.Parallel()
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if !d.HasLine() || d.Event > 0 || c.valuesOnly {
			return
		}
		if d.Name == "VonMises" { // an angle next to an end has part of its mass at the other
			c.args = [][]float64{{0.4}, c.args[1]}
		}
		r := rand.New(rand.NewPCG(1, 2))
		lo, hi := c.ends(d, f)
		xs, one := make([]float64, 2000), []float64{0}
		for i := range xs {
			f.Sample(r, c.args, one)
			xs[i] = one[0]
		}
		slices.Sort(xs)
		g := ad.New()
		at, width := d.OnLine(f, c.plated(g, f, 1, false))
		whole := ad.Eval(nil, at, width)
		liesAbout(t, "whole", xs, lo, hi, whole[0][0], whole[1][0])
		if !d.HasCutLine() || xs[600] == xs[1800] {
			return
		}
		for name, ends := range map[string][2]float64{"above": {xs[600], hi}, "below": {lo, xs[1400]},
			"between": {xs[600], xs[1800]}} {
			from, to := g.Const(ends[0]), g.Const(ends[1])
			if math.IsInf(ends[0], -1) {
				from = Node{}
			}
			if math.IsInf(ends[1], 1) {
				to = Node{}
			}
			at, width := d.CutOnLine(f, c.plated(g, f, 1, false), from, to)
			part := slices.DeleteFunc(slices.Clone(xs), func(x float64) bool { return x <= ends[0] || x >= ends[1] })
			cut := ad.Eval(nil, at, width)
			liesAbout(t, name, part, ends[0], ends[1], cut[0][0], cut[1][0])
		}
	})
}

// liesAbout compares quartiles of coordinates with a location and a scale.
func liesAbout(t *testing.T, name string, sorted []float64, lo, hi, at, width float64) {
	t.Helper()
	z := make([]float64, len(sorted))
	for i, x := range sorted {
		z[i] = (coordinate(x, lo, hi) - at) / width
	}
	slices.Sort(z)
	n := len(z)
	middle, spread := z[n/2], (z[3*n/4]-z[n/4])/1.35
	if !(math.Abs(middle) < 1.5 && spread > 0.4 && spread < 2.5) {
		t.Errorf("%s: coordinates about %.3g, %.3g from there", name, middle, spread)
	}
}
