package renhd

import (
	"math"
	"slices"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestEnergyAtTemperatureOne checks the energies of a normal target, with and without a ladder: above their minimum
// they have the distribution χ²(2·dim)/2, and walkers that have just come from other temperatures do not change this.
// The number of steps of a thinned draw must include all iterations.
func TestEnergyAtTemperatureOne(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	const dim = 4
	for _, rungs := range []int{1, 4} {
		o, m := renhdtest.Options(3), new(dynamicstest.Memory)
		o.Draws, o.Thin, o.Settings = 1000, 2, infer.Settings{Replicas: rungs, Ratio: 2, Path: "energy", Steps: 5}
		report, err := Sample(t.Context(), dynamicstest.Normal(1, 2, 3, 4), o, m)
		if err != nil {
			t.Fatal(err)
		}
		if rungs > 1 && slices.Max(report.SwapRates) < 0.2 {
			t.Errorf("swap rates %v, want above .2", report.SwapRates)
		}
		var w stats.Workspace
		energy, lp := w.Summarize(m.Stat("energy")), w.Summarize(m.Stat("lp"))
		off := energy.Mean + lp.Mean - dim/2. // dim/2 is the mean kinetic energy
		if bound := 5 * math.Hypot(energy.MCSEMean, lp.MCSEMean); math.Abs(off) > bound {
			t.Errorf("%d rungs: the mean error of energies is %.3f, bound %.3f", rungs, off, bound)
		}
		if want := math.Sqrt(dim); math.Abs(energy.SD-want) > .15*want {
			t.Errorf("%d rungs: energies have the standard deviation %.3f, want %.3f", rungs, energy.SD, want)
		}
		for _, steps := range slices.Concat(m.Stat("n_steps")...) {
			if steps != 10 {
				t.Fatalf("%v steps since the draw before, want 2 iterations of 5", steps)
			}
		}
	}
}

// TestEstimatesHaveNamesOfTheirOwn checks that with minibatches the densities have the names of estimates, and that no
// energies are stored.
func TestEstimatesHaveNamesOfTheirOwn(t *testing.T) {
	o, m := renhdtest.Options(3), new(dynamicstest.Memory)
	o.Draws, o.Warmup, o.Settings = 5, 100, infer.Settings{Batch: 8, Replicas: 1}
	target, _, _ := dynamicstest.Means(renhdtest.Normals(100))
	if _, err := Sample(t.Context(), target, o, m); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"lp": false, "log_lik": false, "energy": false, "lp_estimate": true,
		"log_lik_estimate": true, "diverging": true} {
		if got := m.Stat(name) != nil; got != want {
			t.Errorf("%s is stored: %v, want %v", name, got, want)
		}
	}
}
