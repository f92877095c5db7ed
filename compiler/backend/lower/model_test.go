package lower_test

import (
	"math"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// A density adds log p(theta) to a graph, with theta of the given size.
type density struct {
	name string
	dim  int
	logp func(g *ad.Graph, theta ad.Node) ad.Node
}

func part(theta ad.Node, lo, n int) ad.Node { return ad.Slice(theta, []int{lo}, []int{lo + n}) }
func scalarAt(theta ad.Node, k int) ad.Node { return ad.Reshape(part(theta, k, 1)) }

func sq(x ad.Node) ad.Node { return ad.Mul(x, x) }

// normal returns log N(x; mu, sd); scalars are broadcast.
func normal(x, mu, sd ad.Node) ad.Node {
	g := x.Graph()
	z := ad.Div(ad.Sub(x, mu), sd)
	return ad.Sub(ad.Sub(ad.Mul(g.Const(-0.5), sq(z)), ad.Log(sd)), g.Const(math.Log(2*math.Pi)/2))
}

func series(n int, f func(i float64) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = f(float64(i))
	}
	return out
}

// fiveModes returns the density of a mixture of five normals in the plane.
func fiveModes(g *ad.Graph, theta ad.Node) ad.Node {
	m := g.Data("m", []float64{0, 0, 3, 3, -3, 3, 3, -3, -3, -3}, 5, 2)
	w := g.Data("w", []float64{.1, .2, .3, .2, .2}, 5)
	d := ad.Sub(ad.Broadcast(theta, []int{5, 2}, []int{1}), m)
	quad := ad.Mul(g.Const(-0.5/.25), ad.Sum(sq(d), 1))
	return ad.LogSumExp(ad.Add(ad.Log(w), quad), 0)
}

// eightSchools returns the density of the noncentered model on mu, log tau and eta[8].
func eightSchools(g *ad.Graph, theta ad.Node) ad.Node {
	y := g.Data("y", []float64{28, 8, -3, 7, -1, 1, 18, 12}, 8)
	sd := g.Data("sigma", []float64{15, 10, 16, 11, 9, 11, 10, 18}, 8)
	mu, logTau, eta := scalarAt(theta, 0), scalarAt(theta, 1), part(theta, 2, 8)
	tau := ad.Exp(logTau)
	zero, one := g.Const(0), g.Const(1)
	prior := ad.Add(normal(mu, zero, g.Const(5)), ad.Add(logTau, ad.Neg(ad.Log1p(sq(ad.Div(tau, g.Const(5)))))))
	prior = ad.Add(prior, ad.SumAll(normal(eta, zero, one)))
	return ad.Add(prior, ad.SumAll(normal(y, ad.Add(mu, ad.Mul(tau, eta)), sd)))
}

func logistic(rows, cols int) func(g *ad.Graph, theta ad.Node) ad.Node {
	return func(g *ad.Graph, theta ad.Node) ad.Node {
		x := g.Data("x", series(rows*cols, func(i float64) float64 { return math.Sin(i*i + 1) }), rows, cols)
		y := g.Data("y", series(rows, func(i float64) float64 { return math.Mod(math.Floor(i*i/7), 2) }), rows)
		alpha, beta := scalarAt(theta, 0), part(theta, 1, cols)
		eta := ad.Add(ad.Reshape(ad.MatMul(x, ad.Reshape(beta, cols, 1), false, false), rows), alpha)
		lik := ad.Where(y, ad.LogSigmoid(eta), ad.LogSigmoid(ad.Neg(eta)))
		return ad.Add(ad.SumAll(lik), ad.Add(normal(alpha, g.Const(0), g.Const(10)),
			ad.SumAll(normal(beta, g.Const(0), g.Const(2.5)))))
	}
}

// radon returns the density of a regression with varying intercepts, which are gathered by county.
func radon(g *ad.Graph, theta ad.Node) ad.Node {
	const n, j = 60, 7
	county := g.Data("county", series(n, func(i float64) float64 { return math.Mod(i*i, j) }), n)
	floor := g.Data("floor", series(n, func(i float64) float64 { return math.Mod(i, 2) }), n)
	y := g.Data("y", series(n, math.Sin), n)
	mu, b, a := scalarAt(theta, 0), scalarAt(theta, 1), part(theta, 4, j)
	sa, sy := ad.Exp(scalarAt(theta, 2)), ad.Exp(scalarAt(theta, 3))
	fit := ad.Add(ad.Gather(a, county), ad.Mul(b, floor))
	lp := ad.Add(ad.SumAll(normal(y, fit, sy)), ad.SumAll(normal(a, mu, sa)))
	return ad.Add(lp, ad.Add(normal(mu, g.Const(0), g.Const(10)), normal(b, g.Const(0), g.Const(10))))
}

