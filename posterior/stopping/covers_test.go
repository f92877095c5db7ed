package stopping

import (
	"math/rand/v2"
	"testing"

	"ppl/lang/types"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// chainsAt writes a run with one chain for each place. Element x[2] of the chain is normal around the place, and its
// log density is uniform between density and density+1.
func chainsAt(t *testing.T, places, density []float64) *store.Run {
	t.Helper()
	lp := types.Variable{Name: "lp"}
	dir, layout := t.TempDir(), store.Layout{Chains: len(places), SampleStats: []types.Variable{lp},
		Posterior: []types.Variable{{Name: "x", Shape: []int{2}}}}
	w, err := store.Create(files.Disk{}, dir, layout, store.Options{Draws: 100})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		for c, at := range places {
			x := []float64{random.NormFloat64(), at + random.NormFloat64()}
			if err := w.Append(c, x, []float64{density[c] + random.Float64()}); err != nil {
				t.Fatal(err)
			}
		}
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

// TestCovers checks that a run covers another run if its draws reach all places of the other's chains. A chain with a
// much lower log density does not count, unless its place could be a wide mode of lower density.
func TestCovers(t *testing.T) {
	high := []float64{-5, -5}
	agreed, both := chainsAt(t, []float64{0, 0}, high), chainsAt(t, []float64{0, 9}, high)
	lost := chainsAt(t, []float64{0, 9}, []float64{-5, -50})
	wide := chainsAt(t, []float64{0, 9}, []float64{-5, -30})
	for name, c := range map[string]struct {
		run, other *store.Run
		want       bool
	}{
		"both":        {both, agreed, true},
		"one of both": {agreed, both, false},
		"the same":    {agreed, agreed, true},
		"on the way":  {agreed, lost, true},
		"wide":        {agreed, wide, false},
	} {
		if got, err := Covers(c.run, c.other); err != nil || got != c.want {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
}
