package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"time"

	"ppl/experiments/lab"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/posterior/stats"
)

// peerTime limits the elapsed time of a sampler.
const peerTime = 10 * time.Minute

// others runs ppl and the samplers of peers.py on the same rows.
func others(bench *lab.Bench, python string) error {
	t := lab.Table{Columns: []string{"sampler", "version", "draws", "ESS", "CPU s", "ESS a CPU s",
		"sd over the truth, mean", "farthest from 1", "largest error of a mean, in sd"}}
	x, y := dynamicstest.SimulateLogistic(rows, predictors, 1)
	mode, sd := dynamicstest.Laplace(x, y, predictors, spread)
	data, err := writeNumPy(bench, x, y)
	if err != nil {
		return err
	}
	add := func(name, version string, draws int, s score, seconds float64) {
		log.Printf("%s: ESS %.0f in %.1f s", name, s.ess, seconds)
		t.Add(name, version, draws, s.ess, seconds, s.ess/seconds, fmt.Sprintf("%.3f", average(s.sds)),
			fmt.Sprintf("%.3f", farthest(s.sds)), s.mean)
	}
	r, err := compiledAndSampled(bench, append(data, "--set", "batch=auto")...)
	if err != nil {
		return err
	}
	add("ppl, batch = auto", "", 4000, rate(r, mode, sd), r.CPU.Seconds())
	if err := r.Discard(); err != nil {
		return err
	}
	for _, name := range []string{"SGLD-CV", "SGHMC-CV", "HMCECS", "nutpie"} {
		p, err := peer(bench, python, name)
		if err != nil {
			return err
		}
		if p == nil {
			t.Add(name, "", "", "", fmt.Sprintf("not done in %v", peerTime), "", "", "", "")
			continue
		}
		add(name, p.Version, p.Shape[0]*p.Shape[1], rateDraws(p.draws, mode, sd), p.Seconds)
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()), "With other samplers",
		fmt.Sprintf(aboutPeers, t.String()))
}

// A peerRun is the output of peers.py, with draws by parameter and chain.
type peerRun struct {
	Version string
	Shape   []int
	Seconds float64
	draws   [][][]float64
}

// peer runs a sampler on the data that were written last. It returns nil if the sampler exceeds the time limit.
func peer(bench *lab.Bench, python, name string) (*peerRun, error) {
	folder := bench.Path("")
	t, err := lab.Within(peerTime, python, filepath.Join(home, "peers.py"), bench.Path("x.npy"), bench.Path("y.npy"),
		folder, name)
	switch {
	case err != nil:
		return nil, err
	case t.Exit < 0:
		return nil, nil
	case t.Exit > 0:
		return nil, fmt.Errorf("%s: exit status %d\n%s", name, t.Exit, t.Said)
	}
	var p peerRun
	if err := json.Unmarshal(t.Printed, &p); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "draws.f64"))
	if err != nil {
		return nil, err
	}
	chains, draws, dim := p.Shape[0], p.Shape[1], p.Shape[2]
	for j := range dim {
		of := make([][]float64, chains)
		for i := range chains * draws {
			bits := binary.LittleEndian.Uint64(text[8*(i*dim+j):])
			of[i/draws] = append(of[i/draws], math.Float64frombits(bits))
		}
		p.draws = append(p.draws, of)
	}
	return &p, nil
}

// rateDraws compares draws, by parameter and chain, with the posterior.
func rateDraws(draws [][][]float64, mode, sd []float64) (s score) {
	s.ess = math.Inf(1)
	for j, chains := range draws {
		p := stats.Summarize(chains)
		s.add(p, mode[j], sd[j])
	}
	return s
}
