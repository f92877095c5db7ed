package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"path/filepath"

	"ppl/experiments/lab"
)

const (
	calibrationRuns  = 200
	calibrationRows  = 2000
	calibrationDraws = 99 // draws for a rank, far enough apart to be independent
	rankBins         = 20
)

// calibration tests draws with minibatches by simulation: it draws parameters from the prior and rows from the
// likelihood, and counts the ranks of the parameters among the draws.
func calibration(bench *lab.Bench) error {
	t := lab.Table{Columns: []string{"regression", "runs", "parameter", "χ² of 19 degrees of freedom", "p"}}
	for _, f := range []family{logisticFamily(), families()[1]} {
		var times [slopes][rankBins]float64
		for run := range calibrationRuns {
			ranks, err := f.ranks(bench, uint64(run))
			if err != nil {
				return err
			}
			for j, rank := range ranks {
				times[j][rank*rankBins/(calibrationDraws+1)]++
			}
			if run%20 == 19 {
				log.Printf("calibration of %s: %d of %d", f.name, run+1, calibrationRuns)
			}
		}
		for j := range times {
			x, p := lab.Uniform(times[j][:])
			t.Add(f.name, calibrationRuns, fmt.Sprintf("theta[%d]", j+1), fmt.Sprintf("%.1f", x),
				fmt.Sprintf("%.3f", p))
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()),
		"Calibration in minibatches", fmt.Sprintf(aboutCalibration, t.String()))
}

func logisticFamily() family {
	f := families()[2]
	f.name, f.groups = "logistic", 0
	return f
}

// ranks returns the ranks of true parameters among draws from their posterior.
func (f family) ranks(bench *lab.Bench, number uint64) (ranks [slopes]int, err error) {
	r := rand.New(rand.NewPCG(number, 5))
	s := simulation{family: f}
	var theta [slopes]float64
	for j := range theta {
		theta[j] = spread * r.NormFloat64()
	}
	for range calibrationRows {
		s.addDrawn(r, theta[:])
	}
	flags, err := s.write(bench)
	if err != nil {
		return ranks, err
	}
	flags = append(flags, "--set", "batch=64", "--set", "control_variates=on", "--chains", "3", "--draws", "330")
	run, err := bench.Sample(filepath.Join(home, f.name+".ppl"), int(number)+1, flags...)
	if err != nil {
		return ranks, err
	}
	draws, err := run.Draws("theta")
	if err != nil {
		return ranks, err
	}
	for _, chain := range draws {
		for d := 9; d < len(chain)/slopes; d += 10 {
			for j := range theta {
				if chain[d*slopes+j] < theta[j] {
					ranks[j]++
				}
			}
		}
	}
	return ranks, run.Discard()
}

// addDrawn adds a row with standard normal covariates.
func (s *simulation) addDrawn(r *rand.Rand, theta []float64) {
	eta := 0.0
	for _, b := range theta {
		v := r.NormFloat64()
		s.x, eta = append(s.x, v), eta+b*v
	}
	s.y = append(s.y, s.draw(r, eta))
}
