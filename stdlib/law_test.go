package stdlib

import (
	"math"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/integrate"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// A numericLaw has the cumulative probabilities of a scalar distribution at increasing points, computed from its
// density only: by sums for discrete distributions, and for continuous ones by the trapezoid rule on unconstrained
// coordinates u = centre + scale·sinh t. There the rule converges geometrically for the whole integral, and to about
// 1e-6 for parts of it.
type numericLaw struct {
	discrete bool
	x, cum   []float64
	total    float64
}

func (c distCase) law(d *Dist, f *Form) numericLaw {
	if d.Discrete() {
		return c.discreteLaw(d, f)
	}
	return c.continuousLaw(d, f)
}

func (c distCase) discreteLaw(d *Dist, f *Form) numericLaw {
	lo, hi := c.ends(d, f)
	hi = math.Min(hi, lo+20000)
	var xs []float64
	for x := lo; x <= hi; x++ {
		xs = append(xs, x)
	}
	l := numericLaw{discrete: true, x: xs, cum: make([]float64, len(xs))}
	for i, lp := range c.logProbs(d, f, singles(xs), false) {
		l.total += math.Exp(lp)
		l.cum[i] = l.total
	}
	return l
}

const step = 0.005

func (c distCase) continuousLaw(d *Dist, f *Form) numericLaw {
	lo, hi := c.ends(d, f)
	centre, scale, reach := c.grid(d, f, lo, hi)
	var ts, us []float64
	for t := -reach; t <= reach; t += step {
		ts, us = append(ts, t), append(us, centre+scale*math.Sinh(t))
	}
	xs, logJac := constrained(d.Support, us, lo, hi)
	p := make([]float64, len(us))
	for i, lp := range c.logProbs(d, f, singles(xs), false) {
		if lo < xs[i] && xs[i] < hi {
			p[i] = math.Exp(lp+logJac[i]) * scale * math.Cosh(ts[i])
		}
	}
	l := numericLaw{x: xs, cum: make([]float64, len(xs)), total: integrate.Trapezoidal(ts, p)}
	for i := 1; i < len(p); i++ {
		l.cum[i] = l.cum[i-1] + step*(p[i]+p[i-1])/2
	}
	return l
}

// grid chooses points that cover the mass. For a distribution on the line, the first reference point is the location,
// and the second is one scale away. On an interval, the reference point with the highest density is the centre.
func (c distCase) grid(d *Dist, f *Form, lo, hi float64) (centre, scale, reach float64) {
	if d.Support == types.RealLine {
		return c.at[0].x[0], math.Abs(c.at[1].x[0] - c.at[0].x[0]), 40
	}
	best := -inf
	for _, p := range c.at {
		u := freeScalar(p.x[0], lo, hi)
		if math.IsInf(u, 0) {
			continue
		}
		if _, j := constrained(d.Support, []float64{u}, lo, hi); p.logProb+j[0] > best {
			best, centre = p.logProb+j[0], u
		}
	}
	return centre, 1, 8
}

func constrained(k types.Kind, us []float64, lo, hi float64) (x, logJac []float64) {
	g := ad.New()
	xn, jn := TransformOf(k).Constrain(g.Data("u", us, len(us)), nil, finite(g.Const(0), lo), finite(g.Const(0), hi))
	r := ad.Eval(nil, xn, jn)
	return r[0], r[1]
}

// at returns P(X ≤ x).
func (l numericLaw) at(x float64) float64 {
	i := sort.SearchFloat64s(l.x, x)
	switch {
	case i < len(l.x) && l.x[i] == x:
		return l.cum[i]
	case i == 0:
		return 0
	case i == len(l.x):
		return l.cum[i-1]
	case l.discrete:
		return l.cum[i-1]
	}
	w := (x - l.x[i-1]) / (l.x[i] - l.x[i-1])
	return l.cum[i-1] + w*(l.cum[i]-l.cum[i-1])
}

func scalarLaw(c distCase, d *Dist) bool { return d.Event == 0 && !d.Improper && !c.valuesOnly }

// TestNormalised checks that densities of scalar distributions integrate to 1 within 3e-6, which is the rule's error
// h²/12 at the kink of Laplace, and that probabilities add up to 1 within 1e-8, which is the probability beyond 20,000
// values of Geometric(0.001).
func TestNormalised(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if !scalarLaw(c, d) {
			return
		}
		l, tol := c.law(d, f), 3e-6
		if l.discrete {
			tol = 1e-8
		}
		if math.Abs(l.total-1) > tol {
			t.Errorf("the density integrates to %.12g", l.total)
		}
	})
}

