package stdlib

import (
	"math"
	"os"
	"testing"

	ad "ppl/autodiff"
)

// TestQuantile checks that quantiles of the reference probabilities are the reference points, within 1e-9 plus the
// effect of a relative error of 1e-15 in p and of 1e-12 in the smaller tail.
func TestQuantile(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		var refs []tails
		var ps []float64
		for _, ref := range c.cdf {
			if p := math.Exp(ref.logCDF); p > 1e-300 && p < 1 && !c.valuesOnly && f.Quantile != nil {
				refs, ps = append(refs, ref), append(ps, p)
			}
		}
		if len(ps) == 0 {
			return
		}
		g := ad.New()
		q := f.Quantile(g.Data("p", ps, len(ps)), c.plated(g, f, len(ps), true))
		if !q.Valid() {
			return
		}
		for i, got := range ad.Eval(nil, q)[0] {
			if !c.isQuantile(d, f, got, refs[i], ps[i]) {
				t.Errorf("quantile(%.17g) = %.17g, reference %.17g", ps[i], got, refs[i].x)
			}
		}
	})
}

func (c distCase) isQuantile(d *Dist, f *Form, got float64, ref tails, p float64) bool {
	if d.Discrete() {
		g := ad.New()
		args, at := c.plated(g, f, 1, false), []Node{g.Const(got), g.Const(got - 1)}
		r := ad.Eval(nil, ad.Exp(f.LogCDF(at[0], args)), ad.Exp(f.LogCDF(at[1], args)))
		return r[0][0] >= p*(1-2e-12)-2e-16 && r[1][0] < p && got <= math.Floor(ref.x)
	}
	density := math.Exp(c.logProbs(d, f, singles([]float64{ref.x}), false)[0])
	moved := (1e-15*p + 1e-12*math.Exp(math.Min(ref.logCDF, ref.logCCDF))) / density
	return math.Abs(got-ref.x) <= 1e-9*math.Abs(ref.x)+2*moved || moved > math.Abs(ref.x)
}

// TestQuantileGradient compares the derivative in p with one over the density, and those in the arguments with
// difference quotients, each within 1e-5. It skips steps that leave the domain. It tests one case of each form, or all
// with PPL_SLOW=1.
func TestQuantileGradient(t *testing.T) {
	done := map[string]bool{}
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if f.Quantile == nil || d.Discrete() || c.valuesOnly || done[c.form] {
			return
		}
		done[c.form] = os.Getenv("PPL_SLOW") == ""
		for i := -1; i < len(f.Args); i++ {
			g := ad.New()
			p, args, at := g.Const(0.3), c.plated(g, f, 1, false), 0.3
			v := g.Input("v", 3)
			if i < 0 {
				p = v
			} else {
				args[i], at = v, c.args[i][0]
			}
			q := f.Quantile(p, args)
			h := 1e-5 * math.Max(math.Abs(at), 1e-3)
			r := ad.Eval(map[string][]float64{"v": {at - h, at, at + h}}, q, ad.Grad(ad.SumAll(q), v)[0])
			want, got := (r[0][2]-r[0][0])/(2*h), r[1][1]
			if math.IsNaN(got) || !math.IsNaN(want) &&
				!(math.Abs(got-want) <= 1e-5*math.Abs(want)+1e-6*math.Abs(r[0][1])+1e-9) {
				t.Errorf("%s: slope %.10g, difference quotient %.10g", nameOf(f, i), got, want)
			}
		}
	})
}

// TestQuantileEnds checks that p = 0 and p = 1 give the ends of the support, and that p outside 0..1 and arguments
// outside their domains give NaN.
func TestQuantileEnds(t *testing.T) {
	for _, c := range []struct {
		form string
		args []float64
		p    []float64
		want []float64
	}{
		{"Normal(mu, sd)", []float64{0, 1}, []float64{0, 1, -0.1, 1.1, 0.5, math.NaN()},
			[]float64{-inf, inf, math.NaN(), math.NaN(), 0, math.NaN()}},
		{"Normal(mu, sd)", []float64{0, -1}, []float64{0.5}, []float64{math.NaN()}},
		{"Gamma(shape, rate)", []float64{2, 1}, []float64{0, 1}, []float64{0, inf}},
		{"Uniform(lo, hi)", []float64{-1, 3}, []float64{0, 0.25, 1}, []float64{-1, 0, 3}},
		{"Poisson(rate)", []float64{2}, []float64{0, 1, 0.1353352832366127, 0.1354}, []float64{0, inf, 0, 1}}, // e^-2
		{"DiscreteUniform(lo, hi)", []float64{3, 6}, []float64{0, 0.25, 0.26, 0.75, 1}, []float64{3, 3, 4, 5, 6}},
		{"Bernoulli(p)", []float64{0.25}, []float64{0.7, 0.75, 0.76}, []float64{0, 0, 1}},
		{"Binomial(n, p)", []float64{10, 0.5}, []float64{0.5, 1}, []float64{5, 10}},
	} {
		_, f := find(t, c.form)
		g := ad.New()
		args := make([]Node, len(c.args))
		for i, v := range c.args {
			args[i] = g.Const(v)
		}
		for i, got := range ad.Eval(nil, f.Quantile(g.Data("p", c.p, len(c.p)), args))[0] {
			if want := c.want[i]; !near(got, want, 1e-14, 1e-15) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s%v: quantile(%v) = %.17g, want %g", c.form, c.args, c.p[i], got, want)
			}
		}
	}
}
