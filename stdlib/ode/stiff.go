package ode

import (
	"slices"

	ad "ppl/autodiff"
)

// rodas makes a step with RODAS, an L-stable, stiffly accurate Rosenbrock method of order 4 with an embedded method of
// order 3 (Hairer, Wanner II, IV.7; coefficients from the authors' program). Each stage is linear in u_i, with γ = 1/4
// and J = ∂f/∂y:
//
//	(1/γ − hJ) u_i = h f(t + α_i h, y + Σ_j a_ij u_j) + Σ_j c_ij u_j + γ_i h² ∂f/∂t.
//
// The last stage u_i is the error estimate.
func rodas(f field, t, y, h Node) (next, err Node) {
	alpha := []float64{0, 0.386, 0.21, 0.63, 1, 1}
	gamma := []float64{0.25, -0.1043, 0.1035, -0.0362, 0, 0}
	last := []float64{1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950}
	a := [][]float64{
		{},
		{1.544},
		{0.9466785280815826, 0.2557011698983284},
		{3.314825187068521, 2.896124015972201, 0.9986419139977817},
		last,
		append(slices.Clone(last), 1),
		append(slices.Clone(last), 1, 1),
	}
	c := [][]float64{
		{},
		{-5.6688},
		{-2.430093356833875, -0.2063599157091915},
		{-0.1073529058151375, -9.594562251023355, -20.47028614809616},
		{7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
		{8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
	}
	first, jacobian, drift := derivatives(f, t, y)
	drift = ad.Mul(ad.Mul(h, h), drift)
	solve := linear(ad.Sub(diagonal(y, 4), ad.Mul(h, jacobian)))
	var u []Node
	for i := range alpha {
		slope := first
		if i > 0 {
			slope = f(ad.Add(t, scale(alpha[i], h)), plus(y, combine(a[i], u)))
		}
		right := plus(ad.Mul(h, slope), combine(c[i], u))
		u = append(u, solve(ad.Add(right, scale(gamma[i], drift))))
	}
	return plus(y, combine(a[len(u)], u)), u[len(u)-1]
}

// plus returns x + y, or x if y is invalid.
func plus(x, y Node) Node {
	if !y.Valid() {
		return x
	}
	return ad.Add(x, y)
}

// derivatives returns f [S], ∂f/∂y [S, S] and ∂f/∂t [S] at t and y. It adds zeros to y and t and differentiates with
// respect to these, because f may read parts of y through nodes from which y was assembled, not through y itself.
func derivatives(f field, t, y Node) (v, toY, toT Node) {
	g, n := y.Graph(), y.Size()
	dy, dt := g.Data("zeros", make([]float64, n), n), g.Data("zero", make([]float64, 1))
	v = f(ad.Add(t, dt), ad.Add(y, dy))
	rows, drift := make([]Node, n), make([]Node, n)
	for i := range n {
		d := ad.Grad(at(v, i), dy, dt)
		rows[i], drift[i] = ad.Reshape(d[0], 1, n), one(d[1])
	}
	return v, ad.Concat(0, rows...), ad.Concat(0, drift...)
}

// diagonal returns v times the unit matrix of the size of y.
func diagonal(y Node, v float64) Node {
	n := y.Size()
	d := make([]float64, n*n)
	for i := range n {
		d[i*n+i] = v
	}
	return y.Graph().Data("diagonal", d, n, n)
}

// linear returns a function that computes W⁻¹b. The approximate inverse V has no gradient. One step of iterative
// refinement,
//
//	x = Vb + V(b − WVb),
//
// corrects the last digits and has the derivatives of W⁻¹b: those with respect to W are −V∂W Vb, because b − WVb
// vanishes.
func linear(w Node) func(b Node) Node {
	v := held(inverse(w))
	return func(b Node) Node {
		x := apply(v, b)
		return ad.Add(x, apply(v, ad.Sub(b, apply(w, x))))
	}
}

// apply returns m·x.
func apply(m, x Node) Node { return ad.Sum(ad.Mul(m, ad.Broadcast(x, m.Shape(), []int{1})), 1) }

// held returns x rounded to 50 binary digits, which removes its gradient.
func held(x Node) Node {
	c := x.Graph().Const
	digits := ad.Exp(scale(ln2, ad.Sub(c(50), ad.Floor(log2(ad.Abs(x))))))
	return ad.Where(ad.Lt(ad.Abs(x), c(1e-280)), c(0), ad.Div(ad.Round(ad.Mul(x, digits)), digits))
}

// inverse returns the inverse of w by Gauss–Jordan elimination with column pivots. Step k takes, of the rows not yet
// used, the one with the largest element in column k, normalises it, and eliminates column k from all other rows. Rows
// are reordered only at the end.
func inverse(w Node) Node {
	g, n := w.Graph(), w.Shape()[0]
	m := ad.Concat(1, w, diagonal(ad.Reshape(ad.Slice(w, []int{0, 0}, []int{1, n}), n), 1))
	used := g.Full(0, n)
	var pivots []Node
	for k := range n {
		column := ad.Reshape(ad.Slice(m, []int{0, k}, []int{n, k + 1}), n)
		free := ad.Where(used, g.Const(-1), ad.Abs(column))
		largest := ad.Eq(free, ad.Broadcast(ad.Max(free, 0), []int{n}, nil))
		p := ad.Min(ad.Where(largest, g.Iota(n), g.Const(float64(n))), 0)
		here := ad.Eq(g.Iota(n), p)
		row := ad.Div(ad.Gather(m, p), ad.Gather(column, p))
		rows, columns := ad.Broadcast(row, m.Shape(), []int{1}), ad.Broadcast(column, m.Shape(), []int{0})
		m = ad.Where(ad.Broadcast(here, m.Shape(), []int{0}), rows, ad.Sub(m, ad.Mul(columns, rows)))
		used, pivots = ad.Add(used, here), append(pivots, one(p))
	}
	return ad.Gather(ad.Slice(m, []int{0, n}, []int{n, 2 * n}), ad.Concat(0, pivots...))
}
