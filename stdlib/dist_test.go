package stdlib

import (
	"math"
	"testing"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

func TestEveryFormHasValues(t *testing.T) {
	have := map[string]bool{}
	for _, c := range distCases {
		have[c.form] = len(c.at) > 0
	}
	for _, d := range Dists() {
		if d.Doc == "" || d.Source == "" {
			t.Errorf("%s: no sentence or no source", d.Name)
		}
		for i := range d.Forms {
			if key := formKey(d, &d.Forms[i]); !have[key] {
				t.Errorf("%s has no reference values", key)
			}
		}
	}
}

// TestLogProb compares log densities with the reference values within 2e-12 of max(1, |value|), for arguments with
// plates and without. The result must have the shape of the plates, or be a scalar if there are none.
func TestLogProb(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		xs := make([][]float64, len(c.at))
		for i, p := range c.at {
			xs[i] = p.x
		}
		for _, whole := range []bool{false, true} {
			for i, got := range c.logProbs(d, f, xs, whole) {
				if !near(got, c.at[i].logProb, 2e-12, 2e-12) {
					t.Errorf("log p(%v) = %.17g, reference %.17g (arguments with plates: %t)", xs[i], got,
						c.at[i].logProb, whole)
				}
			}
		}
		g := ad.New()
		x := g.Data("x", xs[0], shapeOf(len(xs[0]), d.Event)...)
		lp := f.LogProb(x, c.plated(g, f, 1, false))
		if got := ad.Eval(nil, lp)[0][0]; lp.Rank() != 0 || !near(got, c.at[0].logProb, 2e-12, 2e-12) {
			t.Errorf("without plates: shape %v, %g", lp.Shape(), got)
		}
	})
}

// TestOutside checks that the log density is −∞ for values outside the support of a scalar distribution, for parameters
// outside their domains, and for NaN.
func TestOutside(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if bounded(d) {
			lo, hi := c.ends(d, f)
			for _, x := range []float64{lo - 1, hi + 1} {
				if got := c.logProbs(d, f, singles([]float64{x}), true)[0]; !math.IsInf(x, 0) && !math.IsInf(got, -1) {
					t.Errorf("log p(%g) = %g outside %g..%g", x, got, lo, hi)
				}
			}
		}
		for i, a := range f.Args {
			for _, v := range outsideOf(a.Domain) {
				bad := c
				bad.args = append([][]float64{}, c.args...)
				bad.args[i] = repeat([]float64{v}, len(c.args[i]))
				if got := bad.logProbs(d, f, [][]float64{c.at[0].x}, true)[0]; !math.IsInf(got, -1) {
					t.Errorf("%s = %g gives %g", a.Name, v, got)
				}
			}
		}
	})
}

func outsideOf(d Domain) []float64 {
	if d.Kind != types.Interval && d.Kind != types.IntRange {
		return nil
	}
	out := []float64{math.NaN()}
	if d.Lo == tiny {
		out = append(out, 0, -0.5)
	} else if !math.IsInf(d.Lo, 0) {
		out = append(out, d.Lo-1, d.Lo-0.5)
	}
	if !math.IsInf(d.Hi, 0) {
		out = append(out, d.Hi+0.5)
	}
	return out
}

// TestEnds compares densities at the ends of supports with limits derived by hand from the formulas of the rows.
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
		{"LogitNormal(mu, sd)", [][]float64{{0}, {1}}, []float64{0}, -inf},
		{"LogitNormal(mu, sd)", [][]float64{{0}, {1}}, []float64{1}, -inf},
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
		{"LogLogistic(scale, shape)", [][]float64{{4}, {1}}, []float64{0}, -math.Log(4)},
		{"Frechet(shape, scale)", [][]float64{{2}, {1}}, []float64{0}, -inf},
		{"Levy(loc, scale)", [][]float64{{2}, {1}}, []float64{2}, -inf},
		{"GeneralizedExtremeValue(loc, scale, shape)", [][]float64{{1}, {2}, {0.5}}, []float64{-3}, -inf},
		{"GeneralizedExtremeValue(loc, scale, shape)", [][]float64{{1}, {2}, {-0.5}}, []float64{5}, -inf},
		{"GeneralizedPareto(loc, scale, shape)", [][]float64{{2}, {4}, {0.5}}, []float64{2}, -math.Log(4)},
		{"GeneralizedPareto(loc, scale, shape)", [][]float64{{2}, {4}, {-0.5}}, []float64{10}, -inf},
		{"InverseGaussian(mean, shape)", [][]float64{{2}, {1}}, []float64{0}, -inf},
		{"Kumaraswamy(a, b)", [][]float64{{1}, {1}}, []float64{1}, 0},
		{"Kumaraswamy(a, b)", [][]float64{{2}, {3}}, []float64{1}, -inf},
		{"RelaxedBernoulli(temperature, logits)", [][]float64{{1}, {0.5}}, []float64{0}, -0.5},
		{"RelaxedBernoulli(temperature, logits)", [][]float64{{1}, {0.5}}, []float64{1}, 0.5},
		{"RelaxedBernoulli(temperature, logits)", [][]float64{{2}, {0}}, []float64{1}, -inf},
		{"RelaxedBernoulli(temperature, p)", [][]float64{{0.5}, {1}}, []float64{0}, -inf}, // a point at 1
		{"RelaxedBernoulli(temperature, p)", [][]float64{{2}, {1}}, []float64{0.7}, -inf},
		{"RelaxedBernoulli(temperature, p)", [][]float64{{2}, {1}}, []float64{1}, -inf},
		{"Geometric(logits)", [][]float64{{inf}}, []float64{0}, 0},
		{"Geometric(logits)", [][]float64{{inf}}, []float64{1}, -inf},
		{"ZeroInflatedPoisson(gate, rate)", [][]float64{{0}, {3}}, []float64{0}, -3},
		{"ZeroInflatedPoisson(gate, rate)", [][]float64{{1}, {3}}, []float64{0}, 0},
		{"ZeroInflatedPoisson(gate, rate)", [][]float64{{1}, {3}}, []float64{2}, -inf},
		{"Wishart(nu, scale)", [][]float64{{1}, {1, 0, 0, 1}}, []float64{2, 0, 0, 1}, -inf},
	} {
		d, f := find(t, c.form)
		if got := (distCase{form: c.form, args: c.args}).logProbs(d, f, [][]float64{c.x}, true)[0]; !near(got, c.want,
			1e-14, 1e-14) {
			t.Errorf("%s%v at %v: %g, want %g", c.form, c.args, c.x, got, c.want)
		}
	}
}

