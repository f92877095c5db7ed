package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
)

// replicated adds replicates to a run: element e of draw d of a chain is base + 10⁴·chain + 10·d + e.
func replicated(t *testing.T, dir string, l Layout, base float64) {
	t.Helper()
	w, err := Extend(files.Disk{}, dir, Replicates{Variables: []types.Variable{
		{Name: "y", Shape: []int{3}, Dims: []string{"N"}}, {Name: "N", Int: true}}})
	if err != nil {
		t.Fatal(err)
	}
	for chain := range l.Chains {
		for d := range 503 {
			x := base + float64(10_000*chain+10*d)
			if err := w.Append(chain, []float64{x, x + 1, x + 2, float64(d)}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
}

func finished(t *testing.T) (dir string, l Layout) {
	t.Helper()
	dir, l = filepath.Join(t.TempDir(), "m.run"), testLayout()
	w := create(t, dir, l, Options{Model: "m.ppl", Seed: 7})
	for chain := range l.Chains {
		appendDraws(t, w, l, chain, 0, 503)
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	return dir, l
}

// TestExtend checks that replicates leave the draws unchanged, and that new replicates replace the old ones.
func TestExtend(t *testing.T) {
	dir, l := finished(t)
	before, err := os.ReadFile(filepath.Join(dir, runFile))
	if err != nil {
		t.Fatal(err)
	}
	theta, err := open(t, dir).Draws("theta")
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []float64{0.25, 0.5} {
		replicated(t, dir, l, base)
		r := open(t, dir)
		y, err := r.Predictive("y")
		if err != nil {
			t.Fatal(err)
		}
		if len(y) != l.Chains || len(y[2]) != 3*503 || y[2][3*502+1] != base+20_000+5020+1 {
			t.Errorf("replicates of %d chains, the last %v", len(y), y[2][len(y[2])-3:])
		}
		if again, err := r.Draws("theta"); err != nil || !slices.Equal(again[1], theta[1]) || r.Info.Draws != 503 ||
			r.Info.Seed != 7 {
			t.Errorf("the draws have changed: %v, %+v", err, r.Info)
		}
	}
	if after, err := os.ReadFile(filepath.Join(dir, runFile)); err != nil || !slices.Equal(before, after) {
		t.Errorf("run.json has changed: %v", err)
	}
}

// TestExtendUnfinished checks that unfinished replicates, which replace the earlier ones, cannot be read, and that new
// replicates can be added after them.
func TestExtendUnfinished(t *testing.T) {
	dir, l := finished(t)
	replicated(t, dir, l, 1)
	w, err := Extend(files.Disk{}, dir, Replicates{Variables: []types.Variable{{Name: "other", Shape: []int{2}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(0, []float64{1, 2}, nil); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir) // as after a kill
	if _, err := r.Predictive("y"); err == nil || r.Info.Draws != 503 {
		t.Error("replicates are read that have been replaced by unfinished ones")
	}
	for key := range r.arrays {
		if group, _ := filepath.Split(key); group == predictive+"/" {
			t.Errorf("%s is in the metadata", key)
		}
	}
	replicated(t, dir, l, 2)
	if y, err := open(t, dir).Predictive("y"); err != nil || y[0][0] != 2 {
		t.Errorf("replicates after unfinished ones: %v", err)
	}
}

// TestPriorRun checks a run of draws from the prior: it has no group posterior, and its number of draws is that of its
// own groups.
func TestPriorRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m.prior")
	l := Layout{Chains: 1, Prior: []types.Variable{{Name: "mu"}},
		PriorPredictive: []types.Variable{{Name: "y", Shape: []int{2}, Dims: []string{"N"}}},
		Observed:        testLayout().Observed}
	w := create(t, dir, l, Options{})
	for d := range 40 {
		if err := w.Append(0, []float64{float64(d), 1, float64(-d)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	mu, err := r.Prior("mu")
	y, err2 := r.PriorPredictive("y")
	if err != nil || err2 != nil || r.Info.Draws != 40 || mu[0][39] != 39 || y[0][79] != -39 {
		t.Errorf("%v, %v, %d draws, %v, %v", err, err2, r.Info.Draws, mu, y)
	}
	if _, err := os.Stat(filepath.Join(dir, posterior)); err == nil {
		t.Error("there is a group posterior")
	}
}

// TestExtendPredictions checks that predictions may have fewer draws than the run, that a range of elements can be
// read, and that new predictions replace the old ones.
func TestExtendPredictions(t *testing.T) {
	dir, l := finished(t)
	for _, n := range []int{7, 3} {
		w, err := ExtendPredictions(files.Disk{}, dir, []types.Variable{
			{Name: "y", Shape: []int{4}, Dims: []string{"N"}}},
			[]Observed{{Variable: types.Variable{Name: "x", Shape: []int{4}, Dims: []string{"N"}},
				Values: []float64{1, 2, 3, float64(n)}}})
		if err != nil {
			t.Fatal(err)
		}
		for chain := range l.Chains {
			for d := range n {
				x := float64(100*chain + 10*d)
				if err := w.Append(chain, []float64{x, x + 1, x + 2, x + 3}, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(Finished, nil); err != nil {
			t.Fatal(err)
		}
		r := open(t, dir)
		some, err := r.Predictions("y", 1, 3)
		if err != nil || len(some) != 2 || len(some[1]) != l.Chains || len(some[1][1]) != n || some[1][1][2] != 122 {
			t.Fatalf("elements 2 and 3 are %v, %v", some, err)
		}
		if x, err := r.PredictedAt("x"); err != nil || x[3] != float64(n) {
			t.Errorf("predicted at %v, %v", x, err)
		}
		if r.Info.Draws != 503 {
			t.Errorf("the run has %d draws", r.Info.Draws)
		}
	}
}
