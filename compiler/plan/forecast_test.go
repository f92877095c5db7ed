package plan_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/plan"
	"ppl/numbers"
)

// TestForecast compares a forecast with the softmax written out here: the density of the observed class and the
// probability of each class, where classes are numbered as in the data. For numeric outcomes it has only densities, and
// for rows with several observations there is no forecast.
func TestForecast(t *testing.T) {
	p := compilertest.Load(t, `data x[N] = [-1, 0.5, 2], label[N]: index(0..2) = [2, 0, 1]
w[k in 0..2] ~ Normal(0, 1)
label[i in N] ~ Categorical(logits = [k in 0..2: w[k] * x[i]])
`)
	f := p.Forecast(2, nil)
	if !slices.Equal(f.Names, []string{"0", "1", "2"}) {
		t.Errorf("classes are %q", f.Names)
	}
	w, x, came := []float64{0.3, -1, 2}, []float64{-1, 0.5, 2}, []int{2, 0, 1}
	inputs, err := f.Inputs(map[string]dataset.Array{"w": {Shape: []int{3}, Values: numbers.Of(w...)}})
	if err != nil {
		t.Fatal(err)
	}
	inputs = maps.Clone(inputs)
	inputs[plan.RowNumbers] = []float64{2, 0}
	out := autodiff.Eval(inputs, f.Densities, f.Classes)
	for i, row := range []int{2, 0} {
		sum := 0.0
		for _, v := range w {
			sum += math.Exp(v * x[row])
		}
		for k, v := range w {
			if want := math.Exp(v*x[row]) / sum; math.Abs(out[1][i*3+k]-want) > 1e-12 {
				t.Errorf("row %d: class %d has probability %g, want %g", row, k, out[1][i*3+k], want)
			}
		}
		if want := w[came[row]]*x[row] - math.Log(sum); math.Abs(out[0][i]-want) > 1e-12 || f.Came[row] != came[row] {
			t.Errorf("row %d: log density %g, want %g; class %d came", row, out[0][i], want, f.Came[row])
		}
	}
	number := compilertest.Load(t, "data y[N] = [1, 2]\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)\n")
	if f := number.Forecast(2, nil); f == nil || f.Came != nil || len(f.Values) != 2 {
		t.Errorf("numbers have the forecast %+v", f)
	}
	two := compilertest.Load(t, "data y[N] = [1, 2], z[N] = [1, 2]\nm ~ Normal(0, 1)\n"+
		"y[i in N] ~ Normal(m, 1)\nz[i in N] ~ Normal(m, 2)\n")
	if two.Forecast(2, nil) != nil {
		t.Error("two observed arrays have a forecast of one")
	}
}

// TestForecastInSingle checks that rounding parameters to single precision changes densities only by rounding errors.
func TestForecastInSingle(t *testing.T) {
	p := compilertest.Load(t, "data x[N] = [-1, 0.5], y[N] = [0.1, 0.2]\nw ~ Normal(0, 1)\n"+
		"y[i in N] ~ Normal(w*x[i], 1)\n")
	density := func(single map[string]bool) float64 {
		f := p.Forecast(1, single)
		inputs, err := f.Inputs(map[string]dataset.Array{"w": {Values: numbers.Of(0.7)}})
		if err != nil {
			t.Fatal(err)
		}
		inputs = maps.Clone(inputs)
		inputs[plan.RowNumbers] = []float64{1}
		return autodiff.Eval(inputs, f.Densities)[0][0]
	}
	exact, rounded := density(nil), density(map[string]bool{"w": true})
	if off := math.Abs(rounded - exact); off == 0 || off > 1e-6 {
		t.Errorf("%.17g in single precision, %.17g in double", rounded, exact)
	}
	if other := density(map[string]bool{"v": true}); other != exact {
		t.Errorf("%.17g with another parameter in single precision, want %.17g", other, exact)
	}
}
