package ode

import (
	"math"

	ad "ppl/autodiff"
)

// A known problem has parameters theta, and reference values at some times.
type known struct {
	name   string
	stiff  bool
	origin string
	theta  []float64
	y0     []float64
	times  []float64
	rhs    func(t Node, y, theta []Node) []Node
	want   []float64 // row-major
	size   []float64 // magnitude of each state, which errors are measured by
}

func knownProblems() []known {
	return []known{
		{"decay", false, "closed form", []float64{0.7}, []float64{2}, []float64{0.3, 1, 4}, decay,
			[]float64{2 * math.Exp(-.21), 2 * math.Exp(-.7), 2 * math.Exp(-2.8)}, []float64{1}},
		{"oscillator", false, "closed form", []float64{1.5}, []float64{1, 0}, []float64{1, 7}, oscillator,
			[]float64{math.Cos(1.5), -1.5 * math.Sin(1.5), math.Cos(10.5), -1.5 * math.Sin(10.5)}, []float64{1, 1.5}},
		{"modulated", false, "closed form", []float64{1.3}, []float64{0.5}, []float64{2, 9}, modulated,
			[]float64{.5 * math.Exp(1.3*math.Sin(2)), .5 * math.Exp(1.3*math.Sin(9))}, []float64{1}},
		{"lotka-volterra", false, "SciPy 1.17.1, solve_ivp, DOP853, rtol = atol = 1e-13",
			[]float64{.55, .028, .84, .026}, []float64{33, 6}, []float64{5, 10, 20}, lotkaVolterra,
			[]float64{17.57974663105, 37.33820927888, 34.53515187967, 6.027088281627, 36.13668745345, 6.083781818702},
			[]float64{30, 30}},
		{"michaelis-menten", false, "SciPy 1.17.1, solve_ivp, DOP853, rtol 1e-13, atol 1e-14",
			[]float64{1.2, 20, 8, 1.5}, []float64{100, 0}, []float64{.5, 2, 8, 24}, michaelisMenten,
			[]float64{100 * math.Exp(-.6), 2.173717430716, 100 * math.Exp(-2.4), 4.04856225968, 100 * math.Exp(-9.6),
				2.815450457702, 100 * math.Exp(-28.8), 0.222553130129}, []float64{50, 3}},
		{"robertson", true, "SciPy 1.17.1, solve_ivp, Radau, rtol 1e-12, atol 1e-16", []float64{.04, 1e4, 3e7},
			[]float64{1, 0, 0}, []float64{.4, 40, 4e3, 4e5}, robertson,
			[]float64{0.985172113861, 3.386395378975e-05, 0.01479402218522, 0.7158270687194, 9.185534764559e-06,
				0.2841637457458,
				0.1832022577769, 8.942371252777e-07, 0.8167968479859, 0.004938274520998, 1.984994087962e-08,
				0.9950617056291}, []float64{1, 1e-5, 1}},
		{"van der pol", true, "Test Set for IVP Solvers 2.4 (Mazzia, Magherini 2008), problem VDPOL with time " +
			"scaled by 1000", []float64{1000}, []float64{2, 0}, []float64{2000}, vanDerPol,
			[]float64{0.1706167732170483e1, -0.8928097010247975e-3}, []float64{1, 1e-3}},
	}
}

func decay(_ Node, y, k []Node) []Node { return []Node{ad.Neg(ad.Mul(k[0], y[0]))} }

func oscillator(_ Node, y, w []Node) []Node {
	return []Node{y[1], ad.Neg(ad.Mul(ad.Mul(w[0], w[0]), y[0]))}
}

func modulated(t Node, y, a []Node) []Node { return []Node{ad.Mul(ad.Mul(a[0], y[0]), ad.Cos(t))} }

func lotkaVolterra(_ Node, y, p []Node) []Node {
	meet := ad.Mul(y[0], y[1])
	return []Node{ad.Sub(ad.Mul(p[0], y[0]), ad.Mul(p[1], meet)), ad.Sub(ad.Mul(p[3], meet), ad.Mul(p[2], y[1]))}
}

// michaelisMenten has the states gut and concentration, and the parameters absorption rate, volume, greatest
// elimination rate, and the concentration at half of that rate.
func michaelisMenten(_ Node, y, p []Node) []Node {
	in := ad.Mul(p[0], y[0])
	out := ad.Div(ad.Mul(p[2], y[1]), ad.Add(p[3], y[1]))
	return []Node{ad.Neg(in), ad.Div(ad.Sub(in, out), p[1])}
}

func robertson(_ Node, y, k []Node) []Node {
	r1, r2, r3 := ad.Mul(k[0], y[0]), ad.Mul(k[1], ad.Mul(y[1], y[2])), ad.Mul(k[2], ad.Mul(y[1], y[1]))
	return []Node{ad.Sub(r2, r1), ad.Sub(ad.Sub(r1, r2), r3), r3}
}

func vanDerPol(_ Node, y, mu []Node) []Node {
	damping := ad.Sub(mu[0].Graph().Const(1), ad.Mul(y[0], y[0]))
	return []Node{y[1], ad.Sub(ad.Mul(mu[0], ad.Mul(damping, y[1])), y[0])}
}

// problem returns a known problem with y0 and theta as inputs of a graph.
func (k known) problem(g *ad.Graph) (p Problem, y0, theta Node, inputs map[string][]float64) {
	y0, theta = g.Input("y0", len(k.y0)), g.Input("theta", len(k.theta))
	inputs = map[string][]float64{"y0": k.y0, "theta": k.theta}
	return Problem{T0: 0, Times: k.times, Y0: y0, Shared: []Node{theta}, RHS: vector(k.rhs)}, y0, theta, inputs
}

// vector converts a right-hand side that is written with scalars.
func vector(rhs func(t Node, y, theta []Node) []Node) func(t, y Node, shared []Node) Node {
	return func(t, y Node, shared []Node) Node {
		var rows []Node
		for _, x := range rhs(t, scalars(y), scalars(shared[0])) {
			rows = append(rows, one(x))
		}
		return ad.Concat(0, rows...)
	}
}

func scalars(x Node) (out []Node) {
	for k := range x.Size() {
		out = append(out, at(x, k))
	}
	return out
}
