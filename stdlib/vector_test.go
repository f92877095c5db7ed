package stdlib

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	ad "ppl/autodiff"
)

// TestPlates stacks the cases of a form that have arguments of one size, each point with the arguments of its own case,
// twice along a second plate: every element must get its own arguments.
func TestPlates(t *testing.T) {
	groups := map[string][]distCase{}
	for _, c := range distCases {
		key := c.form
		for _, a := range c.args {
			key += fmt.Sprint(" ", len(a))
		}
		groups[key] = append(groups[key], c)
	}
	for key, cases := range groups {
		d, f := find(t, cases[0].form)
		xs, want, args := stacked(cases)
		g, n := ad.New(), len(want)
		nodes := make([]Node, len(args))
		for i := range args {
			shape := shapeOf(len(cases[0].args[i]), f.Args[i].Rank)
			nodes[i] = g.Data("a", repeat(args[i], 2), join([]int{2, n}, shape...)...)
		}
		x := g.Data("x", repeat(xs, 2), join([]int{2, n}, shapeOf(len(cases[0].at[0].x), d.Event)...)...)
		lp := f.LogProb(x, nodes)
		for i, got := range ad.Eval(nil, lp)[0] {
			if !near(got, want[i%n], 2e-12, 2e-12) {
				t.Errorf("%s: point %d is %g, want %g", key, i, got, want[i%n])
			}
		}
	}
}

// TestPlatesOfArguments: one value under many arguments, as a bound of a truncation has it.
func TestPlatesOfArguments(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if d.Event > 0 || len(c.args) == 0 {
			return
		}
		g := ad.New()
		args := c.plated(g, f, 3, true)
		nodes := []Node{f.LogProb(g.Const(c.at[0].x[0]), args)}
		want := []float64{c.at[0].logProb}
		if len(c.cdf) > 0 {
			p := c.cdf[0]
			nodes = append(nodes, f.LogCDF(g.Const(p.x), args), f.LogCCDF(g.Const(p.x), args))
			want = append(want, p.logCDF, p.logCCDF)
		}
		for i, got := range ad.Eval(nil, nodes...) {
			if len(got) != 3 || !near(math.Exp(got[len(got)-1]), math.Exp(want[i]), 1e-8, 1e-11) {
				t.Errorf("%v, want three times %g", got, want[i])
			}
		}
	})
}

func stacked(cases []distCase) (xs, want []float64, args [][]float64) {
	args = make([][]float64, len(cases[0].args))
	for _, c := range cases {
		for _, p := range c.at {
			if len(p.x) != len(cases[0].at[0].x) {
				continue
			}
			xs, want = append(xs, p.x...), append(want, p.logProb)
			for i, a := range c.args {
				args[i] = append(args[i], a...)
			}
		}
	}
	return xs, want, args
}

// pulled is log p(T(u)) + log |dT/du|: the density of a vector law on unconstrained coordinates.
func (c distCase) pulled(d *Dist, f *Form, u Node, n int) Node {
	event := shapeOf(len(c.at[0].x), d.Event)
	x, logJac := TransformOf(d.Support).Constrain(u, event, Node{}, Node{})
	return ad.Add(f.LogProb(x, c.plated(u.Graph(), f, n, false)), logJac)
}

func (c distCase) freeShape(d *Dist) []int {
	return TransformOf(d.Support).Free(shapeOf(len(c.at[0].x), d.Event))
}

// TestVectorsNormalised integrates densities of vectors and matrices over one, two or three unconstrained coordinates
// u = sinh t by the trapezoid rule within 1e-5, which holds law and transform to the same measure.
func TestVectorsNormalised(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if d.Event == 0 || d.Discrete() || product1(c.freeShape(d)) > 3 {
			return
		}
		dim := product1(c.freeShape(d))
		us, weights := lattice(dim, []float64{0, 0.01, 0.06, 0.2}[dim])
		g := ad.New()
		u := g.Data("u", us, join([]int{len(weights)}, c.freeShape(d)...)...)
		sum := 0.0
		for i, lp := range ad.Eval(nil, c.pulled(d, f, u, len(weights)))[0] {
			if p := math.Exp(lp) * weights[i]; !math.IsNaN(p) { // on the edge of the support, where p is 0
				sum += p
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("the density integrates to %.9g", sum)
		}
	})
}

// lattice is the product grid of u = sinh t with the rule's weights.
func lattice(dim int, h float64) (us, weights []float64) {
	reach := []float64{0, 6, 5, 3.6}[dim]
	n := 2*int(reach/h) + 1
	total := int(math.Pow(float64(n), float64(dim)))
	for i := range total {
		w := 1.0
		for k, rest := 0, i; k < dim; k, rest = k+1, rest/n {
			s := float64(rest%n-n/2) * h
			us, w = append(us, math.Sinh(s)), w*h*math.Cosh(s)
		}
		weights = append(weights, w)
	}
	return us, weights
}

