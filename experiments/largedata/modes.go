package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"ppl/experiments/lab"
	"ppl/posterior/stats"
)

// A modesRun is one run on data with two modes: the weight of the higher mode, with its Monte Carlo standard error.
type modesRun struct {
	Rows, Seed    int
	Weight, Error float64
	Truth         float64
	CPU           float64 // processor seconds; 0 if not recorded
}

// twoModes samples a posterior with two narrow modes whose weights are known from the priors. This combines tempering
// and minibatches. Runs are stored in a file, so that the experiment can be interrupted; RESULTS.md shows the stored
// runs.
func twoModes(bench *lab.Bench) error {
	file := filepath.Join(os.TempDir(), "largedata-modes.jsonl")
	runs, err := lab.ReadRuns[modesRun](file)
	if err != nil {
		return err
	}
	for _, of := range []struct{ rows, seeds int }{{10_000, 2}, {100_000, 2}, {1_000_000, 10}} {
		y, truth := twoGroups(of.rows)
		data, err := writeNumPy(bench, nil, y)
		if err != nil {
			return err
		}
		for seed := 1; seed <= of.seeds; seed++ {
			if slices.ContainsFunc(runs, func(r modesRun) bool { return r.Rows == of.rows && r.Seed == seed }) {
				continue
			}
			r, err := newModesRun(bench, data, of.rows, seed)
			if err != nil {
				return err
			}
			r.Truth = truth
			log.Printf("%+v", r)
			runs = append(runs, r)
			if err := lab.AddRun(file, r); err != nil {
				return err
			}
			if err := tabulateModes(runs); err != nil {
				return err
			}
		}
	}
	return tabulateModes(runs)
}

func tabulateModes(runs []modesRun) error {
	t := lab.Table{Columns: []string{"rows", "seed", "weight of the higher mode", "±", "truth", "distance, in ±",
		"CPU s"}}
	for _, r := range runs {
		cpu := ""
		if r.CPU > 0 {
			cpu = fmt.Sprintf("%.0f", r.CPU)
		}
		t.Add(r.Rows, r.Seed, fmt.Sprintf("%.3f", r.Weight), fmt.Sprintf("%.3f", r.Error), fmt.Sprintf("%.3f", r.Truth),
			fmt.Sprintf("%+.1f", (r.Weight-r.Truth)/r.Error), cpu)
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()),
		"A mixture with two modes", fmt.Sprintf(aboutModes, t.String()))
}

func newModesRun(bench *lab.Bench, data []string, rows, seed int) (modesRun, error) {
	r, err := bench.Sample(filepath.Join(home, "twomodes.ppl"), seed, append(data, "--set", "batch=auto")...)
	if err != nil {
		return modesRun{}, err
	}
	weight, error, err := weightOfOrder(r)
	if err != nil {
		return modesRun{}, err
	}
	return modesRun{rows, seed, weight, error, 0, r.CPU.Seconds()}, r.Discard()
}

// twoGroups returns numbers of two groups with sd 1, and the weight of the mode a < b. The likelihood is symmetric, so
// the weight is the ratio of the priors at the group means.
func twoGroups(n int) (y []float64, weight float64) {
	r := rand.New(rand.NewPCG(1, 2))
	var mean [2]float64
	for i := range n {
		y = append(y, r.NormFloat64()+3*float64(i%2)-1.5)
		mean[i%2] += y[i] * 2 / float64(n)
	}
	logPrior := func(a, b float64) float64 { return -(a*a + (b-1)*(b-1)) / (2 * 1.5 * 1.5) }
	return y, 1 / (1 + math.Exp(logPrior(mean[1], mean[0])-logPrior(mean[0], mean[1])))
}

// weightOfOrder returns the share of draws with a < b, with its Monte Carlo standard error.
func weightOfOrder(r *lab.Run) (weight, mcse float64, err error) {
	a, err := r.Draws("a")
	if err != nil {
		return 0, 0, err
	}
	b, err := r.Draws("b")
	if err != nil {
		return 0, 0, err
	}
	in := make([][]float64, len(a))
	for c := range a {
		for i := range a[c] {
			x := 0.0
			if a[c][i] < b[c][i] {
				x = 1
			}
			in[c] = append(in[c], x)
			weight += x / float64(len(a)*len(a[c]))
		}
	}
	return weight, stats.MCSEMean(in), nil
}
