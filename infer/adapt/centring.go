package adapt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/lang/types"
	"ppl/posterior/stats"
)

// An Element holds an element of an effect, x ~ Normal(location, scale), at several points. Precisions are those of x
// given everything else; they are nil if this distribution is not normal.
type Element struct{ Values, Locations, Scales, Precisions []float64 }

// Narrowing returns the factor by which an element's conditional standard deviation, in the coordinate of form f, is
// smaller at some points than usual: the median over the points divided by the 2 % quantile. It is 0 if a value is not
// finite.
func (e Element) Narrowing(f types.Form) float64 {
	sds := make([]float64, len(e.Precisions))
	for t, precision := range e.Precisions {
		sds[t] = 1 / math.Sqrt(precision)
		if f == types.Relative {
			sds[t] /= e.Scales[t]
		}
	}
	if !finite(sds) {
		return 0
	}
	return stats.Quantile(sds, 0.5) / stats.Quantile(sds, rareShare)
}

// rareShare is the share of positions that may be in a narrow region. Walkers must be able to enter and leave even
// that.
const rareShare = 0.02

// A Freedom is the share of an element's prior variance that remains after the data, given location and scale: 1 if the
// data say nothing about the element, 0 if they fix it.
type Freedom struct {
	Usual float64 // estimate at typical scales
	Small float64 // value at the smallest scale
	Scale float64 // the smallest scale divided by the median scale
}

// isClear reports whether an element is so free, or so fixed, that one coordinate is far better than the other.
func (f Freedom) isClear() bool {
	const clear = 0.1
	return f.Usual < clear || f.Usual > 1-clear
}

// Freedom estimates the freedom of an element. Usual is the residual variance of z = (x − location)/scale after a
// regression on 1/scale and location/scale, on which alone z depends if x is fixed. The variance is computed from the
// median absolute deviation, so that heavy tails have little influence. ok is false if a value is not finite.
//
// For a group with an observed mean of 2.0 ± 0.3, and location 0:
//
//	scale 0.1   the data say little         freedom .9    z is better: x would be in a funnel
//	scale 3     the data determine x        freedom .01   x is better: z would depend on the scale
//
// The better coordinate is the one whose distribution changes less with location and scale: z if the freedom is above
// about one half (Betancourt and Girolami 2015, Hamiltonian Monte Carlo for hierarchical models; Gorinova, Moore and
// Hoffman 2020, Automatic reparameterisation of probabilistic programs, choose by the evidence lower bound).
//
// With normal precisions 1/scale² of the prior and 1/error² of the data, the freedom is the prior's share of their sum.
// From this follows the value at a smaller scale. If it is near 1, there is a funnel, whatever the usual value.
func (e Element) Freedom() (f Freedom, ok bool) {
	n := len(e.Values)
	z, inverse, ratio := make([]float64, n), make([]float64, n), make([]float64, n)
	for t, s := range e.Scales {
		z[t], inverse[t], ratio[t] = (e.Values[t]-e.Locations[t])/s, 1/s, e.Locations[t]/s
	}
	if !finite(z) || !finite(inverse) || !finite(ratio) {
		return f, false
	}
	for _, v := range [][]float64{z, inverse, ratio} {
		floats.AddConst(-stat.Mean(v, nil), v)
	}
	removeDirection(ratio, inverse)
	removeDirection(z, inverse)
	removeDirection(z, ratio)
	for t := range z {
		z[t] = math.Abs(z[t])
	}
	sd := stats.Quantile(z, 0.5) / medianOfNormal
	f.Usual = sd * sd
	small := slices.Min(e.Scales) / stats.Quantile(e.Scales, 0.5)
	f.Scale = small
	f.Small = 1 / (1 + small*small*math.Max(0, 1-f.Usual)/f.Usual)
	return f, true
}

// medianOfNormal is the median of |z| of a standard normal z.
const medianOfNormal = 0.6744897501960817

// removeDirection subtracts from v its component along a direction. It does nothing if the direction consists of
// rounding errors only.
func removeDirection(v, direction []float64) {
	const rounding = 1e-24
	square := floats.Dot(direction, direction)
	if square <= rounding*float64(len(v)) {
		return
	}
	floats.AddScaled(v, -floats.Dot(v, direction)/square, direction)
}
