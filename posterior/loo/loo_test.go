package loo

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"ppl/lang/types"
	"ppl/posterior/quantities"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

const (
	rows, perGroup = 30, 3
	chains, draws  = 4, 2000
)

// outcomes returns rows of data with mean 1 and standard deviation 1.
func outcomes() []float64 {
	r, ys := rand.New(rand.NewPCG(3, 4)), make([]float64, rows)
	for i := range ys {
		ys[i] = 1 + r.NormFloat64()
	}
	return ys
}

// writeRun stores independent draws from the posterior of y[i] ~ Normal(mu, sigma) with a flat prior of mu, which is
// Normal(mean(y), sigma / √n), and a predictor g with the group of each row.
func writeRun(t *testing.T, ys []float64, sigma float64) *store.Run {
	t.Helper()
	y := types.Variable{Name: "y", Shape: []int{rows}, Dims: []string{"N"}}
	g := types.Variable{Name: "g", Shape: []int{rows}, Dims: []string{"N"}, Int: true}
	groups := make([]float64, rows)
	for i := range groups {
		groups[i] = float64(1 + i/perGroup)
	}
	layout := store.Layout{Chains: chains, Parameters: []string{"mu"}, Posterior: []types.Variable{{Name: "mu"}},
		LogLikelihood: []types.Variable{y}, Observed: []store.Observed{{Variable: y, Values: ys}},
		Constant: []store.Observed{{Variable: g, Values: groups}}, SampleStats: []types.Variable{{Name: "lp"}}}
	dir := filepath.Join(t.TempDir(), "normal.run")
	w, err := store.Create(files.Disk{}, dir, layout, store.Options{Model: "normal.ppl", Sampler: "exact"})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for chain := range chains {
		for range draws {
			mu := stat.Mean(ys, nil) + sigma/math.Sqrt(rows)*r.NormFloat64()
			values, lp := []float64{mu}, 0.
			for _, x := range ys {
				logLik := -math.Pow((x-mu)/sigma, 2)/2 - math.Log(sigma) - math.Log(2*math.Pi)/2
				values, lp = append(values, logLik), lp+logLik
			}
			if err := w.Append(chain, values, []float64{lp}); err != nil {
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

// exactELPD returns the sum, over groups of m consecutive rows, of their log density given all other rows. It is
// that of a normal vector with the mean of the other rows and the covariance sigma² (I + 11ᵀ / (n − m)), by the lemma
// of the matrix determinant and the formula of Sherman and Morrison.
func exactELPD(ys []float64, m int, sigma float64) (total float64) {
	sum := stat.Mean(ys, nil) * rows
	for from := 0; from < rows; from += m {
		group := ys[from : from+m]
		others := (sum - stat.Mean(group, nil)*float64(m)) / float64(rows-m)
		squares, deviation := 0., 0.
		for _, y := range group {
			squares, deviation = squares+(y-others)*(y-others), deviation+y-others
		}
		squares -= deviation * deviation / rows
		total += -squares/(2*sigma*sigma) - float64(m)*math.Log(sigma*math.Sqrt(2*math.Pi)) -
			math.Log(float64(rows)/float64(rows-m))/2
	}
	return total
}

// TestCrossValidate compares estimates with the exact formula, for single rows and for groups. The bounds are five
// standard errors of importance sampling from 8,000 draws: the log ratios have standard deviations of about .18 for a
// row and .4 for a group, and errors of rows are dependent. The posterior predictive density with the row itself must
// be outside the bound.
func TestCrossValidate(t *testing.T) {
	ys := outcomes()
	run := writeRun(t, ys, 1)
	single, err := CrossValidate(run, "")
	if err != nil {
		t.Fatal(err)
	}
	byGroup, err := CrossValidateBy(run, "y", "g")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		of    Result
		m     int
		bound float64
	}{"rows": {single, 1, .1}, "groups": {byGroup, perGroup, .3}} {
		want, got := exactELPD(ys, c.m, 1), c.of.PSIS.Total().ELPD
		if math.Abs(got-want) > c.bound {
			t.Errorf("%s: elpd is %.3f, want %.3f ± %.1f", name, got, want, c.bound)
		}
		if bad := c.of.Bad(); len(bad) > 0 || len(c.of.PSIS.ELPD) != rows/c.m {
			t.Errorf("%s: %d estimates, of which %v are not usable", name, len(c.of.PSIS.ELPD), bad)
		}
	}
	chainsOf, err := run.LogLikelihood("y")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0.
	for i := range rows {
		var logs []float64
		for _, c := range chainsOf {
			for d := range draws {
				logs = append(logs, c[d*rows+i])
			}
		}
		seen += stats.LogMean(logs)
	}
	if want := exactELPD(ys, 1, 1); math.Abs(seen-want) < .1 {
		t.Errorf("the density of rows that draws have seen, %.3f, is within the bound of %.3f", seen, want)
	}
}

// TestCompare checks that the better model is first, whatever the order of the runs, and that the difference is that of
// the exact formula. Runs with different data are refused.
func TestCompare(t *testing.T) {
	ys := outcomes()
	right, wide := writeRun(t, ys, 1), writeRun(t, ys, 2)
	want := exactELPD(ys, 1, 1) - exactELPD(ys, 1, 2)
	for _, runs := range [][]*store.Run{{right, wide}, {wide, right}} {
		c, err := Compare(runs, "y", nil)
		if err != nil {
			t.Fatal(err)
		}
		if first := c.Models[0].Result.Dir; first != right.Dir || math.Abs(c.Models[1].Behind-want) > .15 {
			t.Errorf("%s is first by %.3f, want %s by %.3f", first, c.Models[1].Behind, right.Dir, want)
		}
		if w := c.Models[0].Weight; !(w > .9) {
			t.Errorf("the better model has the weight %.2f", w)
		}
	}
	other := outcomes()
	other[0]++
	_, err := Compare([]*store.Run{right, writeRun(t, other, 1)}, "y", nil)
	if !errors.As(err, new(quantities.Unusable)) || !strings.Contains(err.Error(), "different data") {
		t.Errorf("runs with other data: %v", err)
	}
}
