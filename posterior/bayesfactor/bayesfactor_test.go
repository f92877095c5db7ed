package bayesfactor

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"ppl/lang/types"
	"ppl/posterior/evidence"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// runWith stores a run without draws that observes these values.
func runWith(t *testing.T, name string, values ...float64) *store.Run {
	t.Helper()
	y := types.Variable{Name: "y", Shape: []int{len(values)}, Dims: []string{"N"}}
	dir := filepath.Join(t.TempDir(), name)
	w, err := store.Create(files.Disk{}, dir, store.Layout{Chains: 1, Posterior: []types.Variable{{Name: "mu"}},
		Observed: []store.Observed{{Variable: y, Values: values}}}, store.Options{Model: "m.ppl", Sampler: "nuts"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(store.Finished, nil); err != nil {
		t.Fatal(err)
	}
	run, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func byMixture(logZ, se float64) evidence.Results {
	var r evidence.Results
	r.Mixture.LogZ, r.Mixture.SE, r.Mixture.RHat, r.Mixture.Halves = logZ, se, 1, [2]float64{logZ, logZ}
	return r
}

// TestCompare checks that models are sorted by evidence whatever the order of the runs. With log evidences of −10 and
// −12 the first model has the probability 1 / (1 + e⁻²), and the variance of a log Bayes factor is the sum of both
// variances.
func TestCompare(t *testing.T) {
	a, b := runWith(t, "a.run", 1, 2, math.NaN()), runWith(t, "b.run", 1, 2, math.NaN())
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		runs, results := []*store.Run{a, b}, []evidence.Results{byMixture(-12, .04), byMixture(-10, .03)}
		all, err := Compare([]*store.Run{runs[order[0]], runs[order[1]]},
			[]evidence.Results{results[order[0]], results[order[1]]})
		if err != nil {
			t.Fatal(err)
		}
		if all[0].Dir != b.Dir {
			t.Errorf("%s is first", all[0].Dir)
		}
		if p := all.Probabilities(); math.Abs(p[0]-1/(1+math.Exp(-2))) > 1e-12 || math.Abs(p[0]+p[1]-1) > 1e-12 {
			t.Errorf("probabilities %v", p)
		}
		if log, se := all.BayesFactor(1); math.Abs(log-2) > 1e-12 || math.Abs(se-.05) > 1e-12 {
			t.Errorf("the log Bayes factor is %v ± %v", log, se)
		}
		var text bytes.Buffer
		if err := all.Text(&text, 80); err != nil || !strings.Contains(text.String(), "0.881") {
			t.Errorf("%v\n%s", err, text.String())
		}
	}
}

// TestOtherDataAreRefused checks that runs with different values are not compared.
func TestOtherDataAreRefused(t *testing.T) {
	a, two := runWith(t, "a.run", 1, 2), []evidence.Results{byMixture(-1, .1), byMixture(-2, .1)}
	for _, values := range [][]float64{{1, 3}, {2, 1}, {1, math.NaN()}, {1, 2, 3}} {
		_, err := Compare([]*store.Run{a, runWith(t, "b.run", values...)}, two)
		if !errors.As(err, new(quantities.Unusable)) {
			t.Errorf("%v: %v", values, err)
		}
	}
}
