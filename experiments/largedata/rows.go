package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"strings"

	"ppl/experiments/lab"
	"ppl/infer/dynamics/dynamicstest"
)

// predictors of the regressions that grow, with the intercept.
const predictors = 21

// byRows measures what 2,000 effective draws cost as the rows become more: minibatches with control variates and
// without, and all rows where that can be afforded.
func byRows(bench *lab.Bench) error {
	const most = 10_000 // rows of those that need all, or small steps
	t := lab.Table{Columns: []string{"rows", "sampler", "ESS of 4,000 draws", "CPU s for 2,000 effective draws", "step",
		"sd over the truth, mean", "farthest from 1", "largest error of a mean, in sd"}}
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		x, y := dynamicstest.SimulateLogistic(n, predictors, 1)
		mode, sd := dynamicstest.Laplace(x, y, predictors, spread)
		data, err := writeNumPy(bench, x, y)
		if err != nil {
			return err
		}
		for _, c := range []contender{{"all rows (hmc)", ""}, {"batch = 256", "--set batch=256"},
			{"batch = auto", "--set batch=auto"},
			{"batch = 256 without control variates", "--set batch=256 --set control_variates=off"}} {
			if n > most && c.name != "batch = 256" && c.name != "batch = auto" {
				continue
			}
			r, err := bench.Sample(filepath.Join(home, "logistic.ppl"), 1, append(strings.Fields(c.settings),
				data...)...)
			if err != nil {
				return err
			}
			s := rate(r, mode, sd)
			log.Printf("%d rows, %s: %.1f s, ESS %.0f", n, c.name, r.CPU.Seconds(), s.ess)
			t.Add(n, c.name, s.ess, r.CPU.Seconds()*2000/s.ess, r.Step, fmt.Sprintf("%.3f", average(s.sds)),
				fmt.Sprintf("%.3f", farthest(s.sds)), s.mean)
			if err := r.Discard(); err != nil {
				return err
			}
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()),
		"What 2,000 effective draws cost, by rows", fmt.Sprintf(aboutRows, t.String()))
}

// writeNumPy writes the data as files of NumPy's, which take no time to read, and gives the flags that name them. There
// may be no x.
func writeNumPy(bench *lab.Bench, x, y []float64) (flags []string, err error) {
	flags = []string{"--data", fmt.Sprintf("N=%d", len(y))}
	if x != nil {
		flags = append(flags, "--data", fmt.Sprintf("K=%d", predictors))
	}
	arrays := []array{{"y", y, fmt.Sprintf("(%d,)", len(y))}}
	if x != nil {
		arrays = append(arrays, array{"x", x, fmt.Sprintf("(%d, %d)", len(y), predictors)})
	}
	more, err := writeArrays(bench, arrays...)
	return append(flags, more...), err
}

// An array is data by name, with its shape as NumPy writes it.
type array struct {
	name   string
	values []float64
	shape  string
}

// writeArrays writes files of NumPy's, and gives the flags that name them.
func writeArrays(bench *lab.Bench, arrays ...array) (flags []string, err error) {
	for _, a := range arrays {
		header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", a.shape)
		header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
		text := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
		text = append(text, header...)
		for _, v := range a.values {
			text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
		}
		file, err := bench.File(a.name+".npy", string(text))
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--data", a.name+"="+file)
	}
	return flags, nil
}
