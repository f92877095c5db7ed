// Calibration checks draws for the examples by simulation. It draws parameters from the prior and data given these
// parameters; `ppl sample` then draws from the posterior given these data at default settings. If the draws are
// correct, the rank of the true parameters among the draws is uniform (Talts, Betancourt, Simpson, Vehtari, Gelman
// 2018), and so is the rank of the log likelihood, which reveals more errors (Modrák et al. 2023).
//
//	go run ./experiments/calibration [-replicates 100] [-only NAME,…] [-samplers NAME,…] [-runs FILE]
//	go run ./experiments/calibration -random 300 [-planted] [-first 0] [-replicates 20] [-samplers NAME,…]
//	    [-runs FILE]
//
// It writes experiments/calibration/RESULTS.md. With -random, it uses that many random hierarchical models instead of
// the examples and writes RANDOM.md (random.go). With -planted, the sampled models have a deliberate error, a scale
// prior that is half as wide; the test must detect the error, and the table is only printed. Results are appended to a
// file, one JSON object per line, and runs in the file are not repeated, so that an interrupted command can continue.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ppl/experiments/lab"
)

const home = "experiments/calibration"

// A run is one line of the results file: a data set from the prior, and the result of one sampler.
type run struct {
	Model     string             `json:"model"`
	Sampler   string             `json:"sampler"`
	Replicate int                `json:"replicate"`
	Ranks     map[string]float64 `json:"ranks"` // rank of each element, as a share of the draws; nil if the run failed
	Warnings  []string           `json:"warnings"`
	RHat      float64            `json:"rhat"`
	Seconds   float64            `json:"seconds"` // processor time
	Said      string             `json:"said,omitempty"`
	Overtime  bool               `json:"overtime,omitempty"` // the run was stopped at the limit of processor time
}

func main() {
	log.SetFlags(0)
	replicates := flag.Int("replicates", 100, "data sets of each model")
	first := flag.Int("first", 0, "`number` of the data set to begin with, where earlier ones were run elsewhere")
	only := flag.String("only", "", "models, separated by commas; all if empty")
	file := flag.String("runs", filepath.Join(os.TempDir(), "calibration.jsonl"), "`file` of the runs done")
	random := flag.Int("random", 0, "`number` of random models; 0: the examples")
	planted := flag.Bool("planted", false, "sample random models with a wrong density")
	by := flag.String("samplers", "", "samplers, separated by commas; all if empty")
	limit := flag.Duration("limit", 5*time.Minute, "processor time of a run, at which it is stopped and counted")
	flag.Parse()
	q := request{*first, *replicates, chosen(*only), chosen(*by), *random, *planted, *file, *limit}
	if err := q.measure(); err != nil {
		log.Fatal(err)
	}
}

// A request has the options of the program.
type request struct {
	first      int // number of the first data set
	replicates int
	models     func(name string) bool
	samplers   func(name string) bool
	random     int
	planted    bool
	file       string // results file
	limit      time.Duration
}

// chosen returns a function that reports whether a list separated by commas contains a name or is empty.
func chosen(list string) func(name string) bool {
	return func(name string) bool { return list == "" || slices.Contains(strings.Split(list, ","), name) }
}

// measure makes the missing runs, in turn over all models for each data set, and writes the table.
func (q request) measure() error {
	bench, err := lab.Open()
	if err != nil {
		return err
	}
	defer bench.Close()
	models := examples()
	if q.random > 0 {
		if models, err = randomModels(bench, q.random, q.planted); err != nil {
			return err
		}
	}
	done, err := q.run(experiment{bench, q.limit, map[string]prior{}}, models)
	switch {
	case err != nil:
		return err
	case q.random > 0:
		return writeRandom(done, q.planted)
	}
	return write(done)
}

// run makes the missing runs and returns all runs.
func (q request) run(e experiment, models []model) ([]run, error) {
	done, err := lab.ReadRuns[run](q.file)
	if err != nil {
		return nil, err
	}
	for replicate := q.first; replicate < q.replicates; replicate++ {
		for _, m := range models {
			for _, s := range samplers() {
				same := func(r run) bool {
					return r.Model == m.name && r.Sampler == s.name && r.Replicate == replicate
				}
				if !q.models(m.name) || !q.samplers(s.name) || !s.takes(m) || slices.ContainsFunc(done, same) {
					continue
				}
				r, err := e.sample(m, s, replicate)
				if err != nil {
					return nil, fmt.Errorf("%s by %s, data set %d: %w", m.name, s.name, replicate, err)
				}
				if err := lab.AddRun(q.file, r); err != nil {
					return nil, err
				}
				done = append(done, r)
				log.Printf("%s by %s, data set %d: %.1f s %v", m.name, s.name, replicate, r.Seconds, r.Warnings)
			}
		}
	}
	return done, nil
}

// write writes the page of results.
func write(done []run) error {
	t := lab.Table{Columns: []string{"model", "sampler", "data sets", "failed", "flagged", "numbers", "least p",
		"of", "p of the least", "processor s"}}
	least := 1.0
	for _, m := range examples() {
		for _, s := range samplers() {
			of := slices.DeleteFunc(slices.Clone(done), func(r run) bool {
				return r.Model != m.name || r.Sampler != s.name
			})
			if len(of) == 0 {
				continue
			}
			c := calibrated(of)
			t.Add(m.name, s.name, len(of), c.failed, c.flagged, c.numbers, c.p, "`"+c.worst+"`", c.adjusted(),
				c.seconds)
			least = min(least, c.adjusted())
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()), "Ranks",
		fmt.Sprintf(about, bins, bins-1, t.String(), least))
}

// A calibration summarises the ranks of a model and a sampler.
type calibration struct {
	failed, flagged int     // numbers of failed and flagged runs
	numbers         int     // number of tested quantities
	p               float64 // smallest p of their χ² tests
	worst           string
	seconds         float64 // median time of a run
}

const bins = 10

// adjusted returns the smallest p, adjusted for the number of tests (Bonferroni).
func (c calibration) adjusted() float64 { return min(1, c.p*float64(c.numbers)) }

func calibrated(runs []run) calibration {
	c := calibration{p: 1}
	counts, seconds := map[string][]float64{}, []float64{}
	for _, r := range runs {
		seconds = append(seconds, r.Seconds)
		switch {
		case r.Ranks == nil:
			c.failed++
		case r.RHat > 1.01 || len(r.Warnings) > 0:
			c.flagged++
		}
		for name, rank := range r.Ranks {
			if counts[name] == nil {
				counts[name] = make([]float64, bins)
			}
			counts[name][min(int(rank*bins), bins-1)]++
		}
	}
	c.numbers, c.seconds = len(counts), lab.Median(seconds)
	for name, n := range counts {
		if _, p := lab.Uniform(n); p < c.p || p == c.p && name < c.worst {
			c.p, c.worst = p, name
		}
	}
	return c
}

// rank returns the rank of the true value among draws, as a share of the number of draws. Ties are broken at random.
func rank(truth float64, draws []float64, r *rand.Rand) (float64, error) {
	switch {
	case math.IsNaN(truth):
		return 0, errors.New("there is no true value to rank")
	case len(draws) == 0:
		return 0, errors.New("there are no draws among which to rank the true value")
	}
	below, equal := 0, 0
	for _, x := range draws {
		switch {
		case x < truth:
			below++
		case x == truth:
			equal++
		}
	}
	place := below + r.IntN(equal+1)
	return (float64(place) + r.Float64()) / float64(len(draws)+1), nil
}
