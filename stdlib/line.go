package stdlib

import (
	"math"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// Where elements of a group lie on the line of their unconstrained coordinates u, given the group's distribution: about
// which place, and how far from it. For distributions whose u has a location and a scale these are exact, for others
// they are the mode of u and what the curvature there says. Coordinates relative to them lie about as far from 0 at any
// scale of the group:
//
//	x ~ LogNormal(m, s)       u = log x ~ Normal(m, s)
//	x ~ Gamma(k, rate = r)    u = log x     mode log k/r, curvature there k: some 1/√k about it
//	x ~ Beta(a, b)            u = logit x   mode log a/b, curvature ab/(a + b)
//	x ~ Dirichlet(a)          u of log x, in the basis of vectors that sum to 0: mode that of log a; where all of a
//	                          are equal, curvature a
//	x ~ CAR(m, …, precision)  u = x         about m, some 1/√precision from it
//	x ~ Pareto(low, k)        u = log (x − low)    mode log low/k, curvature there k/(k + 1)
//	x ~ VonMises(m, k)        u of x in −π..π, as that of a normal about m, some 1/√k from it, between these ends

// A line is a row: the place and the distance by the values of arguments, by name, and the names of those that make the
// distance as small as they please: of a half-normal distribution none, since log x has the same width at any scale.
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
	"Kumaraswamy": {func(a func(string) Node) (location, scale Node) { // x^a is 1 − q in the middle
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
	"GeneralizedPareto": {func(a func(string) Node) (location, scale Node) { // about the median
		shape := a("shape")
		heavy := ad.Maximum(shape, num(shape, 0))
		return total(ad.Log(a("scale")), plus(times(math.Ln2/2, shape), math.Log(math.Ln2))), ad.Sqrt(plus(heavy, 1))
	}, nil},
	"Pareto":      {aboveAnEnd, nil},
	"ParetoType2": {aboveAnEnd, nil},
	"Levy": {func(a func(string) Node) (location, scale Node) {
		return ad.Log(a("scale")), num(a("scale"), math.Sqrt2)
	}, nil},
	"VonMises": {func(a func(string) Node) (location, scale Node) { // at kappa 0 as wide as the whole turn
		return withinTurn(a("mu")), overRoot(plus(a("kappa"), 3/(math.Pi*math.Pi)))
	}, []string{"kappa"}},
}

// withinTurn returns an angle between −π and π.
func withinTurn(x Node) Node { return ad.Sub(x, times(2*math.Pi, ad.Round(times(1/(2*math.Pi), x)))) }

// aboveAnEnd is of powers of a distance from an end.
func aboveAnEnd(a func(string) Node) (location, scale Node) {
	return ad.Log(ad.Div(a("scale"), a("shape"))), ad.Sqrt(plus(over(a("shape")), 1))
}

// ofHeight returns the distance from the median of a normal distribution that has this log density there.
func ofHeight(log Node) Node { return ad.Exp(ad.Neg(plus(log, logSqrt2Pi))) }

// products returns a[i]·b[j].
func products(a, b Node) Node {
	of := plates(a, 1)
	if b.Rank() > a.Rank() {
		of = plates(b, 1)
	}
	n, k := lastSize(a), lastSize(b)
	a, b = lift(a, 1, of, []int{n}), lift(b, 1, of, []int{k})
	return ad.MatMul(ad.Reshape(a, join(of, n, 1)...), ad.Reshape(b, join(of, 1, k)...), false, false)
}

// byShape is of distributions whose logarithm has a location and a scale.
func byShape(a func(string) Node) (location, scale Node) { return ad.Log(a("scale")), over(a("shape")) }

func over(x Node) Node { return ad.Div(num(x, 1), x) }

func overRoot(x Node) Node { return over(ad.Sqrt(x)) }

// HasLine reports whether OnLine knows where elements lie.
func (d *Dist) HasLine() bool { _, ok := lines[d.Name]; return ok }

// LineSpread returns the arguments of a form on which the distance of elements from their place depends.
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

// OnLine is about where unconstrained coordinates of a distribution that has a line lie, and how far from there.
func (d *Dist) OnLine(f *Form, args []Node) (location, scale Node) {
	location, scale = lines[d.Name].at(byName(f, args))
	if d.cutByItself() {
		return TruncatedOnLine(location, scale, num(location, d.Lo), num(location, d.Hi))
	}
	return location, scale
}

// cutByItself reports whether a line is that of values between ends of their own, as of angles, and not of the
// unconstrained coordinates of the support.
func (d *Dist) cutByItself() bool {
	return d.Support == types.Interval && d.Forms[0].Bounds == nil && !math.IsInf(d.Lo, -1) && !math.IsInf(d.Hi, 1) &&
		!(cut{of: d}).logistic()
}

// HasCutLine reports whether CutOnLine knows where elements lie.
func (d *Dist) HasCutLine() bool { return d.HasLine() && d.Event == 0 }

// CutOnLine is OnLine of a distribution between ends, of which either may be invalid: its coordinates are then those of
// the interval. It follows from where the distribution lies on its own line v, between the ends there:
//
//	x ~ LogNormal(m, s) in 2..inf    u = log (x − 2)    v = log x ~ Normal(m, s) above log 2
//	x ~ Levy(l, s) in 2..inf         u = log (x − 2)    v = log (x − l) above log (2 − l)
//
// The place v is that of TruncatedOnLine, and u is linear about it.
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

// fromStart returns how far an end, which may be invalid, is from where a support begins that an argument says.
func (f *Form) fromStart(args []Node, end Node) Node {
	if f.Bounds == nil || !end.Valid() {
		return end
	}
	start, _ := f.Bounds(args)
	return ad.Sub(end, start)
}

// A cut has the ends of a part of a support on the line of the whole: v = x, log x or logit x. Those that are the
// support's are invalid.
type cut struct {
	of     *Dist
	lo, hi Node
}

// Nearer to an end of a support than these is at the end.
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

// begins returns where the support begins that is cut: 0 if an argument says where it is, since ends are relative to
// that.
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

// spans returns how far a place between the ends, by its coordinate there, is from both on the line.
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

// value returns the place on the line.
func (c cut) value(place Node) Node {
	fromLo, toHi := c.spans(place)
	if fromLo.Valid() {
		return ad.Add(c.lo, fromLo)
	}
	return ad.Sub(c.hi, toHi)
}

// distances returns how far x is from the ends of the interval, of which an infinite one is invalid. They keep their
// digits near an end, where x does not.
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

// slope is that of x by the coordinate between the ends.
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

// TruncatedOnLine is OnLine of a distribution with a location and a scale between ends, of which either may be invalid.
// A normal above an end at distance d below its location has its mode, on the scale of log (x − end), at
//
//	x − end = y = (d + √(d² + 4 scale²))/2     with curvature 1 + (y/scale)²
//
// Between two ends it is taken to lie where both of these distances are in proportion.
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

// distance is y above. Those of d and −d are scale² if multiplied, so that neither cancels.
func distance(d, scale Node) Node {
	y := times(0.5, ad.Add(ad.Abs(d), ad.Sqrt(ad.Add(square(d), times(4, square(scale))))))
	return ad.Where(ad.Lt(num(d, 0), d), y, ad.Div(square(scale), y))
}