// TestCrossedArguments checks that ends in the wrong order, positions beyond the last, and matrices that are not
// positive definite give NaN or −∞.
func TestCrossedArguments(t *testing.T) {
	for _, c := range []distCase{
		{form: "Uniform(lo, hi)", args: [][]float64{{2}, {1}}, at: []point{{[]float64{1.5}, 0}}},
		{form: "Uniform(lo, hi)", args: [][]float64{{1}, {1}}, at: []point{{[]float64{1}, 0}}},
		{form: "DiscreteUniform(lo, hi)", args: [][]float64{{2}, {1}}, at: []point{{[]float64{1}, 0}}},
		{form: "MvNormal(mu, cov)", args: [][]float64{{0, 0}, {1, 2, 2, 1}}, at: []point{{[]float64{0, 0}, 0}}},
		{form: "MvNormal(mu, prec)", args: [][]float64{{0, 0}, {1, 2, 2, 1}}, at: []point{{[]float64{0, 0}, 0}}},
		{form: "OrderedLogistic(eta, cut)", args: [][]float64{{0}, {1, 0}}, at: []point{{[]float64{2}, 0}}},
		{form: "OrderedProbit(eta, cut)", args: [][]float64{{0}, {1, 0}}, at: []point{{[]float64{2}, 0}}},
		{form: "TruncatedPowerLaw(alpha, lo, hi)", args: [][]float64{{-2}, {2}, {1}}, at: []point{{[]float64{1.5}, 0}}},
		{form: "ICAR(node1, node2)", args: [][]float64{{1, 2}, {2, 3}}, at: []point{{[]float64{0, 1}, 0}}},
		{form: "LogUniform(lo, hi)", args: [][]float64{{2}, {1}}, at: []point{{[]float64{1.5}, 0}}},
		{form: "Hypergeometric(n, good, bad)", args: [][]float64{{9}, {2}, {3}}, at: []point{{[]float64{3}, 0}}},
		{form: "MvStudentT(nu, mu, scale)", args: [][]float64{{3}, {0, 0}, {1, 2, 2, 1}},
			at: []point{{[]float64{0, 0}, 0}}},
		{form: "Wishart(nu, scale)", args: [][]float64{{3}, {1, 2, 2, 1}}, at: []point{{[]float64{1, 0, 0, 1}, 0}}},
	} {
		d, f := find(t, c.form)
		if got := c.logProbs(d, f, [][]float64{c.at[0].x}, true)[0]; !math.IsNaN(got) && !math.IsInf(got, -1) {
			t.Errorf("%s has log density %g", c.name(), got)
		}
	}
}

// TestLocationScale checks that the log density of a location-scale distribution is that of (x − location) / scale for
// location 0 and scale 1, minus log scale, within 1e-12.
func TestLocationScale(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if !d.LocationScale || d.Name == "Normal" && f.Args[1].Name != "sd" { // var and precision are no scales
			return
		}
		loc, scale := c.args[d.Location][0], c.args[d.Location+1][0]
		standard := c
		standard.args = append([][]float64{}, c.args...)
		standard.args[d.Location], standard.args[d.Location+1] = []float64{0}, []float64{1}
		for _, p := range c.at {
			got := standard.logProbs(d, f, singles([]float64{(p.x[0] - loc) / scale}), true)[0] - math.Log(scale)
			if !near(got, p.logProb, 1e-12, 1e-12) {
				t.Errorf("at %v: %g, want %g", p.x, got, p.logProb)
			}
		}
	})
}

// TestEnumerate checks finite supports that follow from shapes and static arguments.
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
		{"OrderedProbit", []Node{par, g.Input("c", 4)}, 1, 5, true},
		// good ones of 9 drawn, at most 7; at most 5 are bad
		{"Hypergeometric", []Node{nine, g.Const(7), two}, 4, 4, true},
		{"Hypergeometric", []Node{nine, par, two}, 0, 0, false},
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
