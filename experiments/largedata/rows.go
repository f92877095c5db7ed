package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"ppl/experiments/lab"
	"ppl/infer/dynamics/dynamicstest"
)

// number of predictors, including the intercept
const predictors = 21

// A contest is a sampler with the smallest and largest number of rows to run it on.
type contest struct {
	contender
	least, most int
}

// overRows returns the contests of byRows.
func overRows() []contest {
	return []contest{
		{contender{"all rows (hmc)", ""}, 0, 10_000},
		{contender{"batch = 256", "--set batch=256"}, 0, 1_000_000},
		{contender{"batch = auto", "--set batch=auto"}, 0, 10_000_000},
		{contender{"batch = auto, from files, 150 MB", "--set batch=auto --max-memory 150MB"}, 1_000_000, 1_000_000},
		{contender{"batch = auto, from files, 1 GB", "--set batch=auto --max-memory 1GB"}, 10_000_000, 10_000_000},
	}
}

// byRows measures the cost of 2,000 effective draws against the number of rows: with minibatches in memory and from
// files, and with all rows where this is feasible.
func byRows(bench *lab.Bench) error {
	t := lab.Table{Columns: []string{"rows", "sampler", "ESS of 4,000 draws", "CPU s for 2,000 effective draws",
		"memory, MB", "step", "sd over the truth, mean", "farthest from 1", "largest error of a mean, in sd"}}
	for _, n := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
		x, y := dynamicstest.SimulateLogistic(n, predictors, 1)
		mode, sd := dynamicstest.Laplace(x, y, predictors, spread)
		data, err := writeNumPy(bench, x, y)
		if err != nil {
			return err
		}
		for _, c := range overRows() {
			if n < c.least || n > c.most {
				continue
			}
			r, err := compiledAndSampled(bench, append(strings.Fields(c.settings), data...)...)
			if err != nil {
				return err
			}
			s, memory := rate(r, mode, sd), fmt.Sprintf("%.0f", float64(r.Memory)/1e6)
			log.Printf("%d rows, %s: %.1f s, ESS %.0f, %s MB", n, c.name, r.CPU.Seconds(), s.ess, memory)
			t.Add(n, c.name, s.ess, r.CPU.Seconds()*2000/s.ess, memory, r.Step, fmt.Sprintf("%.3f", average(s.sds)),
				fmt.Sprintf("%.3f", farthest(s.sds)), s.mean)
			if err := r.Discard(); err != nil {
				return err
			}
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()),
		"What 2,000 effective draws cost, by rows", fmt.Sprintf(aboutRows, t.String()))
}

// compiledAndSampled runs the logistic regression twice. The first run has few draws, and fills the caches for compiled
// code and rows.
func compiledAndSampled(bench *lab.Bench, args ...string) (*lab.Run, error) {
	model := filepath.Join(home, "logistic.ppl")
	first, err := bench.Sample(model, 1, append(args, "--warmup", "100", "--draws", "4")...)
	if err != nil {
		return nil, err
	}
	if err := first.Discard(); err != nil {
		return nil, err
	}
	return bench.Sample(model, 1, args...)
}

// writeNumPy writes the data as NumPy files, which are fast to read, and returns the flags that name these files. x may
// be nil.
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

// An array is a named data array, with its shape in NumPy's syntax.
type array struct {
	name   string
	values []float64
	shape  string
}

// writeArrays writes NumPy files, and returns the flags that name these files.
func writeArrays(bench *lab.Bench, arrays ...array) (flags []string, err error) {
	for _, a := range arrays {
		path := bench.Path(a.name + ".npy")
		if err := a.write(path); err != nil {
			return nil, err
		}
		flags = append(flags, "--data", a.name+"="+path)
	}
	return flags, nil
}

func (a array) write(path string) error {
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", a.shape)
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	to := bufio.NewWriter(file)
	fmt.Fprintf(to, "\x93NUMPY\x01\x00%s%s", []byte{byte(len(header)), byte(len(header) >> 8)}, header)
	var number [8]byte
	for _, v := range a.values {
		binary.LittleEndian.PutUint64(number[:], math.Float64bits(v))
		_, _ = to.Write(number[:]) // Flush returns any earlier error
	}
	return to.Flush()
}
