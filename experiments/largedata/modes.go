package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"path/filepath"

	"ppl/experiments/lab"
	"ppl/infer/stats"
)

// twoModes measures a posterior with two narrow modes, whose weights are known from the priors: tempering and
// minibatches at once.
func twoModes(bench *lab.Bench) error {
	t := lab.Table{Columns: []string{"rows", "seed", "weight of the higher mode", "±", "truth",
		"distance, in ±", "rungs", "CPU s"}}
	for _, of := range []struct{ rows, seeds int }{{10_000, 2}, {100_000, 2}, {1_000_000, 10}} {
		n := of.rows
		y, truth := twoGroups(n)
		data, err := writeNumPy(bench, nil, y)
		if err != nil {
			return err
		}
		for seed := range of.seeds {
			r, err := bench.Sample(filepath.Join(home, "twomodes.ppl"), seed+1, append(data, "--set", "batch=256")...)
			if err != nil {
				return err
			}
			weight, error, err := weightOfOrder(r)
			if err != nil {
				return err
			}
			log.Printf("%d rows, seed %d: %.3f ± %.3f, truth %.3f", n, seed+1, weight, error, truth)
			t.Add(n, seed+1, fmt.Sprintf("%.3f", weight), fmt.Sprintf("%.3f", error), fmt.Sprintf("%.3f", truth),
				fmt.Sprintf("%+.1f", (weight-truth)/error), len(r.Exchange.SwapRates)+1, r.CPU.Seconds())
			if err := r.Discard(); err != nil {
				return err
			}
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()),
		"A mixture with two modes", fmt.Sprintf(aboutModes, t.String()))
}

// twoGroups are numbers of two groups with sd 1, and the weight of the mode a < b by the priors at the means of the
// groups: the likelihood is symmetric.
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

// weightOfOrder is the share of draws with a < b, with its Monte Carlo standard error.
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
