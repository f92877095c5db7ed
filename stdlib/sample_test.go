package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat"
)

const draws = 4000

// kolmogorov returns √n sup |F_n − F|. For a discrete distribution it compares before and after the ties at each value.
// The result exceeds 2.6 with probability 2exp(−2·2.6²) = 2.7e-6 for a continuous distribution, and less for a discrete
// one.
func kolmogorov(x []float64, l numericLaw) float64 {
	sort.Float64s(x)
	worst, n := 0.0, float64(len(x))
	for i, v := range x {
		f := l.at(v)
		if below := float64(i) / n; !l.discrete {
			worst = math.Max(worst, f-below)
		} else if i == 0 || x[i-1] < v {
			worst = math.Max(worst, math.Abs(l.at(v-1)-below))
		}
		if i+1 == len(x) || x[i+1] > v {
			worst = math.Max(worst, math.Abs(float64(i+1)/n-f))
		}
	}
	return worst * math.Sqrt(n)
}

// TestSample compares samplers with densities: by Kolmogorov's distance, at most 2.6, for scalar distributions, and by
// means and covariances, within 4.5 standard errors, for vectors.
func TestSample(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		switch {
		case scalarLaw(c, d):
			x := c.sample(f, 1)
			if k := kolmogorov(flatten(x), c.law(d, f)); k > 2.6 {
				t.Errorf("Kolmogorov distance times √n is %.2f", k)
			}
		case c.mean != nil:
			if worst := c.moments(c.sample(f, len(c.mean))); worst > 4.5 {
				t.Errorf("a mean or covariance is off by %.1f standard errors", worst)
			}
		}
	})
}

func (c distCase) sample(f *Form, size int) [][]float64 {
	r := rand.New(rand.NewPCG(20, 7))
	x := make([][]float64, draws)
	for i := range x {
		x[i] = make([]float64, size)
		f.Sample(r, c.args, x[i])
	}
	return x
}

// moments returns the largest deviation of a mean or a covariance from the reference, in standard errors.
func (c distCase) moments(x [][]float64) float64 {
	worst, m := 0.0, len(c.mean)
	for i := range m {
		worst = math.Max(worst, deviation(x, func(v []float64) float64 { return v[i] }, c.mean[i]))
		for j := range m {
			product := func(v []float64) float64 { return (v[i] - c.mean[i]) * (v[j] - c.mean[j]) }
			worst = math.Max(worst, deviation(x, product, c.cov[i*m+j]))
		}
	}
	return worst
}

func deviation(x [][]float64, of func([]float64) float64, want float64) float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = of(v)
	}
	mean, sd := stat.MeanStdDev(y, nil)
	return math.Abs(mean-want) / (sd/math.Sqrt(float64(len(y))) + 1e-12)
}

// TestPlantedSampler checks that samplers with a wrong location, scale or correlation fail the same comparisons in some
// case.
func TestPlantedSampler(t *testing.T) {
	faults := map[string]func(x []float64){
		"Normal(mu, sd)":                     func(x []float64) { x[0] *= 1.3 },
		"Gamma(shape, rate)":                 func(x []float64) { x[0] *= 1.2 },
		"Poisson(rate)":                      func(x []float64) { x[0]++ },
		"Beta(a, b)":                         func(x []float64) { x[0] *= x[0] },
		"Dirichlet(concentration)":           func(x []float64) { x[0], x[1] = x[1], x[0] },
		"MvNormal(mu, cov)":                  func(x []float64) { x[1] = -2 - x[1] },
		"InverseGaussian(mean, shape)":       func(x []float64) { x[0] = 1 / x[0] },
		"ZeroInflatedPoisson(gate, rate)":    func(x []float64) { x[0] = math.Max(x[0], 1) },
		"UniformDirection()":                 func(x []float64) { x[0] = math.Abs(x[0]) },
		"GaussianRandomWalk(drift, scale)":   func(x []float64) { x[1] -= x[0] / 2 },
		"InverseWishart(nu, scale)":          func(x []float64) { x[0] *= 1.2 },
		"MatrixNormal(mu, row_cov, col_cov)": func(x []float64) { x[1], x[2] = x[2], x[1] },
	}
	for form, fault := range faults {
		if d, f := find(t, form); !caught(form, d, f, fault) {
			t.Errorf("a wrong sampler of %s was not caught", form)
		}
	}
}

