package stdlib

import (
	"math"

	ad "ppl/autodiff"
)

// The log densities in this file, of gamma, inverse gamma, beta and Dirichlet distributions, keep their digits if the
// distribution is concentrated about a point, such as Gamma(k, k) with k = 10¹². There the usual formulas are
// differences of numbers as large as k. Define t = rate x/k, and the remainder r(k) = log Γ(k) − (k − ½) log k + k − ½
// log 2π of Stirling's formula (Abramowitz and Stegun 1964, 6.1.41). Then the log densities are
//
//	Gamma(k, rate)      k (log t − t + 1) + ½ log k − ½ log 2π − r(k) − log x
//	Beta(a, b)          a log x/p + b log (1 − x)/(1 − p) + ½ log(ab/(2π c)) + r(c) − r(a) − r(b)
//	                    − log x − log(1 − x)
//	with c = a + b, p = a/c
//	Dirichlet(a)        Σ a (log x/p − x/p + 1) + ½ (Σ log a − log c) − ½ (K − 1) log 2π + r(c) − Σ r(a) − Σ log x
//	with c = Σ a, p = a/c, where Σ a (x/p − 1) = 0

// concentrated maps the name of a distribution to its log density. The density gets its arguments by name from function
// a.
var concentrated = map[string]func(x Node, a func(name string) Node) Node{
	"Gamma": func(x Node, a func(string) Node) Node {
		k := a("shape")
		switch {
		case a("mean").Valid():
			return concentratedGamma(x, k, ad.Div(ad.Sub(x, a("mean")), a("mean")))
		case a("rate").Valid():
			return concentratedGamma(x, k, ad.Div(ad.Sub(ad.Mul(a("rate"), x), k), k))
		}
		mean := ad.Mul(a("scale"), k)
		return concentratedGamma(x, k, ad.Div(ad.Sub(x, mean), mean))
	},
	"InverseGamma": func(x Node, a func(string) Node) Node {
		most := ad.Mul(x, a("shape"))
		return concentratedGamma(x, a("shape"), ad.Div(ad.Sub(a("scale"), most), most))
	},
	"Beta": func(x Node, a func(string) Node) Node {
		first, second := a("a"), a("b")
		if a("mean").Valid() {
			first, second = proportions(a("mean"), a("concentration"))
		}
		return concentratedBeta(x, first, second)
	},
	"Dirichlet": func(x Node, a func(string) Node) Node { return concentratedDirichlet(x, a("concentration")) },
}

// Concentrated returns a log density of the form that keeps its digits for highly concentrated distributions. It
// returns LogProb for distributions that need no other formula.
func (d *Dist) Concentrated(f *Form) func(x Node, args []Node) Node {
	log := concentrated[d.Name]
	if log == nil {
		return f.LogProb
	}
	return func(x Node, args []Node) Node { return log(x, byName(f, args)) }
}

// byName returns a function that maps an argument's name to its node. The node is invalid if the form lacks the
// argument.
func byName(f *Form, args []Node) func(name string) Node {
	return func(name string) Node {
		for i, a := range f.Args {
			if a.Name == name {
				return args[i]
			}
		}
		return Node{}
	}
}

// remainder returns r(k), the remainder of Stirling's formula that is defined at the top of this file.
func remainder(k Node) Node {
	is := ad.Lt(k, num(k, stirlingFrom))
	small := ad.Where(is, k, num(k, 1))
	direct := ad.Add(ad.Sub(ad.Lgamma(small), ad.Mul(plus(small, -0.5), ad.Log(small))), plus(small, -halfLogTau))
	return ad.Where(is, direct, stirling(ad.Where(is, num(k, stirlingFrom), k)))
}

var halfLogTau = math.Log(2*math.Pi) / 2

// logNear returns log(1 + d). It computes log(1 + d) for d < −½ and log1p(d) otherwise, whichever keeps more digits.
func logNear(d Node) Node {
	far := ad.Lt(d, num(d, -0.5))
	return ad.Where(far, ad.Log(ad.Where(far, plus(d, 1), num(d, 1))), ad.Log1p(ad.Where(far, num(d, 0), d)))
}

// concentratedGamma returns the log density from t1 = t − 1, or 1/t − 1 for the inverse gamma distribution.
func concentratedGamma(x, k, t1 Node) Node {
	return total(ad.Mul(k, ad.Sub(logNear(t1), t1)), times(0.5, ad.Log(k)), num(x, -halfLogTau),
		ad.Neg(remainder(k)), ad.Neg(ad.Log(x)))
}

func concentratedBeta(x, a, b Node) Node {
	c := ad.Add(a, b)
	d := ad.Sub(x, ad.Div(a, c))
	return total(ad.Mul(a, logNear(ad.Div(ad.Mul(d, c), a))), ad.Mul(b, logNear(ad.Neg(ad.Div(ad.Mul(d, c), b)))),
		times(0.5, ad.Sub(ad.Add(ad.Log(a), ad.Log(b)), ad.Log(c))), num(x, -halfLogTau),
		ad.Sub(remainder(c), ad.Add(remainder(a), remainder(b))),
		ad.Neg(ad.Add(ad.Log(x), ad.Log1p(ad.Neg(x)))))
}

func concentratedDirichlet(x, a Node) Node {
	c, n := sumLast(a, 1), float64(lastSize(x)-1)
	p := lift(ad.Div(a, spread(c, a.Shape())), 1, plates(x, 1), lastShape(x, 1))
	d := ad.Div(ad.Sub(x, p), p)
	each := ad.Mul(lift(a, 1, plates(x, 1), lastShape(x, 1)), ad.Sub(logNear(d), d))
	norm := total(times(0.5, ad.Sub(sumLast(ad.Log(a), 1), ad.Log(c))), num(c, -n*halfLogTau), remainder(c),
		ad.Neg(sumLast(remainder(a), 1)))
	return ad.Add(norm, sumLast(ad.Sub(each, ad.Log(x)), 1))
}
