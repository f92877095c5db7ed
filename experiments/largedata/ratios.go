package main

import (
	"fmt"
	"log"
	"math"
	"path/filepath"

	"ppl/experiments/lab"
	"ppl/infer/dynamics/dynamicstest"
)

const (
	ratioRows  = 50_000
	ratioSeeds = 10
)

// A regression has a name, flags for its data, and the sd of the normal approximation of its posterior at the mode.
type regression struct {
	name  string
	flags []string
	sd    []float64
}

func logistic(bench *lab.Bench) (regression, error) {
	x, y := dynamicstest.SimulateLogistic(ratioRows, predictors, 1)
	_, sd := dynamicstest.Laplace(x, y, predictors, spread)
	flags, err := writeNumPy(bench, x, y)
	return regression{"logistic", flags, sd}, err
}

func poisson(bench *lab.Bench) (regression, error) {
	rows := families()[0].simulate(ratioRows)
	_, sd := rows.laplace()
	flags, err := rows.write(bench)
	return regression{"poisson", flags, sd}, err
}

// sdRatios compares the standard deviation of each parameter between minibatches and all rows, over seeds.
func sdRatios(bench *lab.Bench) error {
	t := lab.Table{Columns: []string{"regression", "parameter", "sd over the normal approximation", "± of it",
		"all rows (hmc)", "± of it"}}
	for _, simulated := range []func(*lab.Bench) (regression, error){logistic, poisson} {
		of, err := simulated(bench)
		if err != nil {
			return err
		}
		few, err := of.pooled(bench, ratioSeeds, "--set", "batch=auto")
		if err != nil {
			return err
		}
		all, err := of.pooled(bench, 1)
		if err != nil {
			return err
		}
		for j := range few {
			t.Add(of.name, fmt.Sprintf("theta[%d]", j+1), fmt.Sprintf("%.4f", few[j].value),
				fmt.Sprintf("%.4f", few[j].error), fmt.Sprintf("%.4f", all[j].value), fmt.Sprintf("%.4f", all[j].error))
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()),
		"Standard deviations, parameter by parameter", fmt.Sprintf(aboutRatios, t.String()))
}

// An estimate is a value with its standard error.
type estimate struct{ value, error float64 }

// pooled returns ratios of standard deviations to those of the normal approximation, from all draws of several seeds.
func (of regression) pooled(bench *lab.Bench, seeds int, settings ...string) ([]estimate, error) {
	out, draws := make([]estimate, len(of.sd)), make([]float64, len(of.sd))
	for seed := range seeds {
		r, err := bench.Sample(filepath.Join(home, of.name+".ppl"), seed+1, append(settings, of.flags...)...)
		if err != nil {
			return nil, err
		}
		for j, p := range r.Of("theta") {
			ratio := p.SD / of.sd[j]
			out[j].value += ratio * ratio / float64(seeds)
			draws[j] += math.Min(p.ESSBulk, p.ESSTail)
		}
		log.Printf("%s, seed %d of %d: %.1f s", of.name, seed+1, seeds, r.CPU.Seconds())
		if err := r.Discard(); err != nil {
			return nil, err
		}
	}
	for j := range out {
		out[j].value = math.Sqrt(out[j].value)
		out[j].error = out[j].value / math.Sqrt(2*draws[j]) // for the sd of a normal distribution
	}
	return out, nil
}
