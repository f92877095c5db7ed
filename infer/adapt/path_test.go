package adapt

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// skewed returns a correlated normal in five dimensions, with standard deviations from about .01 to 100.
func skewed(t *testing.T) (normal *distmv.Normal, covariance *mat.SymDense) {
	t.Helper()
	random, d := rand.New(rand.NewPCG(1, 2)), 5
	root := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range i + 1 {
			root.Set(i, j, random.NormFloat64()*math.Pow(10, float64(i)-2))
		}
	}
	covariance = mat.NewSymDense(d, nil)
	covariance.SymOuterK(1, root)
	normal, ok := distmv.NewNormal([]float64{3, -2, 0, 100, 7}, covariance, nil)
	if !ok {
		t.Fatal("not a covariance")
	}
	return normal, covariance
}

func evaluator(normal *distmv.Normal) Evaluator {
	return func(at [][]float64) (density []float64, gradient [][]float64, err error) {
		for _, x := range at {
			density = append(density, normal.LogProb(x))
			gradient = append(gradient, normal.ScoreInput(nil, x))
		}
		return density, gradient, nil
	}
}

func standardNormal(draws, dim int) (noise [][]float64) {
	random := rand.New(rand.NewPCG(3, 4))
	for range draws {
		z := make([]float64, dim)
		for j := range z {
			z[j] = random.NormFloat64()
		}
		noise = append(noise, z)
	}
	return noise
}

// follow climbs a path to its end.
func follow(t *testing.T, start []float64, noise [][]float64, evaluate Evaluator) *Path {
	t.Helper()
	p := NewPath(start, noise, nil)
	for !p.Done {
		density, gradient, err := evaluate([][]float64{p.X})
		if err != nil {
			t.Fatal(err)
		}
		p.Report(density[0], gradient[0])
		if at := p.Draws(); at != nil {
			density, _, _ := evaluate(at)
			p.Score(density)
		}
	}
	return &p
}

// TestPathToNormal checks that a path and Newton steps find the mean and the covariance of a normal target, and that
// the evidence lower bound and the roughness of the fit are 0.
func TestPathToNormal(t *testing.T) {
	normal, covariance := skewed(t)
	evaluate, noise := evaluator(normal), standardNormal(16, 5)
	p := follow(t, []float64{1e3, 1, 1, -1, 1}, noise, evaluate)
	if p.Fit.Mean == nil {
		t.Fatal("the path fitted nothing")
	}
	best := p.Fit
	for n := NewNewton(best.At); !n.Done; {
		fit, err := n.Step(noise, evaluate)
		if err != nil {
			t.Fatal(err)
		}
		if fit.Bound > best.Bound {
			best = fit
		}
	}
	if math.Abs(best.Bound) > 1e-3 || best.Rough > 1e-3 {
		t.Errorf("after %d gradients the bound is %.3g and roughness %.3g, want 0", p.Evaluations, best.Bound,
			best.Rough)
	}
	for i, mean := range normal.Mean(nil) {
		sd := math.Sqrt(covariance.At(i, i))
		if math.Abs(best.Mean[i]-mean) > 1e-3*sd {
			t.Errorf("mean %d is %v, want %v", i, best.Mean[i], mean)
		}
		for j := range i + 1 {
			limit := 1e-3 * sd * math.Sqrt(covariance.At(j, j))
			if got, want := best.Spread[5*i+j], covariance.At(i, j); math.Abs(got-want) > limit {
				t.Errorf("covariance %d, %d is %v, want %v", i, j, got, want)
			}
		}
	}
	m, ok := Identity(5).OfFit(best)
	if l := mat.NewDense(5, 5, m.Factor); !ok || math.Abs(mat.Det(l)/math.Sqrt(mat.Det(covariance))-1) > 1e-3 {
		t.Errorf("the metric has the determinant %v, want %v", mat.Det(l), math.Sqrt(mat.Det(covariance)))
	}
}

// TestScore checks the evidence lower bound of N(m, s²) for the target N(0, 1), −½(s² + m² − 1) + log s (Bishop 2006,
// section 1.6.1), within four standard errors.
func TestScore(t *testing.T) {
	noise := standardNormal(20_000, 1)
	for _, c := range []struct{ mean, sd float64 }{{0, 1}, {0.5, 1}, {0, 0.3}, {-1, 2}} {
		fit := Fit{Mean: []float64{c.mean}, Spread: Covariance{c.sd * c.sd}}
		var density []float64
		for _, x := range fit.Draws(noise) {
			density = append(density, -x[0]*x[0]/2-math.Log(2*math.Pi)/2)
		}
		fit.Score(noise, density)
		want := -(c.sd*c.sd+c.mean*c.mean-1)/2 + math.Log(c.sd)
		if math.Abs(fit.Bound-want) > 4*fit.Rough/math.Sqrt(20_000)+1e-9 {
			t.Errorf("N(%v, %v²): bound %.4f, want %.4f", c.mean, c.sd, fit.Bound, want)
		}
	}
}

func TestDensityOfFit(t *testing.T) {
	normal, covariance := skewed(t)
	fit := Fit{Mean: normal.Mean(nil), Spread: make(Covariance, 25)}
	for i := range 5 {
		for j := range 5 {
			fit.Spread[5*i+j] = covariance.At(i, j)
		}
	}
	density, ok := fit.Density()
	if !ok {
		t.Fatal("no density")
	}
	for _, x := range [][]float64{{0, 0, 0, 0, 0}, {3, -2, 0, 100, 7}, {3.01, -2.1, 1, 90, 100}} {
		if got, want := density.Log(x), normal.LogProb(x); math.Abs(got-want) > 1e-8*math.Abs(want) {
			t.Errorf("log density %v, want %v", got, want)
		}
	}
}

// TestFitWhereDensityCurvesUpwards checks that a fit uses the absolute value of the curvature, so the Newton step goes
// uphill.
func TestFitWhereDensityCurvesUpwards(t *testing.T) {
	fit, ok := FitAt([]float64{1, 1}, []float64{2, -3}, mat.NewSymDense(2, []float64{-4, 0, 0, 0.5}))
	if !ok || math.Abs(fit.Mean[0]-1.5) > 1e-12 || math.Abs(fit.Mean[1]+5) > 1e-12 {
		t.Errorf("the mean is %v, want [1.5 -5]", fit.Mean)
	}
}

// TestPathEnds checks that a path ends if the density at its start is 0, or if it is NaN beyond a point to which it
// rises.
func TestPathEnds(t *testing.T) {
	nowhere := func(at [][]float64) ([]float64, [][]float64, error) {
		return []float64{math.Inf(-1)}, [][]float64{{0}}, nil
	}
	cliff := func(at [][]float64) (density []float64, gradient [][]float64, err error) {
		for _, x := range at {
			d := x[0]
			if d > 1 {
				d = math.NaN()
			}
			density, gradient = append(density, d), append(gradient, []float64{1})
		}
		return density, gradient, nil
	}
	for name, evaluate := range map[string]Evaluator{"nowhere": nowhere, "cliff": cliff} {
		if p := follow(t, []float64{0}, standardNormal(3, 1), evaluate); p.Evaluations > pathEvaluations {
			t.Errorf("%s: %d evaluations", name, p.Evaluations)
		}
	}
}