// mixture returns the density of a mixture with the component of each row summed out; the weights are a simplex by
// stick breaking, the means are ordered.
func mixture(g *ad.Graph, theta ad.Node) ad.Node {
	const n, k = 50, 3
	y := g.Data("y", series(n, func(i float64) float64 { return 3 * math.Sin(i*i) }), n)
	v := ad.Sigmoid(part(theta, 0, k-1))
	rest := ad.CumSum(ad.Log1p(ad.Neg(v)), 0, false)
	logw := ad.Add(ad.Concat(0, ad.Log(v), g.Full(0, 1)), ad.Concat(0, g.Full(0, 1), rest))
	m := ad.CumSum(ad.Concat(0, part(theta, k-1, 1), ad.Exp(part(theta, k, k-1))), 0, false)
	s := ad.Exp(part(theta, 2*k-1, k))
	wide := []int{n, k}
	row, col := []int{0}, []int{1}
	terms := normal(ad.Broadcast(y, wide, row), ad.Broadcast(m, wide, col), ad.Broadcast(s, wide, col))
	lik := ad.LogSumExp(ad.Add(terms, ad.Broadcast(logw, wide, col)), 1)
	return ad.Add(ad.SumAll(lik), ad.SumAll(normal(theta, g.Const(0), g.Const(3))))
}

// gp returns the density of a Gaussian process with exponentiated-quadratic covariance, marginalised over its values.
func gp(g *ad.Graph, theta ad.Node) ad.Node {
	const n = 12
	x := g.Data("x", series(n, func(i float64) float64 { return i / 4 }), n)
	y := g.Data("y", series(n, math.Sin), n, 1)
	eye := g.Data("eye", series(n*n, func(i float64) float64 { return b2f(math.Mod(i, n+1) == 0) }), n, n)
	length, scale, noise := ad.Exp(scalarAt(theta, 0)), ad.Exp(scalarAt(theta, 1)), ad.Exp(scalarAt(theta, 2))
	sqn := []int{n, n}
	d := sq(ad.Sub(ad.Broadcast(x, sqn, []int{0}), ad.Broadcast(x, sqn, []int{1})))
	cov := ad.Mul(sq(scale), ad.Exp(ad.Div(ad.Mul(g.Const(-0.5), d), sq(length))))
	l := ad.Cholesky(ad.Add(cov, ad.Mul(eye, sq(noise))))
	z := ad.TriSolve(l, y, false)
	diag := ad.Where(eye, l, g.Const(1))
	lp := ad.Sub(ad.Mul(g.Const(-0.5), ad.SumAll(sq(z))), ad.SumAll(ad.Log(diag)))
	return ad.Add(lp, ad.SumAll(normal(theta, g.Const(0), g.Const(1))))
}

func densities() []density {
	return []density{
		{"five modes", 2, fiveModes},
		{"eight schools", 10, eightSchools},
		{"logistic", 21, logistic(200, 20)},
		{"radon", 11, radon},
		{"mixture", 8, mixture},
		{"gp", 3, gp},
	}
}

func TestDensities(t *testing.T) {
	for k, d := range densities() {
		t.Run(d.name, func(t *testing.T) {
			g := ad.New()
			theta := g.Input("theta", d.dim)
			lp := d.logp(g, theta)
			check(t, source(uint64(k)), lp, ad.Grad(lp, theta)[0])
		})
	}
}

// leapfrog returns an entry with one leapfrog step for a density.
func leapfrog(d density) lower.Entry {
	g := ad.New()
	q, v, grad, eps := g.Input("q", d.dim), g.Input("v", d.dim), g.Input("grad", d.dim), g.Input("eps")
	half := ad.Mul(g.Const(0.5), eps)
	v1 := ad.Add(v, ad.Mul(half, grad))
	q1 := ad.Add(q, ad.Mul(eps, v1))
	lp := d.logp(g, q1)
	g1 := ad.Grad(lp, q1)[0]
	v2 := ad.Add(v1, ad.Mul(half, g1))
	return lower.Entry{Name: "leapfrog", Assign: []lower.Assign{{Name: "q", Value: q1}, {Name: "v", Value: v2},
		{Name: "grad", Value: g1}, {Name: "lp", Value: lp}}}
}

// TestLeapfrog compares short trajectories, for which one entry reads and writes the state.
func TestLeapfrog(t *testing.T) {
	for _, d := range densities() {
		t.Run(d.name, func(t *testing.T) {
			r := source(9)
			start := map[string][]float64{"q": normals(r, d.dim), "v": normals(r, d.dim), "grad": normals(r, d.dim),
				"eps": {0.01}}
			checkSteps(t, leapfrog(d), start, 3)
		})
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