// TestCountsNormalised adds up the probabilities of vectors of counts over all ways to split n.
func TestCountsNormalised(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if d.Event != 1 || !d.Discrete() {
			return
		}
		sum := 0.0
		for _, lp := range c.logProbs(d, f, splits(c.args[0][0], len(c.at[0].x)), false) {
			sum += math.Exp(lp)
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("the probabilities add up to %.15g", sum)
		}
		wrong := append([]float64{}, c.at[0].x...)
		wrong[0]++
		if lp := c.logProbs(d, f, [][]float64{wrong}, false)[0]; !math.IsInf(lp, -1) {
			t.Errorf("counts %v that do not add up have log probability %g", wrong, lp)
		}
	})
}

func splits(n float64, k int) (out [][]float64) {
	if k == 1 {
		return [][]float64{{n}}
	}
	for first := 0.0; first <= n; first++ {
		for _, rest := range splits(n-first, k-1) {
			out = append(out, append([]float64{first}, rest...))
		}
	}
	return out
}

// TestVectorGradient compares the gradient on unconstrained coordinates with central differences within 1e-6.
func TestVectorGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if d.Event == 0 || d.Discrete() {
			return
		}
		g := ad.New()
		v := g.Input("u", c.freeShape(d)...)
		lp := c.pulled(d, f, v, 1)
		at := normals(r, v.Size())
		eval := func(u []float64) [][]float64 {
			return ad.Eval(map[string][]float64{"u": u}, lp, ad.Grad(lp, v)[0])
		}
		grad := eval(at)[1]
		for k := range at {
			want := (eval(moved(at, k, 1e-5, 0))[0][0] - eval(moved(at, k, -1e-5, 0))[0][0]) / 2e-5
			if math.Abs(grad[k]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("at %v: derivative %d is %.9g, difference quotient %.9g", at, k+1, grad[k], want)
			}
		}
	})
}

// TestEnds: limits of densities at the ends of supports, by hand from the formulas of the rows.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		form string
		args [][]float64
		x    []float64
		want float64
	}{
		{"Gamma(shape, rate)", [][]float64{{1}, {2}}, []float64{0}, math.Ln2},
		{"Gamma(shape, rate)", [][]float64{{3}, {2}}, []float64{0}, -inf},
		{"Gamma(shape, rate)", [][]float64{{0.5}, {2}}, []float64{0}, inf},
		{"InverseGamma(shape, scale)", [][]float64{{3}, {2}}, []float64{0}, -inf},
		{"LogNormal(mu, sd)", [][]float64{{0}, {1}}, []float64{0}, -inf},
		{"Weibull(shape, scale)", [][]float64{{1}, {4}}, []float64{0}, -math.Log(4)},
		{"Weibull(shape, scale)", [][]float64{{2}, {4}}, []float64{0}, -inf},
		{"Beta(a, b)", [][]float64{{1}, {1}}, []float64{0}, 0},
		{"Beta(a, b)", [][]float64{{1}, {1}}, []float64{1}, 0},
		{"Beta(a, b)", [][]float64{{2}, {1}}, []float64{1}, math.Ln2},
		{"Beta(a, b)", [][]float64{{2}, {3}}, []float64{1}, -inf},
		{"Binomial(n, p)", [][]float64{{0}, {0.3}}, []float64{0}, 0},
		{"Binomial(n, logits)", [][]float64{{4}, {inf}}, []float64{4}, 0},
		{"Binomial(n, logits)", [][]float64{{4}, {-inf}}, []float64{4}, -inf},
		{"Bernoulli(logits)", [][]float64{{inf}}, []float64{1}, 0},
		{"Bernoulli(logits)", [][]float64{{inf}}, []float64{0}, -inf},
		{"Poisson(log)", [][]float64{{-inf}}, []float64{0}, 0},
		{"Poisson(log)", [][]float64{{-inf}}, []float64{2}, -inf},
		{"NegBinomial(mean, size)", [][]float64{{0}, {3}}, []float64{0}, 0},
		{"NegBinomial(log, size)", [][]float64{{-inf}, {3}}, []float64{2}, -inf},
		{"Dirichlet(concentration)", [][]float64{{1, 1, 1}}, []float64{0, 0.5, 0.5}, math.Ln2},
		{"Multinomial(n, p)", [][]float64{{2}, {0, 1}}, []float64{1, 1}, -inf},
		{"Uniform(lo, hi)", [][]float64{{0}, {4}}, []float64{4}, -math.Log(4)},
	} {
		d, f := find(t, c.form)
		if got := (distCase{form: c.form, args: c.args}).logProbs(d, f, [][]float64{c.x}, true)[0]; !near(got, c.want, 1e-14, 1e-14) {
			t.Errorf("%s%v at %v: %g, want %g", c.form, c.args, c.x, got, c.want)
		}
	}
}