func caught(form string, d *Dist, f *Form, fault func(x []float64)) bool {
	for _, c := range distCases {
		if c.form != form || c.valuesOnly || d.Event > 0 && c.mean == nil {
			continue
		}
		x := c.sample(f, max(1, len(c.mean)))
		for i := range x {
			fault(x[i])
		}
		if scalarLaw(c, d) && kolmogorov(flatten(x), c.law(d, f)) > 2.6 || !scalarLaw(c, d) && c.moments(x) > 4.5 {
			return true
		}
	}
	return false
}

// TestHugeRates checks that counts with a rate beyond the exact integers, or an infinite rate, can be drawn; they may
// be +Inf.
func TestHugeRates(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, c := range []struct {
		form string
		args [][]float64
		rate float64
	}{
		{"Poisson(rate)", [][]float64{{1e18}}, 1e18}, {"Poisson(log)", [][]float64{{800}}, inf},
		{"ZeroInflatedPoisson(gate, log)", [][]float64{{0}, {800}}, inf},
		{"ZeroInflatedPoisson(gate, rate)", [][]float64{{0}, {1e300}}, 1e300}, {"NegBinomial(log, size)",
			[][]float64{{800}, {1e9}}, inf},
	} {
		_, f := find(t, c.form)
		out := make([]float64, 1)
		if f.Sample(r, c.args, out); !near(out[0], c.rate, 1e-3, 0) {
			t.Errorf("%s%v: %g", c.form, c.args, out[0])
		}
	}
}

// TestSampleAtExtremes checks that for all arguments of a scalar distribution, drawing terminates without a panic. The
// draw is NaN if an argument is outside its domain.
func TestSampleAtExtremes(t *testing.T) {
	extremes := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 5e-324, 1e-300, 0.5, 3, 1e18, 1e300}
	for name, d := range Dists() {
		for i, f := range d.Forms {
			if f.Sample == nil || d.Event > 0 || slices.ContainsFunc(f.Args, func(a Arg) bool { return a.Rank > 0 }) {
				continue
			}
			eachTuple(extremes, len(f.Args), func(tuple []float64) {
				args, out := make([][]float64, len(tuple)), make([]float64, 1)
				for k := range tuple {
					args[k] = tuple[k : k+1]
				}
				f.Sample(rand.New(rand.NewPCG(1, 1)), args, out)
				if !defined(f.Args, args) && !math.IsNaN(out[0]) {
					t.Errorf("%s, form %d: a draw given %v is %v, want NaN", name, i, tuple, out[0])
				}
			})
		}
	}
}

// eachTuple visits all tuples of n of some values.
func eachTuple(of []float64, n int, visit func(tuple []float64)) {
	tuple := make([]float64, n)
	var from func(k int)
	from = func(k int) {
		if k == n {
			visit(tuple)
			return
		}
		for _, tuple[k] = range of {
			from(k + 1)
		}
	}
	from(0)
}

// TestManyCounts checks means and variances of large counts, which have another algorithm, within 4.5 standard errors.
// The comparison must fail for twice the variance.
func TestManyCounts(t *testing.T) {
	for _, args := range [][]float64{{2e7, 5, 3e7}, {2e7, 3e7, 5}, {3e7, 1.5e7, 15e6 + 9}, {4e15, 5e15, 5e15},
		{2e12, 2e12, 1e24}, {1e15, 0.3}, {1e15, 2e-12}, {1e15, 1 - 2e-12}} {
		f, want, variance := Dists()["Binomial"].Forms[0], args[0]*args[1], args[0]*args[1]*(1-args[1])
		if len(args) == 3 {
			all := args[1] + args[2]
			f, want = Dists()["Hypergeometric"].Forms[0], args[0]/all*args[1]
			variance = want * (args[2] / all) * (all - args[0]) / (all - 1)
		}
		a := make([][]float64, len(args))
		for i := range a {
			a[i] = args[i : i+1]
		}
		x := flatten(distCase{args: a}.sample(&f, 1))
		mean, sd := stat.MeanStdDev(x, nil)
		n := float64(len(x))
		kurtosis := 2 + 1/variance // of a Poisson distribution, the largest of these, less the 1 of the square
		if z := (mean - want) / math.Sqrt(variance/n); math.Abs(z) > 4.5 {
			t.Errorf("%v: the mean is off by %.1f standard errors", args, z)
		}
		error := variance * math.Sqrt(kurtosis/n)
		if z := (sd*sd - variance) / error; math.Abs(z) > 4.5 {
			t.Errorf("%v: the variance is off by %.1f standard errors", args, z)
		}
		if z := variance / error; z < 4.5 {
			t.Errorf("%v: twice the variance is off by %.1f standard errors only", args, z)
		}
	}
}
