package analysis_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/notes"
	"ppl/lang/types"
	"ppl/posterior/store"
)

// TestExpected compares stored expected values of a count and of a category with the model's formulas at each draw, for
// the data of the run and for the same data given again.
func TestExpected(t *testing.T) {
	dir := t.TempDir()
	path, table := filepath.Join(dir, "m.ppl"), filepath.Join(dir, "t.csv")
	for name, text := range map[string]string{
		path: "data x[N], n[N], f[N]: index(F) from \"t.csv\"\na ~ Normal(0, 1)\nn[i in N] ~ Poisson(exp(a + x[i]))\n" +
			"f[i in N] ~ Categorical(logits = [0, a * x[i]])\n",
		table: "x,n,f\n0.5,2,u\n-1,0,v\n0.2,1,v\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	request := app.NewRequest(path)
	request.Seed, request.Draws, request.Warmup, request.Dir = 1, 40, 100, filepath.Join(dir, "m.run")
	if _, err := app.Sample(context.Background(), request, notes.None{}); err != nil {
		t.Fatal(err)
	}
	x := []float64{0.5, -1, 0.2}
	for _, data := range [][]string{nil, {table}} {
		run, err := store.Open(request.Dir)
		if err != nil {
			t.Fatal(err)
		}
		of := analysis.NewData{Data: data, Expected: true, Thin: 2}
		if _, err := analysis.Predict(context.Background(), run, of, notes.None{}); err != nil {
			t.Fatal(err)
		}
		if run, err = store.Open(request.Dir); err != nil {
			t.Fatal(err)
		}
		a, err := run.Draws("a")
		if err != nil {
			t.Fatal(err)
		}
		counts, shares := predictions(t, run, "n"), predictions(t, run, "f")
		if len(counts) != 3 || len(shares) != 6 {
			t.Fatalf("data %v: %d counts and %d probabilities are kept, want 3 and 6", data, len(counts), len(shares))
		}
		for chain := range a {
			for k := range counts[0][chain] {
				for i := range x {
					at := a[chain][2*k]
					second := 1 / (1 + math.Exp(-at*x[i]))
					for _, c := range []struct{ got, want float64 }{{counts[i][chain][k], math.Exp(at + x[i])},
						{shares[2*i][chain][k], 1 - second}, {shares[2*i+1][chain][k], second}} {
						if !(math.Abs(c.got-c.want) < 1e-9*(1+c.want)) {
							t.Fatalf("data %v, row %d: %v is kept, want %v", data, i+1, c.got, c.want)
						}
					}
				}
			}
		}
	}
}

// predictions reads all elements of a predicted variable, by element, chain and draw.
func predictions(t *testing.T, run *store.Run, name string) [][][]float64 {
	t.Helper()
	k := slices.IndexFunc(run.Layout.Predictions, func(v types.Variable) bool { return v.Name == name })
	if k < 0 {
		t.Fatalf("no predictions of %s", name)
	}
	values, err := run.Predictions(name, 0, run.Layout.Predictions[k].Size())
	if err != nil {
		t.Fatal(err)
	}
	return values
}
