package stdlib

import (
	"math"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// This file computes, for elements of a group, an approximate location and scale of their unconstrained coordinates u
// under the group's distribution. If u has a location-scale distribution, they are exact. Otherwise they are the mode
// of u and the scale that the curvature at the mode implies. (u − location)/scale is of order 1 at any scale of the
// group:
//
//	x ~ LogNormal(m, s)       u = log x ~ Normal(m, s)
//	x ~ Gamma(k, rate = r)    u = log x            mode log k/r, curvature k, so scale 1/√k
//	x ~ Beta(a, b)            u = logit x          mode log a/b, curvature ab/(a + b)
//	x ~ Dirichlet(a)          u of log x, in the basis of vectors that sum to 0: mode that of log a;
//	                          curvature a if all elements of a are equal
//	x ~ CAR(m, …, precision)  u = x                location m, scale about 1/√precision
//	x ~ Pareto(low, k)        u = log (x − low)    mode log low/k, curvature k/(k + 1)
//	x ~ VonMises(m, k)        u of x in −π..π, as for a normal with location m and scale about 1/√k on −π..π

// A line is a row of the table: at computes location and scale from arguments by name, and spread lists the arguments
// that can make the scale arbitrarily small. A half-normal distribution has none, since log x has the same width for
// any sd.
type line struct {
	at     func(a func(name string) Node) (location, scale Node)
	spread []string
}

var lines = map[string]line{
	"LogNormal":   {func(a func(string) Node) (location, scale Node) { return a("mu"), a("sd") }, []string{"sd"}},
	"LogitNormal": {func(a func(string) Node) (location, scale Node) { return a("mu"), a("sd") }, []string{"sd"}},
	"Gamma": {func(a func(string) Node) (location, scale Node) {
		scale = overRoot(a("shape"))
		switch {
		case a("mean").Valid():
			return ad.Log(a("mean")), scale
		case a("rate").Valid():
			return ad.Sub(ad.Log(a("shape")), ad.Log(a("rate"))), scale
		}
		return ad.Add(ad.Log(a("shape")), ad.Log(a("scale"))), scale
	}, []string{"shape"}},
	"InverseGamma": {func(a func(string) Node) (location, scale Node) {
		return ad.Sub(ad.Log(a("scale")), ad.Log(a("shape"))), overRoot(a("shape"))
	}, []string{"shape"}},
	"Weibull":     {byShape, []string{"shape"}},
	"LogLogistic": {byShape, []string{"shape"}},
	"Frechet":     {byShape, []string{"shape"}},
	"Beta": {func(a func(string) Node) (location, scale Node) {
		first, second := a("a"), a("b")
		if a("mean").Valid() {
			first, second = proportions(a("mean"), a("concentration"))
		}
		return ad.Sub(ad.Log(first), ad.Log(second)), ad.Sqrt(ad.Add(over(first), over(second)))
	}, []string{"a", "b", "concentration"}},
	"Dirichlet": {func(a func(string) Node) (location, scale Node) {
		c := a("concentration")
		return helmert(ad.Log(c)), overRoot(times(1/float64(lastSize(c)), sumLast(c, 1)))
	}, []string{"concentration"}},
	"CAR": {func(a func(string) Node) (location, scale Node) { return a("mu"), overRoot(a("precision")) },
		[]string{"precision"}},
	"MatrixNormal": {func(a func(string) Node) (location, scale Node) {
		row, col := a("row_chol"), a("col_chol")
		if !row.Valid() {
			row, col = ad.Cholesky(a("row_cov")), ad.Cholesky(a("col_cov"))
		}
		return a("mu"), products(Diagonal(row), Diagonal(col))
	}, []string{"row_cov", "col_cov", "row_chol", "col_chol"}},
	"InverseGaussian": {func(a func(string) Node) (location, scale Node) {
		mean, r := a("mean"), ad.Div(a("mean"), a("shape"))
		share := over(times(0.5, ad.Add(r, ad.Sqrt(plus(square(r), 4)))))
		return ad.Log(ad.Mul(mean, share)), overRoot(times(0.5, ad.Div(ad.Add(share, over(share)), r)))
	}, []string{"shape"}},
	"ChiSquare": {func(a func(string) Node) (location, scale Node) {
		return ad.Log(a("nu")), overRoot(times(0.5, a("nu")))
	}, []string{"nu"}},
	"InverseChiSquare": {func(a func(string) Node) (location, scale Node) {
		return ad.Neg(ad.Log(a("nu"))), overRoot(times(0.5, a("nu")))
	}, []string{"nu"}},
	"ScaledInverseChiSquare": {func(a func(string) Node) (location, scale Node) {
		return times(2, ad.Log(a("scale"))), overRoot(times(0.5, a("nu")))
	}, []string{"nu"}},
	"Kumaraswamy": {func(a func(string) Node) (location, scale Node) { // 1 − x^a at the median is q = exp(−log 2 / b)
		rest := times(-math.Ln2, over(a("b")))
		share := ad.Neg(ad.Expm1(rest))
		x := ad.Div(ad.Log(share), a("a"))
		height := total(ad.Log(ad.Mul(a("a"), a("b"))), ad.Log(share), ad.Neg(rest), log1mexp(x))
		return ad.Sub(x, log1mexp(x)), ofHeight(plus(height, -math.Ln2))
	}, []string{"a", "b"}},
	"Gompertz": {func(a func(string) Node) (location, scale Node) {
		c := a("concentration")
		x := ad.Log1p(times(math.Ln2, over(c)))
		return ad.Sub(ad.Log(x), ad.Log(a("rate"))), ofHeight(ad.Log(times(0.5, ad.Mul(plus(c, math.Ln2), x))))
	}, []string{"concentration"}},
	"RelaxedBernoulli": {func(a func(string) Node) (location, scale Node) {
		l := a("logits")
		if !l.Valid() {
			l = logit(a("p"))
		}
		return ad.Div(l, a("temperature")), times(2, over(a("temperature")))
	}, []string{"temperature"}},
	"ExpModNormal": {func(a func(string) Node) (location, scale Node) {
		beyond := over(a("rate"))
		return ad.Add(a("mu"), beyond), ad.Sqrt(ad.Add(square(a("sd")), square(beyond)))
	}, []string{"sd", "rate"}},
	"Exponential": {func(a func(string) Node) (location, scale Node) {
		if a("mean").Valid() {
			return ad.Log(a("mean")), num(a("mean"), 1)
		}
		return ad.Neg(ad.Log(a("rate"))), num(a("rate"), 1)
	}, nil},
	"HalfNormal": {func(a func(string) Node) (location, scale Node) {
		return ad.Log(a("sd")), num(a("sd"), math.Sqrt(0.5))
	}, nil},
	"HalfCauchy": {func(a func(string) Node) (location, scale Node) {
		return ad.Log(a("scale")), num(a("scale"), 1)
	}, nil},
	"HalfStudentT": {func(a func(string) Node) (location, scale Node) {
		return ad.Log(a("sd")), ad.Sqrt(times(0.5, plus(over(a("nu")), 1)))
	}, nil},
	"Rayleigh": {func(a func(string) Node) (location, scale Node) {
		return plus(ad.Log(a("scale")), math.Ln2/2), num(a("scale"), 0.5)
	}, nil},
	"GeneralizedPareto": {func(a func(string) Node) (location, scale Node) { // location and scale at the median
		shape := a("shape")
		heavy := ad.Maximum(shape, num(shape, 0))
		return total(ad.Log(a("scale")), plus(times(math.Ln2/2, shape), math.Log(math.Ln2))), ad.Sqrt(plus(heavy, 1))
	}, nil},
	"Pareto":      {aboveAnEnd, nil},
	"ParetoType2": {aboveAnEnd, nil},
	"Levy": {func(a func(string) Node) (location, scale Node) {
		return ad.Log(a("scale")), num(a("scale"), math.Sqrt2)
	}, nil},
	"VonMises": {func(a func(string) Node) (location, scale Node) { // for kappa 0, the scale is that of a uniform angle
		return withinTurn(a("mu")), overRoot(plus(a("kappa"), 3/(math.Pi*math.Pi)))
	}, []string{"kappa"}},
}

// withinTurn reduces an angle to −π..π.
func withinTurn(x Node) Node { return ad.Sub(x, times(2*math.Pi, ad.Round(times(1/(2*math.Pi), x)))) }

// aboveAnEnd returns location and scale of log (x − end) for distributions whose tail is a power of x.
func aboveAnEnd(a func(string) Node) (location, scale Node) {
	return ad.Log(ad.Div(a("scale"), a("shape"))), ad.Sqrt(plus(over(a("shape")), 1))
}

// ofHeight returns the scale of the normal distribution whose log density at its mode is log.
func ofHeight(log Node) Node { return ad.Exp(ad.Neg(plus(log, logSqrt2Pi))) }

// products returns a[i]·b[j] for all i and j.
func products(a, b Node) Node {
	of := plates(a, 1)
	if b.Rank() > a.Rank() {
		of = plates(b, 1)
	}
	n, k := lastSize(a), lastSize(b)
	a, b = lift(a, 1, of, []int{n}), lift(b, 1, of, []int{k})
	return ad.MatMul(ad.Reshape(a, join(of, n, 1)...), ad.Reshape(b, join(of, 1, k)...), false, false)
}

// byShape returns location and scale of distributions whose log x has location log scale and scale 1/shape.
func byShape(a func(string) Node) (location, scale Node) { return ad.Log(a("scale")), over(a("shape")) }

func over(x Node) Node { return ad.Div(num(x, 1), x) }

func overRoot(x Node) Node { return over(ad.Sqrt(x)) }

// HasLine reports whether OnLine supports the distribution.
func (d *Dist) HasLine() bool { _, ok := lines[d.Name]; return ok }

// LineSpread returns the indices of the form's arguments that can make the scale of OnLine small.
func (d *Dist) LineSpread(f *Form) (places []int) {
	for i, a := range f.Args {
		for _, name := range lines[d.Name].spread {
			if a.Name == name {
				places = append(places, i)
			}
		}
	}
	return places
}

// OnLine returns the approximate location and scale of the unconstrained coordinates of a distribution. It requires
// HasLine.
func (d *Dist) OnLine(f *Form, args []Node) (location, scale Node) {
	location, scale = lines[d.Name].at(byName(f, args))
	if d.cutByItself() {
		return TruncatedOnLine(location, scale, num(location, d.Lo), num(location, d.Hi))
	}
	return location, scale
}

// cutByItself reports whether the table's location and scale are those of x in a bounded interval, as for angles, and
// not those of unconstrained coordinates.
func (d *Dist) cutByItself() bool {
	return d.Support == types.Interval && d.Forms[0].Bounds == nil && !math.IsInf(d.Lo, -1) && !math.IsInf(d.Hi, 1) &&
		!(cut{of: d}).logistic()
}

// HasCutLine reports whether CutOnLine supports the distribution.
func (d *Dist) HasCutLine() bool { return d.HasLine() && d.Event == 0 }

// CutOnLine is like OnLine for the distribution truncated to lo..hi. Either end may be invalid, which means infinite. u
// is then the unconstrained coordinate of that interval. It is derived from the line v of the distribution itself:
//
//	x ~ LogNormal(m, s) in 2..inf    u = log (x − 2)    v = log x ~ Normal(m, s) above log 2
//	x ~ Levy(l, s) in 2..inf         u = log (x − 2)    v = log (x − l) above log (2 − l)
//
// TruncatedOnLine gives the location in v; u is linearised there.
func (d *Dist) CutOnLine(f *Form, args []Node, lo, hi Node) (at, width Node) {
	at, width = lines[d.Name].at(byName(f, args))
	cut := d.cutAt(f.fromStart(args, lo), f.fromStart(args, hi))
	if !cut.lo.Valid() && !cut.hi.Valid() {
		return at, width
	}
	place, width := TruncatedOnLine(at, width, cut.lo, cut.hi)
	above, below := cut.distances(place)
	slope := cut.slope(place)
	one := num(place, 1)
	switch {
	case above.Valid() && below.Valid():
		slope = ad.Mul(slope, ad.Add(ad.Div(one, above), ad.Div(one, below)))
		return ad.Sub(ad.Log(above), ad.Log(below)), ad.Mul(width, slope)
	case above.Valid():
		return ad.Log(above), ad.Mul(width, ad.Div(slope, above))
	}
	return ad.Log(below), ad.Mul(width, ad.Div(slope, below))
}

// fromStart returns the distance of an end from the start of the support, if an argument determines that start. The end
// may be invalid.
func (f *Form) fromStart(args []Node, end Node) Node {
	if f.Bounds == nil || !end.Valid() {
		return end
	}
	start, _ := f.Bounds(args)
	return ad.Sub(end, start)
}

// A cut holds the ends of a truncated support on the line of the full support: v = x, log x or logit x. An end that is
// also an end of the full support is invalid.
type cut struct {
	of     *Dist
	lo, hi Node
}

// Values this close to an end of the support are moved to this distance from it.
const (
	leastEnd   = 1e-300
	leastShare = 1e-16
)

func (d *Dist) cutAt(lo, hi Node) cut {
	c := cut{of: d}
	if lo.Valid() && (!isEnd(lo, d.begins()) || d.cutByItself()) {
		c.lo = c.onLine(lo)
	}
	if hi.Valid() && (!isEnd(hi, d.Hi) || d.cutByItself()) {
		c.hi = c.onLine(hi)
	}
	return c
}

func isEnd(n Node, end float64) bool {
	v, ok := n.IsConst()
	return ok && v == end
}

// begins returns the start of the full support. It is 0 if an argument determines the start, since ends are relative to
// it then.
func (d *Dist) begins() float64 {
	if d.Forms[0].Bounds != nil {
		return 0
	}
	return d.Lo
}

func (c cut) logarithmic() bool { return c.of.begins() == 0 && math.IsInf(c.of.Hi, 1) }
func (c cut) logistic() bool    { return c.of.begins() == 0 && c.of.Hi == 1 }

func (c cut) onLine(x Node) Node {
	switch {
	case c.logarithmic():
		return ad.Log(ad.Maximum(x, num(x, leastEnd)))
	case c.logistic():
		x = ad.Minimum(ad.Maximum(x, num(x, leastEnd)), num(x, 1-leastShare))
		return ad.Sub(ad.Log(x), ad.Log1p(ad.Neg(x)))
	}
	return x
}

// spans returns the distances on the line from the point with the unconstrained coordinate place to both ends. The
// distance to an infinite end is invalid.
func (c cut) spans(place Node) (fromLo, toHi Node) {
	switch {
	case c.lo.Valid() && c.hi.Valid():
		whole := ad.Sub(c.hi, c.lo)
		return ad.Mul(whole, ad.Sigmoid(place)), ad.Mul(whole, ad.Sigmoid(ad.Neg(place)))
	case c.lo.Valid():
		return ad.Exp(place), Node{}
	}
	return Node{}, ad.Exp(place)
}

// value returns v of the point with the unconstrained coordinate place.
func (c cut) value(place Node) Node {
	fromLo, toHi := c.spans(place)
	if fromLo.Valid() {
		return ad.Add(c.lo, fromLo)
	}
	return ad.Sub(c.hi, toHi)
}

// distances returns the distances of x from the ends of the interval; that from an infinite end is invalid. They keep
// their digits near an end, where subtraction from x would lose them.
func (c cut) distances(place Node) (above, below Node) {
	fromLo, toHi := c.spans(place)
	v := c.value(place)
	gap := func(d Node) Node { return ad.Neg(ad.Expm1(ad.Neg(d))) } // 1 − e⁻ᵈ
	switch {
	case c.logarithmic():
		above = ad.Exp(v)
		if fromLo.Valid() {
			above = ad.Mul(above, gap(fromLo))
		}
		if toHi.Valid() {
			below = ad.Mul(ad.Exp(c.hi), gap(toHi))
		}
	case c.logistic():
		above, below = ad.Sigmoid(v), ad.Sigmoid(ad.Neg(v))
		if fromLo.Valid() {
			above = ad.Mul(above, ad.Mul(ad.Sigmoid(ad.Neg(c.lo)), gap(fromLo)))
		}
		if toHi.Valid() {
			below = ad.Mul(below, ad.Mul(ad.Sigmoid(c.hi), gap(toHi)))
		}
	default:
		above, below = fromLo, toHi
	}
	return above, below
}

// slope returns the derivative of x with respect to the unconstrained coordinate, at place.
func (c cut) slope(place Node) Node {
	fromLo, toHi := c.spans(place)
	slope := fromLo
	switch {
	case !fromLo.Valid():
		slope = toHi
	case toHi.Valid():
		slope = ad.Mul(fromLo, ad.Sigmoid(ad.Neg(place)))
	}
	v := c.value(place)
	switch {
	case c.logarithmic():
		return ad.Mul(slope, ad.Exp(v))
	case c.logistic():
		return ad.Mul(slope, ad.Mul(ad.Sigmoid(v), ad.Sigmoid(ad.Neg(v))))
	}
	return slope
}

// TruncatedOnLine is like OnLine for a location-scale distribution truncated to lo..hi; either end may be invalid. A
// normal truncated below, at an end at distance d below its location, has on the scale of log (x − end) its mode at
//
//	x − end = y = (d + √(d² + 4 scale²))/2     with curvature 1 + (y/scale)²
//
// With two ends, the location divides the interval in the proportion of the y of both ends.
func TruncatedOnLine(location, scale, lo, hi Node) (at, width Node) {
	one := num(location, 1)
	switch {
	case !lo.Valid() && !hi.Valid():
		return location, scale
	case lo.Valid() && hi.Valid():
		above, below := distance(ad.Sub(location, lo), scale), distance(ad.Sub(hi, location), scale)
		share := ad.Div(above, ad.Add(above, below))
		slope := ad.Mul(ad.Sub(hi, lo), ad.Mul(share, ad.Sub(one, share)))
		return ad.Sub(ad.Log(above), ad.Log(below)), overRoot(ad.Add(one, square(ad.Div(slope, scale))))
	case lo.Valid():
		y := distance(ad.Sub(location, lo), scale)
		return ad.Log(y), overRoot(ad.Add(one, square(ad.Div(y, scale))))
	}
	y := distance(ad.Sub(hi, location), scale)
	return ad.Log(y), overRoot(ad.Add(one, square(ad.Div(y, scale))))
}

// distance returns y of TruncatedOnLine. It avoids cancellation for negative d by y(d) y(−d) = scale².
func distance(d, scale Node) Node {
	y := times(0.5, ad.Add(ad.Abs(d), ad.Sqrt(ad.Add(square(d), times(4, square(scale))))))
	return ad.Where(ad.Lt(num(d, 0), d), y, ad.Div(square(scale), y))
}