// TestCrossedArguments: ends in the wrong order, and matrices that are not positive definite, are NaN or −∞.
func TestCrossedArguments(t *testing.T) {
	for _, c := range []distCase{
		{form: "Uniform(lo, hi)", args: [][]float64{{2}, {1}}, at: []point{{[]float64{1.5}, 0}}},
		{form: "Uniform(lo, hi)", args: [][]float64{{1}, {1}}, at: []point{{[]float64{1}, 0}}},
		{form: "DiscreteUniform(lo, hi)", args: [][]float64{{2}, {1}}, at: []point{{[]float64{1}, 0}}},
		{form: "MvNormal(mu, cov)", args: [][]float64{{0, 0}, {1, 2, 2, 1}}, at: []point{{[]float64{0, 0}, 0}}},
		{form: "MvNormal(mu, prec)", args: [][]float64{{0, 0}, {1, 2, 2, 1}}, at: []point{{[]float64{0, 0}, 0}}},
		{form: "OrderedLogistic(eta, cut)", args: [][]float64{{0}, {1, 0}}, at: []point{{[]float64{2}, 0}}},
	} {
		d, f := find(t, c.form)
		if got := c.logProbs(d, f, [][]float64{c.at[0].x}, true)[0]; !math.IsNaN(got) && !math.IsInf(got, -1) {
			t.Errorf("%s has log density %g", c.name(), got)
		}
	}
}

// TestEnumerate: finite supports from shapes and static arguments.
func TestEnumerate(t *testing.T) {
	g := ad.New()
	two, nine, par := g.Data("n", []float64{2, 5}, 2), g.Const(9), g.Input("p")
	for _, c := range []struct {
		name     string
		args     []Node
		first, n int
		ok       bool
	}{
		{"Bernoulli", []Node{par}, 0, 2, true},
		{"Categorical", []Node{g.Input("q", 3, 4)}, 1, 4, true},
		{"OrderedLogistic", []Node{par, g.Input("c", 4)}, 1, 5, true},
		{"Binomial", []Node{two, par}, 0, 6, true},
		{"Binomial", []Node{par, par}, 0, 0, false},
		{"DiscreteUniform", []Node{two, nine}, 2, 8, true},
		{"DiscreteUniform", []Node{two, par}, 0, 0, false},
	} {
		first, n, ok := Dists()[c.name].Enumerate(c.args)
		if ok != c.ok || ok && (first != c.first || n != c.n) {
			t.Errorf("%s: from %d, %d values, %t", c.name, first, n, ok)
		}
	}
}

// TestSumsOverPlates: the table of sums is as long as the largest support; each plate stops at its own end.
func TestSumsOverPlates(t *testing.T) {
	_, f := find(t, "BetaBinomial(n, a, b)")
	g := ad.New()
	args := []Node{g.Data("n", []float64{3, 10, 0}, 3), g.Const(1), g.Const(0.5)}
	got := ad.Eval(nil, f.LogCDF(g.Const(5), args))[0]
	for i, want := range []float64{1, 0.33490657948862283, 1} { // mpmath's sum at 30 digits, and scipy.stats.betabinom.cdf
		if !near(math.Exp(got[i]), want, 1e-13, 0) {
			t.Errorf("P(X ≤ 5) of plate %d is %g, want %g", i, math.Exp(got[i]), want)
		}
	}
}

// TestSumNeedsStatic: a cumulative function that adds up probabilities is invalid where it cannot know how many.
func TestSumNeedsStatic(t *testing.T) {
	_, f := find(t, "Poisson(rate)")
	g := ad.New()
	if f.LogCDF(g.Input("x"), []Node{g.Const(3)}).Valid() || f.LogCCDF(g.Input("x"), []Node{g.Const(3)}).Valid() {
		t.Error("a sum up to a parameter")
	}
	if f.LogCDF(g.Const(1e9), []Node{g.Const(3)}).Valid() {
		t.Error("a sum of a billion terms")
	}
	r := ad.Eval(nil, f.LogCDF(g.Const(inf), []Node{g.Const(3)}), f.LogCCDF(g.Const(inf), []Node{g.Const(3)}))
	if r[0][0] != 0 || !math.IsInf(r[1][0], -1) {
		t.Errorf("at infinity %v", r)
	}
}
