// Largedata samples a logistic regression on 10⁵ rows with batches of 256, and compares standard deviations with those
// from all data: thermostats, rules with fixed friction, and ladders whose swaps account for the noise or ignore it. It
// also measures the cost of draws against the number of rows, and the weights of two modes.
//
//	go run ./experiments/largedata [-parts thermostats,fixed,swaps,rows,costs,ladder,…] [-python PYTHON]
//
// The part others needs a Python with JAX, NumPyro and nutpie. The command writes experiments/largedata/RESULTS.md and
// sd.svg.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"

	"ppl/experiments/lab"
	"ppl/infer/dynamics/dynamicstest"
)

// A part is a section of the results.
type part struct {
	name, heading, words string
	contenders           []contender
}

func parts() []part {
	const small, ladder = " --chains 4 --warmup 300 --draws 300 --set batch=256",
		" --set replicas=4 --set ratio=1.5 --set path=energy --set steps=50"
	return []part{
		{"thermostats", "All rows, and thermostats on minibatches", aboutThermostats, []contender{
			{"nuts, all rows", "--sampler nuts --chains 2 --warmup 300 --draws 400"},
			{"renhd", "--sampler renhd" + small},
			{"sgnht", "--sampler sgnht" + small},
			{"renhd without control variates", "--sampler renhd --set control_variates=off" + small}}},
		{"fixed", "Fixed friction on minibatches", aboutFixed, []contender{
			{"sghmc", "--sampler sghmc --set control_variates=off" + small},
			{"sgld, step .2", "--sampler sgld --set control_variates=off --set step_size=.2" + small},
			{"sgld, step .05",
				"--sampler sgld --set control_variates=off --set step_size=.05 --chains 4 --warmup 300 --draws 40 " +
					"--set batch=256"}}},
		{"swaps", "A ladder of four on minibatches", aboutSwaps, []contender{
			{"penalty", "--sampler renhd" + small + ladder},
			{"Barker", "--sampler renhd --set exchange=barker" + small + ladder},
			{"noise ignored", "--sampler renhd --set exchange=uncorrected" + small + ladder}}},
	}
}

func main() {
	log.SetFlags(0)
	wanted := flag.String("parts", "thermostats,fixed,swaps,rows,costs,ladder,families,modes,ratios,calibration,others",
		"what to do")
	python := flag.String("python", "python3", "a Python with JAX, NumPyro and nutpie, for the part others")
	flag.Parse()
	if err := run(strings.Split(*wanted, ","), *python); err != nil {
		log.Fatal(err)
	}
}

func run(wanted []string, python string) error {
	bench, err := lab.Open()
	if err != nil {
		return err
	}
	defer bench.Close()
	for _, s := range []struct {
		name string
		run  func(*lab.Bench) error
	}{{"rows", byRows}, {"costs", rowCosts}, {"ladder", fiveRungs}, {"families", otherFamilies}, {"modes", twoModes},
		{"ratios", sdRatios}, {"calibration", calibration},
		{"others", func(bench *lab.Bench) error { return others(bench, python) }}} {
		if !slices.Contains(wanted, s.name) {
			continue
		}
		if err := s.run(bench); err != nil {
			return err
		}
	}
	mine := slices.DeleteFunc(parts(), func(p part) bool { return !slices.Contains(wanted, p.name) })
	if len(mine) == 0 {
		return nil
	}
	x, y := dynamicstest.SimulateLogistic(rows, parameters, 1)
	mode, sd := dynamicstest.Laplace(x, y, parameters, spread)
	data, err := writeData(bench, x, y)
	if err != nil {
		return err
	}
	for _, p := range mine {
		body, err := p.run(bench, data, mode, sd)
		if err != nil {
			return err
		}
		if err := lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()), p.heading,
			body); err != nil {
			return err
		}
	}
	return nil
}

// writeData writes the data of the model.
func writeData(bench *lab.Bench, x, y []float64) (string, error) {
	matrix, outcomes := make([][]float64, len(y)), make([]int, len(y))
	for i, v := range y {
		matrix[i], outcomes[i] = x[i*parameters:(i+1)*parameters], int(v)
	}
	return bench.JSON("rows.json", map[string]any{"N": len(y), "K": parameters, "x": matrix, "y": outcomes})
}

func (p part) run(bench *lab.Bench, data string, mode, sd []float64) (string, error) {
	t := lab.Table{Columns: []string{"sampler", "sd over the truth, mean", "farthest from 1", "± of one",
		"largest error of a mean, in sd", "ESS", "step",
		"rows read, 10⁶", "ESS per 10⁶ rows", "CPU s", "swap rate", "rows a swap looked at"}}
	for _, c := range p.contenders {
		r, err := bench.Sample(filepath.Join(home, "logistic.ppl"), 1,
			append(strings.Fields(c.settings), "--data", data)...)
		if err != nil {
			return "", err
		}
		s, read := rate(r, mode, sd), rowsRead(c, r)
		log.Printf("%s: sd %.3f", c.name, average(s.sds))
		t.Add(c.name, fmt.Sprintf("%.3f", average(s.sds)), fmt.Sprintf("%.3f", farthest(s.sds)), s.error, s.mean, s.ess,
			r.Step, read, s.ess/read,
			r.CPU.Seconds(), swaps(r), looked(r))
		if err := r.Discard(); err != nil {
			return "", err
		}
	}
	if p.name == "fixed" {
		if err := figure(); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf(p.words, t.String()), nil
}

// figure plots the theoretical sd of each rule against the step size, with the noise N/m of a batch of independent
// rows.
func figure() error {
	const noise, friction = float64(rows) / batch, 0.01
	sgld, sghmc, truth := lab.Line{Name: "SGLD"}, lab.Line{Name: "SGHMC, c = .01"}, lab.Line{Name: "truth"}
	for h := 0.005; h <= 0.5; h *= 1.2 {
		sgld.Points = append(sgld.Points, plotter.XY{X: h, Y: langevin(h, noise)})
		sghmc.Points = append(sghmc.Points,
			plotter.XY{X: h, Y: math.Sqrt((1 + h*h*noise/(2*friction)) * (2 - friction) * 2 / (2*(2-friction) - h*h))})
		truth.Points = append(truth.Points, plotter.XY{X: h, Y: 1})
	}
	axes := lab.Axes{Title: "10⁵ rows in batches of 256: noise that nothing takes up", X: "step size, whitened",
		Y: "sd over the truth", LogX: true, LogY: true}
	return lab.Lines(filepath.Join(home, "sd.svg"), axes, sgld, sghmc, truth)
}
