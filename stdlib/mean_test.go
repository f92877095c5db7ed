package stdlib

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestMeans compares means with averages of draws, within 4.5 standard errors. Distributions with infinite variance
// have a larger tolerance.
func TestMeans(t *testing.T) {
	const many = 20000
	compared := 0
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if f.Mean == nil || d.Name == "VonMises" {
			return
		}
		size := max(1, len(c.mean))
		if d.Event > 0 && len(c.mean) == 0 {
			return
		}
		want, out := make([]float64, size), make([]float64, size)
		f.Mean(c.args, want)
		r := rand.New(rand.NewPCG(5, 9))
		x := make([][]float64, size)
		for range many {
			f.Sample(r, c.args, out)
			for k, v := range out {
				x[k] = append(x[k], v)
			}
		}
		for k := range x {
			mean, variance := stat.MeanVariance(x[k], nil)
			if math.IsInf(want[k], 0) || math.IsNaN(want[k]) {
				continue
			}
			compared++
			if !(math.Abs(mean-want[k]) <= 4.5*math.Sqrt(variance/many)+1e-12*math.Abs(mean)+1e-15) {
				t.Errorf("element %d has the mean %.6g, and draws %.6g ± %.2g", k+1, want[k], mean,
					math.Sqrt(variance/many))
			}
		}
	})
	if compared < 60 {
		t.Errorf("only %d means are compared", compared)
	}
}

// TestMeanForms checks that if one form of a distribution has a mean, all forms have one.
func TestMeanForms(t *testing.T) {
	for name, d := range Dists() {
		with := 0
		for _, f := range d.Forms {
			if f.Mean != nil || f.Share != nil {
				with++
			}
		}
		if with != 0 && with != len(d.Forms) {
			t.Errorf("%d of the %d forms of %s have a mean", with, len(d.Forms), name)
		}
	}
}

// TestShares checks that the probabilities of categories agree with the density.
func TestShares(t *testing.T) {
	compared := 0
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if f.Share == nil {
			return
		}
		for _, p := range c.at {
			compared++
			if got := f.Share(c.args, int(p.x[0])); !(math.Abs(got-math.Exp(p.logProb)) < 1e-12) {
				t.Errorf("P(X = %g) is %g, and the density %g", p.x[0], got, math.Exp(p.logProb))
			}
		}
	})
	if compared < 4 {
		t.Errorf("only %d probabilities are compared", compared)
	}
}

// TestInfiniteMeans checks the parameter values from which on there is no finite mean.
func TestInfiniteMeans(t *testing.T) {
	for _, c := range []struct {
		name string
		args []float64
	}{
		{"InverseGamma", []float64{1, 2}}, {"Pareto", []float64{1, 0.8}}, {"GeneralizedPareto", []float64{0, 1, 1}},
		{"GeneralizedExtremeValue", []float64{0, 1, 1}}, {"HalfStudentT", []float64{1, 2}},
		{"StudentT", []float64{1, 0, 1}},
		{"LogLogistic", []float64{1, 1}}, {"Frechet", []float64{1, 1}}, {"ParetoType2", []float64{0, 1, 1}},
	} {
		args, out := make([][]float64, len(c.args)), make([]float64, 1)
		for i, a := range c.args {
			args[i] = []float64{a}
		}
		if Dists()[c.name].Forms[0].Mean(args, out); !math.IsInf(out[0], 1) && !math.IsNaN(out[0]) {
			t.Errorf("%s at %v has the mean %v", c.name, c.args, out[0])
		}
	}
}

// TestCompoundMeans compares means of mixtures and hurdles with averages of draws.
func TestCompoundMeans(t *testing.T) {
	part := func(name string, form int) Part {
		d := Dists()[name]
		return Part{d, &d.Forms[form]}
	}
	poisson, gamma, normal := part("Poisson", 0), part("Gamma", 2), part("Normal", 0)
	for _, c := range []struct {
		name string
		of   func() (*Dist, *Form, error)
		args []float64
	}{
		{"hurdle of counts", func() (*Dist, *Form, error) { return Hurdle(poisson) }, []float64{0.3, 0.8}},
		{"hurdle of gamma", func() (*Dist, *Form, error) { return Hurdle(gamma) }, []float64{0.3, 2, 3}},
		{"zero-inflated", func() (*Dist, *Form, error) { return ZeroInflated(poisson) }, []float64{0.3, 0.8}},
		{"mixture", func() (*Dist, *Form, error) { return Mixture([]Part{normal, normal}, true) },
			[]float64{0.2, -1, 1, 3, 2}},
	} {
		_, f, err := c.of()
		if err != nil {
			t.Fatal(err)
		}
		args := make([][]float64, len(c.args))
		for i, a := range c.args {
			args[i] = []float64{a}
		}
		const many = 20000
		r, out, x := rand.New(rand.NewPCG(3, 4)), make([]float64, 1), make([]float64, many)
		for i := range x {
			f.Sample(r, args, out)
			x[i] = out[0]
		}
		f.Mean(args, out)
		if mean, variance := stat.MeanVariance(x, nil); !(math.Abs(mean-out[0]) <= 4.5*math.Sqrt(variance/many)) {
			t.Errorf("%s has the mean %.5g, and draws %.5g ± %.2g", c.name, out[0], mean, math.Sqrt(variance/many))
		}
	}
}
