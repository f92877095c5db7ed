package stdlib

import (
	ad "ppl/autodiff"
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

// A line is a row: the place and the distance by the values of arguments, by name, and the names of those that the
// distance depends on.
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
}

// byShape is of distributions whose logarithm has a location and a scale.
func byShape(a func(string) Node) (location, scale Node) { return ad.Log(a("scale")), over(a("shape")) }

func over(x Node) Node { return ad.Div(num(x, 1), x) }

func overRoot(x Node) Node { return over(ad.Sqrt(x)) }

// HasLine reports whether OnLine knows where elements lie.
func (d *Dist) HasLine() bool { _, ok := lines[d.Name]; return ok }

// LineSpread are the arguments of a form on which the distance of elements from their place depends.
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
	return lines[d.Name].at(byName(f, args))
}

// TruncatedOnLine is OnLine of a distribution with a location and a scale between ends, of which one may be invalid. A
// normal above an end at distance d below its location has its mode, on the scale of log (x − end), at
//
//	x − end = y = (d + √(d² + 4 scale²))/2     with curvature 1 + (y/scale)²
//
// Between two ends it is taken to lie where both of these distances are in proportion.
func TruncatedOnLine(location, scale, lo, hi Node) (at, width Node) {
	one := num(location, 1)
	switch {
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