// TestTails compares log P(X ≤ x) and log P(X > x) with the reference values within a relative error of 1e-11, or 1e-12
// for sums of probabilities, and with the interpolated integral of the density within 2e-5. A form with cumulative
// functions must have reference values.
func TestTails(t *testing.T) {
	checked := map[string]bool{}
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		checked[c.form] = checked[c.form] || len(c.cdf) > 0 || f.LogCDF == nil
		if f.LogCDF == nil || len(c.cdf) == 0 {
			return
		}
		l, same := c.law(d, f), sameTail
		if isSum(c.form) {
			same = sameProbability
		}
		for _, p := range c.cdf {
			for _, whole := range []bool{false, true} {
				g := ad.New()
				x, args := g.Data("x", []float64{p.x}, 1), c.plated(g, f, 1, whole)
				r := ad.Eval(nil, f.LogCDF(x, args), f.LogCCDF(x, args))
				if cdf, ccdf := r[0][0], r[1][0]; !same(cdf, p.logCDF) || !same(ccdf, p.logCCDF) {
					t.Errorf("at %g: %.17g, %.17g; reference %.17g, %.17g", p.x, cdf, ccdf, p.logCDF, p.logCCDF)
				}
			}
			if got := l.at(p.x); !c.valuesOnly && math.Abs(got-math.Exp(p.logCDF)) > 2e-5 {
				t.Errorf("P(X ≤ %g) = %g, integral of the density %g", p.x, math.Exp(p.logCDF), got)
			}
		}
	})
	for form, ok := range checked {
		if !ok {
			t.Errorf("%s has cumulative functions and no reference values for them", form)
		}
	}
}

// TestTailsBeyondEnds checks that P(X ≤ x) is 0 below the support of a continuous distribution and 1 above it.
func TestTailsBeyondEnds(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if f.LogCDF == nil || d.Support != types.Interval {
			return
		}
		lo, hi := c.ends(d, f)
		g := ad.New()
		args := c.plated(g, f, 1, false)
		below, above := g.Const(lo-1), g.Const(hi+1)
		r := ad.Eval(nil, f.LogCDF(below, args), f.LogCCDF(below, args), f.LogCCDF(above, args), f.LogCDF(above, args))
		for i, want := range []float64{-inf, 0, -inf, 0} {
			if got := r[i][0]; got != want {
				t.Errorf("beyond %g..%g: %g, want %g", lo, hi, r, want)
			}
		}
	})
}

func sameTail(got, want float64) bool { return near(got, want, 1e-11, 0) }

func sameProbability(got, want float64) bool {
	return near(math.Exp(got), math.Exp(want), 1e-11, 1e-12)
}

// isSum reports whether a form's row has no closed cumulative function, so that probabilities are added up.
func isSum(form string) bool {
	for _, d := range slices.Concat(countDists, mixedDists, finiteDists) {
		for i := range d.Forms {
			if formKey(&d, &d.Forms[i]) == form {
				return d.Forms[i].LogCDF == nil && d.Forms[i].both == nil
			}
		}
	}
	return false
}

// TestTailSlopes checks that the derivatives of log P(X ≤ x) and log P(X > x) are ± the density divided by the
// probability, within 1e-9, also at points at which formulas change.
func TestTailSlopes(t *testing.T) {
	for _, c := range []struct {
		form string
		args []float64
		at   []float64
	}{
		{"GeneralizedNormal(loc, scale, shape)", []float64{1, 2, 1.5}, []float64{1, 1 + 1e-9, 0.3, -4}},
		{"GeneralizedNormal(loc, scale, shape)", []float64{0, 1, 8}, []float64{0, 0.5, -0.9}},
		{"ExpModNormal(mu, sd, rate)", []float64{0, 1, 0.3}, []float64{-40, -30, -3, 0, 2}},
		{"VonMises(mu, kappa)", []float64{0, 2}, []float64{-3, 0, 1, 3}},
		{"StudentT(nu, mu, sd)", []float64{3, 0, 1}, []float64{-2, 0, 1}},
	} {
		d, f := find(t, c.form)
		g := ad.New()
		x := g.Input("x")
		args := make([]Node, len(c.args))
		for i, v := range c.args {
			args[i] = g.Const(v)
		}
		lower, upper := f.LogCDF(x, args), f.LogCCDF(x, args)
		for _, at := range c.at {
			r := ad.Eval(map[string][]float64{"x": {at}}, f.LogProb(x, args), lower, upper, ad.Grad(lower, x)[0],
				ad.Grad(upper, x)[0])
			for i, sign := range []float64{1, -1} {
				if got, want := r[3+i][0], sign*math.Exp(r[0][0]-r[1+i][0]); !near(got, want, 1e-9, 0) {
					t.Errorf("%s%v at %g: slope %.15g, want %.15g", d.Name, c.args, at, got, want)
				}
			}
		}
	}
}

// TestPowerAtZero checks that x^y has the derivatives y x^(y−1) in x and 0 in y at x = 0.
func TestPowerAtZero(t *testing.T) {
	for _, c := range []struct{ y, value, slope float64 }{{0, 1, 0}, {0.5, 0, inf}, {1, 0, 1}, {2, 0, 0}, {3, 0, 0}} {
		g := ad.New()
		x := g.Input("x")
		p := ad.Pow(x, g.Const(c.y))
		if r := ad.Eval(map[string][]float64{"x": {0}}, p, ad.Grad(p, x)[0]); r[0][0] != c.value || r[1][0] != c.slope {
			t.Errorf("0^%g = %g with slope %g", c.y, r[0][0], r[1][0])
		}
		y := g.Input("y")
		p = ad.Pow(x, y)
		if r := ad.Eval(map[string][]float64{"x": {0}, "y": {c.y}}, p, ad.Grad(p, y)[0]); r[0][0] != c.value ||
			r[1][0] != 0 {
			t.Errorf("0^%g = %g with slope %g in the exponent", c.y, r[0][0], r[1][0])
		}
	}
}
