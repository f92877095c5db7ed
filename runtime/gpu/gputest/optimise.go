package gputest

import (
	"context"
	"math"
	"testing"

	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/optimize"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// OptimiserSteps is the number of steps that Optimisers takes from each start.
const OptimiserSteps = 400

// Optimisers compares the points that first-order methods reach on the density of eight schools with those that they
// reach on the host device. path is the file of that model.
func Optimisers(t *testing.T, path string, open func() device.Device) {
	target, ds := compiler.Load(compiler.Request{Path: path})
	if target == nil {
		t.Fatal(ds)
	}
	for _, method := range []string{"adam", "adamw", "sgd"} {
		want, got := ends(t, target, method, host.Device{}), ends(t, target, method, open())
		for k, e := range want {
			for i, x := range e.Theta {
				if math.Abs(got[k].Theta[i]-x) > 1e-6*math.Max(1, math.Abs(x)) {
					t.Errorf("%s, start %d: %v, on the host %v", method, k, got[k].Theta, e.Theta)
					break
				}
			}
		}
	}
}

// ends returns the results of all starts of a search.
func ends(t *testing.T, target infer.Target, method string, d device.Device) []optimize.End {
	t.Helper()
	o := optimize.Defaults()
	o.Method, o.Iterations, o.Seed, o.Device = method, OptimiserSteps, 1, infer.Lowered(d)
	r, err := optimize.Maximize(context.Background(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Ends
}
