package examples_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"ppl/compiler"
	"ppl/posterior/stats"
)

// truths returns the parameters from which simulate/ drew the data: for every simulated example, the values of each
// parameter, row-major.
func truths(t *testing.T) map[string]map[string][]float64 {
	t.Helper()
	text, err := os.ReadFile("simulate/truth.json")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]map[string][]float64
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// byElement returns the true values by the names of the elements in draws. It fails the test if the program does not
// save a parameter of the truth, or saves it with another size.
func byElement(t *testing.T, p *compiler.Program, truth map[string][]float64) map[string]float64 {
	t.Helper()
	out, found := map[string]float64{}, 0
	for _, v := range p.Saved() {
		values, ok := truth[v.Name]
		if !ok {
			continue
		}
		found++
		if len(values) != v.Size() {
			t.Fatalf("%s has %d elements, the truth %d", v.Name, v.Size(), len(values))
		}
		for i, x := range values {
			out[v.Element(i)] = x
		}
	}
	if found != len(truth) {
		t.Fatalf("the program saves %d of the %d true parameters", found, len(truth))
	}
	return out
}

// TestTruthFits checks that the models save all parameters of the truth, with the same sizes.
func TestTruthFits(t *testing.T) {
	for model, truth := range truths(t) {
		t.Run(model, func(t *testing.T) { byElement(t, load(t, model+".ppl"), truth) })
	}
}

// TestRecover checks that the simulated examples recover the true parameters at default settings: every posterior mean
// is within 4 posterior sds of the truth, R-hat is below 1.01 for all parameters, and the Mahalanobis distance of the
// truth from the mean is at most that of one draw in a thousand from a normal posterior. (Parameters are correlated: in
// `garch` two of four are 2.6 sds off together.)
func TestRecover(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	for model, truth := range truths(t) {
		t.Run(model, func(t *testing.T) {
			p := load(t, model+".ppl")
			recovers(t, sample(t, p, defaults(20260104)), byElement(t, p, truth))
		})
	}
}

func recovers(t *testing.T, draws map[string][][]float64, truth map[string]float64) {
	t.Helper()
	worst, names := 1.0, slices.Sorted(maps.Keys(truth))
	for _, name := range names {
		s := stats.Summarize(draws[name])
		if d := math.Abs(s.Mean-truth[name]) / s.SD; !(d < 4) {
			t.Errorf("%s: %.4g ± %.4g, simulated with %.4g", name, s.Mean, s.SD, truth[name])
		}
		worst = math.Max(worst, s.RHat)
	}
	square := distance(t, draws, names, truth)
	if p := (distuv.ChiSquared{K: float64(len(names))}).Survival(square); !(p > 0.001) {
		t.Errorf("truth at a squared distance of %.0f for %d parameters: a chance of %.2g", square, len(names), p)
	}
	if !(worst < 1.01) {
		t.Errorf("R-hat up to %.4f", worst)
	}
	t.Logf("squared distance %.1f for %d parameters, R-hat up to %.4f", square, len(names), worst)
}

// distance returns the squared Mahalanobis distance of the truth from the draws' mean.
func distance(t *testing.T, draws map[string][][]float64, names []string, truth map[string]float64) float64 {
	t.Helper()
	var flat []float64
	off := mat.NewVecDense(len(names), nil)
	for j, name := range names {
		all := slices.Concat(draws[name]...)
		off.SetVec(j, stat.Mean(all, nil)-truth[name])
		flat = append(flat, all...)
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, mat.NewDense(len(names), len(flat)/len(names), flat).T(), nil)
	var factor mat.Cholesky
	if !factor.Factorize(&covariance) {
		t.Fatal("draws of a singular covariance")
	}
	var solved mat.VecDense
	if err := factor.SolveVecTo(&solved, off); err != nil {
		t.Fatal(err)
	}
	return mat.Dot(off, &solved)
}
