package main

import (
	"fmt"
	"log"
	"path/filepath"
	"strings"

	"ppl/experiments/lab"
	"ppl/infer/dynamics/dynamicstest"
)

// A rowCost is a measurement to make, with its number of gradients.
type rowCost struct {
	rows            int
	where, settings string
	gradients       float64
}

// costsOf returns the measurements for n rows.
func costsOf(n int) []rowCost {
	const files = " --max-memory 150MB"
	if n != rows {
		return []rowCost{{256, "in files", "--set batch=256" + files, 5e5}}
	}
	return []rowCost{
		{n, "in memory", "", 20_000},
		{64, "in memory", "--set batch=64", 3e6},
		{256, "in memory", "--set batch=256", 1.5e6},
		{256, "in memory, without control variates", "--set batch=256 --set control_variates=off", 2e5},
	}
}

// rowCosts measures the cost of a row per walker, in gradients of all rows and of minibatches.
func rowCosts(bench *lab.Bench) error {
	t := lab.Table{Columns: []string{"rows", "of a gradient", "where they are", "ns a row and walker",
		"over a row of all rows"}}
	whole := 0.0
	for _, n := range []int{rows, 1_000_000} {
		x, y := dynamicstest.SimulateLogistic(n, predictors, 1)
		data, err := writeNumPy(bench, x, y)
		if err != nil {
			return err
		}
		for _, c := range costsOf(n) {
			args := append(strings.Fields(c.settings+" --warmup 100"), data...)
			price, err := bench.Price(c.gradients, filepath.Join(home, "logistic.ppl"), args...)
			if err != nil {
				return err
			}
			price /= float64(c.rows)
			if c.rows == n {
				whole = price
			}
			log.Printf("%d rows %s: %.1f ns a row", c.rows, c.where, price)
			t.Add(n, c.rows, c.where, price, price/whole)
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()),
		"What a row costs", fmt.Sprintf(aboutRowCosts, t.String()))
}
