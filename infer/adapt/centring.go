package adapt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/lang/types"
	"ppl/posterior/stats"
)

// An Element is an element of an effect, x ~ Normal(location, scale), at some points. Precisions are those given all
// else, none if that is not normal.
type Element struct{ Values, Locations, Scales, Precisions []float64 }

// Narrowing returns how many times as narrow as usual an element's coordinate gets at some points, given all else.
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
	return stats.Quantile(sds, 0.5) / stats.Quantile(sds, rarely)
}

// rarely is the share of points that walkers have to get to and from all the same.
const rarely = 0.02

// A Freedom is how much of an element's prior the data leave it, given location and scale: 1 if they say nothing
// about it, 0 if they fix it.
type Freedom struct {
	Usual float64
	Small float64 // where the scale is smallest
	Scale float64 // that scale, as a share of the median
}

// isClear reports whether an element is free, or fixed, by so much that one coordinate is far better than the other.
func (f Freedom) isClear() bool {
	const clear = 0.1
	return f.Usual < clear || f.Usual > 1-clear
}

// Freedom is that of an element. Its usual value is the variance of z = (x − location)/scale about its regression on
// 1/scale and location/scale, which are all that z depends on where x is fixed; by the median of absolute deviations,
// so that tails heavier than normal change little. The second result is false if a number is not finite.
//
// Of one group with a mean of 2.0 ± 0.3, and location 0:
//
//	scale 0.1    the data say little    freedom .9    z is the better coordinate: x would be in a funnel
//	scale 3      they say it all        freedom .01   x is the better one: z would follow the scale
//
// A coordinate is better the less its distribution changes with location and scale: z from a freedom of about one half
// on (Betancourt and Girolami 2015, Hamiltonian Monte Carlo for hierarchical models; Gorinova, Moore and Hoffman 2020,
// Automatic reparameterisation of probabilistic programs, choose by the evidence lower bound).
//
// Of two normal precisions, 1/scale² of the prior and 1/error² of the data, the freedom is the share of the first. So
// that at a smaller scale follows, and where it is near 1 there is a funnel, whatever the usual one.
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

// removeDirection takes from v its component along a direction; nothing where that is all rounding errors.
func removeDirection(v, direction []float64) {
	const rounding = 1e-24
	square := floats.Dot(direction, direction)
	if square <= rounding*float64(len(v)) {
		return
	}
	floats.AddScaled(v, -floats.Dot(v, direction)/square, direction)
}
