package examples_test

import (
	"context"
	"math"
	"testing"

	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/optimize"
	"ppl/runtime/host"
)

// TestModes compares modes and Laplace standard deviations of two examples, on the scale of the parameters, with SciPy:
// densities are written in NumPy and scipy.stats and maximised by scipy.optimize (Newton's method; Nelder-Mead to
// 1e-11). Hessians are exact for the logistic regression, and by central differences for the other model. The tolerance
// is five digits for modes, and four for standard deviations.
func TestModes(t *testing.T) {
	for model, want := range map[string]struct{ mode, sd []float64 }{
		"challenger.ppl": {[]float64{-1.0888713, -0.22872453}, []float64{0.57106938, 0.10621986}},
		"stackloss.ppl": {[]float64{17.23795344, 7.78611895, 1.59260481, -0.40302702, 1.02634615, 1.303034},
			[]float64{0.31212855, 0.51145615, 0.47938092, 0.30796951, 0.43319031, 0.63154421}},
	} {
		for _, method := range []string{"lbfgs", "adam", "sgd"} {
			o := optimize.Defaults()
			o.Method, o.Device, o.Seed = method, infer.Lowered(host.Device{}), 1
			if method == "sgd" {
				o.Iterations = 20000 // one rate for all coordinates
			}
			r, err := optimize.Maximize(context.Background(), compiler.OwnScale{Program: load(t, model)}, o)
			if err != nil || !r.Converged {
				t.Fatalf("%s by %s: %v, %s", model, method, err, r.Message)
			}
			for i := range want.mode {
				if math.Abs(r.Values[i]/want.mode[i]-1) > 1e-5 || math.Abs(r.SD[i]/want.sd[i]-1) > 1e-4 {
					t.Errorf("%s by %s: element %d is %.8g ± %.8g, want %.8g ± %.8g", model, method, i, r.Values[i],
						r.SD[i], want.mode[i], want.sd[i])
				}
			}
		}
	}
}
