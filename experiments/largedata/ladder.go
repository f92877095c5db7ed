package main

import (
	"fmt"
	"log"
	"path/filepath"
	"strconv"

	"ppl/experiments/lab"
	"ppl/infer/dynamics/dynamicstest"
)

// fiveRungs measures the cost of a ladder of five rungs relative to that of one rung on the same rows.
func fiveRungs(bench *lab.Bench) error {
	x, y := dynamicstest.SimulateLogistic(rows, predictors, 1)
	mode, sd := dynamicstest.Laplace(x, y, predictors, spread)
	data, err := writeNumPy(bench, x, y)
	if err != nil {
		return err
	}
	t := lab.Table{Columns: []string{"rungs", "gradients, 10⁶", "CPU s", "over one rung", "ns a row and walker", "ESS",
		"sd over the truth, mean", "largest error of a mean, in sd", "swap rate"}}
	one := 0.0
	for _, rungs := range []int{1, 5} {
		r, err := compiledAndSampled(bench, append(data, "--set", "batch=256", "--set",
			"replicas="+strconv.Itoa(rungs))...)
		if err != nil {
			return err
		}
		seconds := r.CPU.Seconds()
		if rungs == 1 {
			one = seconds
		}
		s := rate(r, mode, sd)
		log.Printf("%d rungs: %.1f s", rungs, seconds)
		t.Add(rungs, float64(r.Gradients)/1e6, seconds, seconds/one, 1e9*seconds/float64(r.Gradients)/batch, s.ess,
			fmt.Sprintf("%.3f", average(s.sds)), s.mean, swaps(r))
		if err := r.Discard(); err != nil {
			return err
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()),
		"What a ladder of five costs", fmt.Sprintf(aboutLadder, t.String()))
}
